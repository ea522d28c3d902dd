internal import BellhopClient
internal import BellhopSettings
internal import BellhopText
internal import Glibc

extension Commands {
  /// Runs `bellhop config default`.
  package static func configDefault() {
    StandardOutput.line(SafeText(lines: Configuration.defaultFile))
  }

  /// Runs `bellhop config path`.
  package static func configPath() throws {
    StandardOutput.line(SafeText(try ClientContext.tolerant(account: nil).context.configPath))
  }

  /// Runs `bellhop config show`, which prints the effective settings, in the file or not.
  ///
  /// - Throws: `ClientError` if the file is not valid.
  package static func configShow() throws {
    let context = try ClientContext.live()
    StandardOutput.line(SafeText(lines: Configuration.schema.file(of: context.configuration)))
  }

  /// Runs `bellhop config check`, which checks the file and the theme, keys, accounts and programs
  /// it names.
  ///
  /// - Throws: `ClientError` with exit code 78 and all findings.
  package static func configCheck() throws {
    let (context, problem) = try ClientContext.tolerant(account: nil)
    let path = context.configPath
    // An error leaves the defaults in effect. The other settings of the file are still checked.
    let check = ConfigurationCheck(
      context, file: problem == nil ? nil : try ConfigurationFile(path: path))
    for note in check.movedKeys {
      StandardError.say("Note: " + ConfigurationFinding.text(of: [note], in: path))
    }
    let findings = try check.findings()
    guard findings.isEmpty else {
      throw ClientError(
        .configuration, ConfigurationFinding.text(of: findings, in: path),
        next: problem == nil
          ? "Everything else in it is valid."
          : "bellhop does not start until this is fixed or the file is renamed.")
    }
    StandardError.say(
      access(path, F_OK) == 0
        ? "\(path) is valid." : "\(path) does not exist: all settings have their defaults.")
  }
}

extension SafeText {
  /// Creates text from the program's own lines, without the last line feed.
  fileprivate init(lines: String) {
    var text = lines
    while text.hasSuffix("\n") { text.removeLast() }
    self.init(text, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax)
  }
}
