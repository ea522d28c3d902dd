internal import BellhopSettings

/// What `config.toml` says. Every key is optional; a promise once released.
package struct Configuration: Sendable, Hashable {
  /// `theme = "bellhop-light"`: a theme's name.
  package var theme: String?
  /// `mouse = false` leaves selection to the terminal.
  package var mouse = true
  /// `time-zone = "Europe/Berlin"` overrides the machine's.
  package var timeZone: String?
  /// `escape-delay = 25`: milliseconds to wait for the rest of a key's bytes, 1 to 1,000.
  package var escapeDelay: Int?
  /// `channel = "polling"` keeps no connection open.
  package var usesPolling = false
  /// `ca-file = "/etc/bellhop/ca.pem"`: certificate authorities trusted beside the system's.
  package var authorityFile: String?
  /// `accounts = ["home", "work"]`: what the screen opens, in this order; nil for all.
  package var accounts: [String]?
  /// `tray = "per-account"` shows one account at a time.
  package var isTrayMerged = true
  /// `[keys]`: a command's id to the keys that mean it.
  package var keys: [String: [String]] = [:]

  package init() {}

  /// The settings in `path`; the defaults when there is no such file.
  ///
  /// - Throws: ``ClientError`` that names file, line and key. The program does not start with
  ///   half a configuration.
  package init(path: String) throws {
    try self.init(text: try PrivateFile.read(path, isSecret: false) ?? "", path: path)
  }

  /// The settings in `text`; `path` is for the messages.
  package init(text: String, path: String) throws {
    let settings: [String: TOMLSetting]
    do throws(TOMLSource.Failure) {
      settings = try TOMLSource.settings(text)
    } catch {
      throw Self.failure(path, line: error.line, error.problem)
    }
    for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
      func invalid(_ expected: String) -> ClientError {
        Self.failure(path, line: Self.line(of: key, in: text), "\(key) is to be \(expected)")
      }
      switch key {
      case "theme":
        guard case .text(let name) = value else { throw invalid("a theme's name in quotes") }
        theme = name
      case "mouse":
        guard case .flag(let isOn) = value else { throw invalid("true or false") }
        mouse = isOn
      case "time-zone":
        guard case .text(let zone) = value, !zone.isEmpty else {
          throw invalid("a zone's name such as \"Europe/Berlin\"")
        }
        timeZone = zone
      case "escape-delay":
        guard case .number(let delay) = value, (1...1000).contains(delay) else {
          throw invalid("a number of milliseconds from 1 to 1000")
        }
        escapeDelay = delay
      case "channel":
        guard case .text(let channel) = value, ["signal", "polling"].contains(channel) else {
          throw invalid("\"signal\" or \"polling\"")
        }
        usesPolling = channel == "polling"
      case "ca-file":
        guard case .text(let file) = value, file.hasPrefix("/") else {
          throw invalid("the absolute path of a file with certificates in PEM")
        }
        authorityFile = file
      case "accounts":
        guard case .list(let items) = value, !items.isEmpty else {
          throw invalid("a list of accounts' names such as [\"home\", \"work\"]")
        }
        accounts = try items.map { item in
          guard case .text(let name) = item else { throw invalid("a list of names in quotes") }
          return name
        }
      case "tray":
        guard case .text(let tray) = value, ["merged", "per-account"].contains(tray) else {
          throw invalid("\"merged\" or \"per-account\"")
        }
        isTrayMerged = tray == "merged"
      case "keys":
        guard case .table(let bindings) = value else { throw invalid("a table: [keys]") }
        keys = try Self.bindings(bindings, in: text, path: path)
      default:
        throw Self.failure(
          path, line: Self.line(of: key, in: text),
          "\(key) is not a setting; there are theme, mouse, time-zone, escape-delay, channel, "
            + "ca-file, accounts, tray, [keys]"
        )
      }
    }
  }

  private static func bindings(
    _ table: [String: TOMLSetting], in text: String, path: String
  ) throws -> [String: [String]] {
    try table.reduce(into: [:]) { keys, binding in
      let (command, value) = binding
      let list: [TOMLSetting] = if case .list(let list) = value { list } else { [value] }
      keys[command] = try list.map { item in
        guard case .text(let key) = item else {
          throw failure(
            path, line: line(of: command, in: text),
            "keys.\(command) is to be a key such as \"Ctrl-d\", or a list of them")
        }
        return key
      }
    }
  }

  private static func failure(_ path: String, line: Int?, _ message: String) -> ClientError {
    let place = line.map { "\(path), line \($0)" } ?? path
    return ClientError(
      .configuration, "\(place): \(message).",
      next: "Nothing was started or changed. Mend the line, or move the file away.")
  }

  /// The line a key stands in, from 1; TOMLKit keeps positions for syntax errors only.
  private static func line(of key: String, in text: String) -> Int? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.firstIndex { line in
      let trimmed = line.drop { $0 == " " || $0 == "\t" || $0 == "[" || $0 == "\"" }
      return trimmed.hasPrefix(key)
    }.map { $0 + 1 }
  }
}
