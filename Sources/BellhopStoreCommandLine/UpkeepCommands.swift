internal import ArgumentParser
internal import BellhopServer
internal import Glibc

struct ExpireCommand: StoreCommand {
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

  func perform() async throws {
    let report = try await data.administer(.expire(confirmsClock: confirm))
    if let doubt = report.clockDoubt { throw ProgramError(exitCode: 75, message: doubt) }
    Output.line("expired \(report.expired)")
    Output.line("tombstones dropped \(report.tombstonesDropped)")
  }
}

struct StatsCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show the store's size, by user.",
    discussion: """
      Reads the whole store, which takes a while if it is large.

      Example: bellhopd stats
      """)
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var data: DataOptions

  func perform() async throws {
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

struct ReloadCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the running store reload its certificate, as SIGHUP does.",
    discussion: """
      If the certificate is not valid, the previous one stays in use. Exit codes: 0, 69 no store \
      is serving, 78 the certificate was not reloaded.

      Example: bellhopd reload
      """)
  @OptionGroup var data: DataOptions

  func perform() async throws {
    let place = try data.place()
    guard let socket = try place.administrationSocket() else {
      throw ProgramError(exitCode: 69, message: "No store is serving the data in \(place).")
    }
    let answer = try await Administrator.serving(socket).send(.reload)
    for line in answer.reloaded { Output.line(line) }
    if !answer.problems.isEmpty {
      throw ProgramError(exitCode: 78, message: answer.problems.joined(separator: "\n"))
    }
  }
}

struct SystemdUnitCommand: StoreCommand {
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
  @Option(
    help: ArgumentHelp(
      "The user to run as (default: one that systemd creates at each start).", valueName: "name"))
  var user: String?

  func perform() async throws {
    for path in [config, program] {
      guard let path else { continue }
      guard path.hasPrefix("/"), !path.contains(where: { " \t\n\"'%\\$".contains($0) }) else {
        throw ProgramError.usage("Give absolute paths without blanks, quotes, % or $.")
      }
    }
    // The names that systemd accepts (sysusers.d(5)).
    if let user, user.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]{0,30}/) == nil {
      throw ProgramError.usage(
        "That is not a valid --user. Use up to 31 letters, digits, - and _, such as _bellhop.")
    }
    Output.text(
      SystemdUnit(
        program: program ?? ProgramFile.path, configuration: config, user: user
      ).text)
  }
}

/// The executable file of this program.
enum ProgramFile {
  /// The absolute path by which the program was called.
  ///
  /// It may be a link: packages install one file under both programs' names.
  static var path: String {
    let called = CommandLine.arguments.first ?? ""
    let name = called.split(separator: "/").last.map(String.init) ?? ""
    let folders =
      called.contains("/")
      ? [called.dropLast(name.count)] : environment("PATH").split(separator: ":")
    return folders.lazy.compactMap { absolute(String($0)).map { $0 + "/" + name } }
      .first(where: isThisProgram) ?? absolute(own) ?? "/usr/local/bin/bellhopd"
  }

  private static let own = "/proc/self/exe"

  private static func isThisProgram(_ path: String) -> Bool {
    var (this, other) = (stat(), stat())
    return stat(own, &this) == 0 && stat(path, &other) == 0
      && this.st_dev == other.st_dev && this.st_ino == other.st_ino
  }

  private static func environment(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

  /// The path without links and relative parts; nil if there is no such file.
  private static func absolute(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
