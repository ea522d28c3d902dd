internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Glibc

extension Commands {
  /// `bellhop config default`.
  package static func configDefault() {
    StandardOutput.line(SafeText(lines: ConfigurationKey.defaultFile))
  }

  /// `bellhop config path`.
  package static func configPath() throws {
    StandardOutput.line(SafeText(try ClientContext.tolerant(account: nil).context.configPath))
  }

  /// `bellhop config show`: what holds, whether it stands in the file or not.
  ///
  /// - Throws: ``ClientError`` for a file that is wrong.
  package static func configShow() throws {
    let context = try ClientContext.live(account: nil, usesPolling: nil)
    StandardOutput.line(SafeText(lines: ConfigurationKey.file(of: context.configuration)))
  }

  /// `bellhop config check`: the file, and what it names: theme, keys, accounts, programs.
  ///
  /// - Throws: ``ClientError`` with exit code 78 for the first line that is wrong.
  package static func configCheck() throws {
    let context = try ClientContext.live(account: nil, usesPolling: nil)
    let configuration = context.configuration
    var problems = Keymap(overrides: configuration.keys).problems.map(\.description)
    if let problem = ThemeChoice.styles(named: configuration.theme, context: context).problem {
      problems.append("theme: " + problem)
    }
    problems += ViewShelf(context).load().problems
    let known = try context.accounts.all().map(\.name.rawValue)
    for name in configuration.accounts ?? [] where !known.contains(name) {
      problems.append("accounts: there is no account named \(name.prefix(64)).")
    }
    for (key, command) in [
      ("notify-command", configuration.notifyCommand), ("sound", configuration.sound),
    ] {
      guard let program = command?.first else { continue }
      let isThere =
        program.hasPrefix("/")
        ? ChildProcess.isExecutable(program)
        : ChildProcess.find(program, environment: context.environment) != nil
      if !isThere { problems.append("\(key): \(program.prefix(64)) is not there.") }
    }
    guard problems.isEmpty else {
      throw ClientError(
        .configuration,
        problems.map { "\(context.configPath): \($0)" }.joined(separator: "\n"),
        next: "Everything else of the file is right.")
    }
    let isThere = access(context.configPath, F_OK) == 0
    StandardError.say(
      isThere
        ? "\(context.configPath) is right."
        : "There is no \(context.configPath): everything has its default.")
  }
}

extension ClientContext {
  var configPath: String { directories.config + "/config.toml" }
}

extension SafeText {
  /// Several lines of this program's own, the last without its line feed.
  fileprivate init(lines: String) {
    var text = lines
    while text.hasSuffix("\n") { text.removeLast() }
    self.init(text, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax)
  }
}
