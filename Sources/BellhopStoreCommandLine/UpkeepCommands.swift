internal import ArgumentParser
internal import BellhopServer
internal import Glibc

struct ExpireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expire",
    abstract: "Remove expired notifications and old tombstones now.",
    discussion: """
      A serving store does this every minute, unless its clock is implausible: not synchronised, \
      and more than an hour ahead of the elapsed time, or at a start more than 7 days after it \
      last ran. --confirm says that the clock is right. \
      Exit codes: 0, 75 the clock is implausible and nothing was removed.

      Examples:
        bellhopd expire
        bellhopd expire --confirm
      """)
  @Flag(help: "Accept the current time of the clock: check `date` first.") var confirm = false
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
    abstract: "Show the store's size, by user.",
    discussion: """
      Reads the whole store, which takes a while if it is large.

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
    abstract: "Make the running store reload its certificate, as SIGHUP does.",
    discussion: """
      If the certificate is not valid, the previous one stays in use. Exit codes: 0, 69 no store \
      is serving, 78 the certificate was not reloaded.

      Example: bellhopd reload
      """)
  @OptionGroup var data: DataOptions

  func run() async throws {
    try await ProgramError.reporting {
      let directory = try data.directory()
      guard let socket = try AdminSocket(directory: directory.path) else {
        throw ProgramError(
          exitCode: 69, message: "No store is serving the data in \(directory.path).")
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
    abstract: "Print a systemd unit that runs the store with minimal rights.",
    discussion: """
      The store has a dedicated user, and its data is in /var/lib/bellhop.

      Examples:
        bellhopd systemd-unit > /etc/systemd/system/bellhopd.service
        bellhopd systemd-unit --config /etc/bellhop/bellhopd.toml
      """)
  @Option(
    help: ArgumentHelp("The configuration file to use.", valueName: "file"),
    completion: .file(extensions: ["toml"]))
  var config: String?
  @Option(
    help: ArgumentHelp("The path of bellhopd (default: this program).", valueName: "path"),
    completion: .file())
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
