internal import BellhopClient
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
  /// - Throws: ``ClientError`` with exit code 78 and everything that is wrong.
  package static func configCheck() throws {
    let (context, problem) = try ClientContext.tolerant(account: nil)
    let path = context.configPath
    // An error leaves the defaults in force; what else is in the file is checked all the same.
    let check = ConfigurationCheck(
      context, file: problem == nil ? nil : try ConfigurationFile(path: path))
    for note in check.movedKeys {
      StandardError.say("Note: " + ConfigurationFile.text(of: [note], in: path))
    }
    let findings = try check.findings()
    guard findings.isEmpty else {
      throw ClientError(
        .configuration, ConfigurationFile.text(of: findings, in: path),
        next: problem == nil
          ? "Everything else in it is valid."
          : "Nothing starts until this is fixed, or the file is renamed.")
    }
    StandardError.say(
      access(path, F_OK) == 0
        ? "\(path) is valid." : "There is no \(path): everything has its default.")
  }
}

extension SafeText {
  /// Several lines of this program's own, the last without its line feed.
  fileprivate init(lines: String) {
    var text = lines
    while text.hasSuffix("\n") { text.removeLast() }
    self.init(text, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax)
  }
}
