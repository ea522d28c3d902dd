internal import BellhopClient
internal import BellhopScreen
internal import BellhopSettings
internal import BellhopText
internal import BellhopThemes
internal import Glibc

/// The available themes, and the current one on the terminal's background.
final class ThemeCatalog {
  private let context: ClientContext
  /// The folders that contain themes. The program's own folder is determined once.
  private let searchPath: [String]
  /// The theme of the configuration or the command line; nil if the background decides.
  private var chosen: String?
  /// The theme on trial.
  private var tried: String?
  /// The default theme at the start of a trial. Selecting it again means to follow the background.
  private var followed: String?
  /// The terminal's background; nil until it is known.
  private var background: Color?
  private var shown: StyleSheet?
  private var stamp: Stamp?

  /// The properties of a file that change with every edit.
  private struct Stamp: Hashable {
    var device: UInt64
    var file: UInt64
    var bytes: Int64
    var seconds: Int64
    var nanoseconds: Int64
  }

  /// - Parameters:
  ///   - chosen: The theme of the configuration or the command line.
  ///   - background: The saved background of the terminal; nil for that of `COLORFGBG`.
  init(_ context: ClientContext, chosen: String?, background: Color?) {
    self.context = context
    searchPath = ThemeChoice.searchPath(context)
    self.chosen = chosen
    self.background = background ?? ThemeChoice.background(context.environment)
    stamp = Self.stamp(file(of: current))
  }

  /// The current theme, as the user wrote it.
  var current: String { tried ?? chosen ?? Theme.unchosen(on: background).name }

  /// The names of all themes.
  var names: [String] { Theme.names(searchPath: searchPath) }

  /// Returns the styles of the current theme and its problem, if any.
  func styles() -> (styles: StyleSheet, problem: String?) {
    let name = current
    stamp = Self.stamp(file(of: name))
    let result = ThemeChoice.styles(named: name, on: background, context: context)
    shown = result.styles
    return result
  }

  /// Returns the names of all themes, and the theme at the start of the trial.
  func beginTrial() -> (names: [String], current: String) {
    followed = chosen == nil ? current : nil
    return (names, current)
  }

  /// Makes a theme the current one, and returns its styles and its problem, if any.
  func show(_ name: String) -> (styles: StyleSheet, problem: String?) {
    tried = name == chosen ?? followed ? nil : name
    return styles()
  }

  /// Applies the terminal's background, and saves it for the next start.
  ///
  /// - Returns: The styles if they have changed; otherwise nil.
  func follow(_ background: Color) -> (styles: StyleSheet, problem: String?)? {
    self.background = background
    // The next start queries it again.
    try? ScreenMemory(context).keep(background)
    let before = shown
    let styles = styles().styles
    return styles == before ? nil : (styles, nil)
  }

  /// Returns the styles again if the theme's file has changed; otherwise nil.
  func reload() -> (styles: StyleSheet, problem: String?)? {
    Self.stamp(file(of: current)) == stamp ? nil : styles()
  }

  /// Writes the name into `config.toml`, and leaves everything else unchanged.
  ///
  /// - Throws: `ClientError`. The file is then unchanged.
  func keep(_ name: String) throws {
    let path = context.configPath
    let text = try PrivateFile.read(path, isSecret: false) ?? ""
    try Directories.make(context.directories.config)
    try ConfigurationEdit.write(
      ConfigurationEdit.setting("theme", to: TOMLText.quoted(name), in: text), to: path)
    chosen = name
    tried = nil
  }

  /// Returns the file of a theme; nil for a built-in theme.
  private func file(of name: String) -> String? {
    if name.contains("/") { return name }
    return searchPath.map { "\($0)/\(name).toml" }.first { access($0, F_OK) == 0 }
  }

  private static func stamp(_ path: String?) -> Stamp? {
    var status = stat()
    guard let path, stat(path, &status) == 0 else { return nil }
    return Stamp(
      device: UInt64(status.st_dev), file: UInt64(status.st_ino), bytes: Int64(status.st_size),
      seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
  }
}

/// An edit of a single key in the user's file. Comments, order and blanks stay.
enum ConfigurationEdit {
  /// Returns the text with a key of the first table set to a value. A new key is inserted at the
  /// top.
  static func setting(_ key: String, to value: String, in text: String) -> String {
    // Splits bytes, because a carriage return and its line feed are one character.
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let end = lines.firstIndex { $0.drop { $0 == " " || $0 == "\t" }.hasPrefix("[") } ?? lines.count
    for index in lines[..<end].indices {
      let line = lines[index]
      guard let equals = line.firstIndex(of: "="),
        String(line[..<equals]).trimmed == key || String(line[..<equals]).trimmed == "\"\(key)\""
      else { continue }
      let comment = comment(behind: line[line.index(after: equals)...])
      lines[index] = String(line[...equals]) + " " + value + comment
      return lines.joined(separator: "\n")
    }
    return "\(key) = \(value)\n" + text
  }

  /// Returns the comment after a value, with the blanks before it.
  private static func comment(behind value: Substring) -> String {
    var quote: Character?
    var isEscaped = false
    for index in value.indices {
      let character = value[index]
      if isEscaped {
        isEscaped = false
      } else if let open = quote {
        if character == "\\", open == "\"" { isEscaped = true }
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == "#" {
        let blanks = value[..<index].reversed().prefix { $0 == " " || $0 == "\t" }
        return String(blanks.reversed()) + value[index...]
      }
    }
    return value.last == "\r" ? "\r" : ""
  }

  /// Replaces the content of the file, following links and keeping its permissions.
  ///
  /// - Throws: `ClientError`, also if the text would not be a valid configuration. The file is
  ///   then unchanged.
  static func write(_ text: String, to path: String) throws {
    _ = try Configuration(text: text, path: path)
    var target = path
    if let resolved = realpath(path, nil) {
      target = String(cString: resolved)
      free(resolved)
    }
    var status = stat()
    let isThere = stat(target, &status) == 0
    try PrivateFile.write(text, to: target)
    if isThere { chmod(target, status.st_mode & 0o7777) }
  }
}
