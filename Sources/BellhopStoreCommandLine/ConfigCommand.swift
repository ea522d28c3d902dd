internal import ArgumentParser
internal import BellhopModel
internal import BellhopServer
internal import BellhopSettings
internal import Glibc

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show and check configuration files.",
    discussion: """
      Examples:
        bellhopd config default > bellhopd.toml
        bellhopd config check bellhopd.toml
        bellhopd config show --config bellhopd.toml
      """, subcommands: [Default.self, Check.self, Show.self])

  struct Default: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "default",
      abstract: "Print a configuration file with every key, its help and its default.",
      discussion: "Example: bellhopd config default > bellhopd.toml")

    func run() async throws {
      Output.text(StoreSettings.documentation(version: ProgramVersion.number))
    }
  }

  struct Check: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "List all problems of a configuration file, with their lines.",
      discussion: "Exit codes: 0 valid, 78 not valid. Example: bellhopd config check bellhopd.toml")
    @Argument(help: "The file to check.", completion: .file(extensions: ["toml"])) var file: String

    func perform() async throws {
      let settings = try ConfigurationFile.read(file)
      if let certificate = settings.certificate, let key = settings.privateKey {
        _ = try ServerCertificates(certificate: certificate, key: key)
      }
      Output.error("\(file) is valid.")
    }
  }

  struct Show: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print all settings with the values that a command would use.",
      discussion: """
        The output has no secret: an address of a database with a password is refused, and files \
        with secrets are only named.

        Example: bellhopd config show --config bellhopd.toml
        """)
    @OptionGroup var data: DataOptions

    func perform() async throws { Output.text(try data.settings().file) }
  }
}

/// A configuration file on disk.
enum ConfigurationFile {
  private static let bytesMax = 1 << 20

  /// Reads the settings of an option `--config`; returns the defaults without it.
  static func settings(_ path: String?) throws -> StoreSettings {
    try path.map(read) ?? StoreSettings(version: ProgramVersion.number)
  }

  /// Reads the file's settings and makes their paths absolute.
  ///
  /// - Throws: ``ProgramError`` with all problems, one line each.
  static func read(_ path: String) throws -> StoreSettings {
    let text = try contents(of: path)
    var (settings, findings) = StoreSettings.read(text, version: ProgramVersion.number)
    guard findings.isEmpty else {
      throw ProgramError(
        exitCode: 78,
        message: ConfigurationFinding.text(of: findings, in: path)
          + "\nNothing was started or changed.")
    }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    settings.resolvePaths(below: folder)
    return settings
  }

  static func contents(of path: String) throws -> String {
    func unreadable() -> ProgramError {
      ProgramError(
        exitCode: 78, message: "\(path) cannot be read: \(String(cString: strerror(errno))).")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable() }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= bytesMax {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable() }
      if count == 0 {
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw ProgramError(exitCode: 78, message: "\(path) is not valid UTF-8 text.")
        }
        return text
      }
      bytes += buffer[..<count]
    }
    throw ProgramError(exitCode: 78, message: "\(path) is too large for a configuration file.")
  }
}
