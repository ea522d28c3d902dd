internal import ArgumentParser
internal import BellhopServer
internal import Glibc

struct ExpireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expire",
    abstract: "Clear expired notifications and old tombstones away now.",
    discussion: """
      A store that serves does it by itself every minute, unless its clock is implausible: ahead of \
      the time that has passed by more than an hour, or at a start more than 7 days past the last \
      time that it ran, and not synchronised. --confirm says that the clock is right. \
      Exit codes: 0, 75 the clock is implausible and nothing was cleared away.

      Examples:
        bellhopd expire
        bellhopd expire --confirm
      """)
  @Flag(help: "Believe the clock as it is now: look at `date` first.") var confirm = false
  @OptionGroup var data: DataOptions

  func run() async throws {
    try await ProgramError.reporting {
      let report = try await data.administer(.expire(confirmsClock: confirm))
      if let doubt = report.clockDoubt { throw ProgramError(exitCode: 75, message: doubt) }
      Output.line("expired \(report.expired)")
      Output.line("tombstones dropped \(report.tombstonesDropped)")
    }
  }
}

struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show how much the store holds, by user.",
    discussion: """
      It reads everything there is, so it takes a while on a large store. --json prints one object.

      Example: bellhopd stats
      """)
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var data: DataOptions

  func run() async throws {
    try await ProgramError.reporting {
      let stats = try await data.administer(.stats)
      if json { return Output.json(try stats.json()) }
      for user in stats.users {
        Output.line(
          "\(user.name) items \(user.items) tombstones \(user.tombstones) bytes \(user.bytes) "
            + "devices \(user.devices) tokens \(user.tokens)")
      }
      func line(_ name: String, _ number: (some CustomStringConvertible)?) {
        if let number { Output.line("\(name) \(number)") }
      }
      line("database bytes", stats.databaseBytes)
      line("unused bytes", stats.unusedBytes)
      line("log bytes", stats.logBytes)
      line("disk free bytes", stats.diskFreeBytes)
      line("connections", stats.connections)
      line("streams", stats.streams)
      line("epoch", stats.epoch)
      line("version", stats.version)
    }
  }
}

struct ReloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Have the running store read its certificate again, as SIGHUP does.",
    discussion: """
      A certificate that cannot be used leaves the old one in place. Exit codes: 0, 69 nobody \
      serves, 78 it was not used.

      Example: bellhopd reload
      """)
  @OptionGroup var data: DataOptions

  func run() async throws {
    try await ProgramError.reporting {
      let directory = try data.directory()
      guard let socket = try AdminSocket(directory: directory.path) else {
        throw ProgramError(exitCode: 69, message: "No store serves the data in \(directory.path).")
      }
      let answer = try await Administrator.serving(socket).send(.reload)
      for line in answer.reloaded { Output.line(line) }
      if !answer.problems.isEmpty {
        throw ProgramError(exitCode: 78, message: answer.problems.joined(separator: "\n"))
      }
    }
  }
}

struct SystemdUnitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "systemd-unit",
    abstract: "Print a systemd unit that runs the store with few rights.",
    discussion: """
      It runs under a user of its own, with its data in /var/lib/bellhop.

      Examples:
        bellhopd systemd-unit > /etc/systemd/system/bellhopd.service
        bellhopd systemd-unit --config /etc/bellhop/bellhopd.toml
      """)
  @Option(help: ArgumentHelp("The configuration file it is to use.", valueName: "file"))
  var config: String?
  @Option(help: ArgumentHelp("Where bellhopd is installed; else this program.", valueName: "path"))
  var program: String?

  func run() async throws {
    try await ProgramError.reporting {
      for path in [config, program] {
        guard let path else { continue }
        guard path.hasPrefix("/"), !path.contains(where: { " \t\n\"'%\\$".contains($0) }) else {
          throw ProgramError.usage("Give absolute paths without blanks, quotes, % or $.")
        }
      }
      Output.text(
        SystemdUnit(program: program ?? ProgramFile.path, configuration: config).text)
    }
  }
}

/// The executable file of this program.
enum ProgramFile {
  static var path: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? "/usr/local/bin/bellhopd" : String(decoding: bytes, as: UTF8.self)
  }
}
