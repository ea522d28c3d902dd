internal import BellhopClient
internal import BellhopScreen
internal import BellhopText
internal import BellhopThemes
internal import Glibc

/// The themes that the screen can show, and the one that it shows on the terminal's background.
final class ThemeShelf {
  private let context: ClientContext
  /// Where themes are looked for; the program's own folder is asked of the system, once.
  private let searchPath: [String]
  /// The theme of the configuration or the command line; nil if the background decides.
  private var chosen: String?
  /// The theme that is tried.
  private var tried: String?
  /// The default theme at the start of a trial: going back to it follows the background again.
  private var followed: String?
  /// The terminal's background; nil while it is not known.
  private var background: Color?
  private var shown: StyleSheet?
  private var stamp: Stamp?

  /// What of a file changes with every edit of it.
  private struct Stamp: Hashable {
    var device: UInt64
    var file: UInt64
    var bytes: Int64
    var seconds: Int64
    var nanoseconds: Int64
  }

  /// - Parameters:
  ///   - chosen: The theme of the configuration or the command line.
  ///   - background: The terminal's background as it is remembered; nil takes that of `COLORFGBG`.
  init(_ context: ClientContext, chosen: String?, background: Color?) {
    self.context = context
    searchPath = ThemeChoice.searchPath(context)
    self.chosen = chosen
    self.background = background ?? ThemeChoice.background(context.environment)
    stamp = Self.stamp(file(of: current))
  }

  /// The theme that is shown, as the person wrote it.
  var current: String { tried ?? chosen ?? Theme.unchosen(on: background).name }

  /// The names of all.
  var names: [String] { Theme.names(searchPath: searchPath) }

  /// The styles of the theme that is shown, and what is wrong with it.
  func styles() -> (styles: StyleSheet, problem: String?) {
    let name = current
    stamp = Self.stamp(file(of: name))
    let result = ThemeChoice.styles(named: name, on: background, context: context)
    shown = result.styles
    return result
  }

  /// The names of all, and the theme that the trial begins with.
  func beginTrial() -> (names: [String], current: String) {
    followed = chosen == nil ? current : nil
    return (names, current)
  }

  /// The styles of a theme, which is shown from now on, and what is wrong with it.
  func show(_ name: String) -> (styles: StyleSheet, problem: String?) {
    tried = name == chosen ?? followed ? nil : name
    return styles()
  }

  /// Takes the terminal's background, and keeps it for the next start.
  ///
  /// - Returns: the styles if they have changed, else nil.
  func follow(_ background: Color) -> (styles: StyleSheet, problem: String?)? {
    self.background = background
    // The next start asks again.
    try? ScreenMemory(context).keep(background)
    let before = shown
    let styles = styles().styles
    return styles == before ? nil : (styles, nil)
  }

  /// The styles again when the theme's file has changed since; nil when it has not.
  func reload() -> (styles: StyleSheet, problem: String?)? {
    Self.stamp(file(of: current)) == stamp ? nil : styles()
  }

  /// Writes the name into `config.toml`; everything else stays as it is.
  ///
  /// - Throws: ``ClientError``; the file is then as it was.
  func keep(_ name: String) throws {
    let path = context.configPath
    let text = try PrivateFile.read(path, isSecret: false) ?? ""
    try Directories.make(context.directories.config)
    try ConfigurationEdit.write(
      ConfigurationEdit.setting("theme", to: ConfigurationKey.quoted(name), in: text), to: path)
    chosen = name
    tried = nil
  }

  /// The file a theme comes from; nil for one that is built in.
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

/// Changes one key of a person's file and nothing else: comments, order and blanks stay.
enum ConfigurationEdit {
  /// The text with a key of the first table set to a value; a key that is not there comes first.
  static func setting(_ key: String, to value: String, in text: String) -> String {
    // By bytes: a carriage return and its line feed are one character.
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

  /// The comment behind a value, with the blanks before it.
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

  /// Puts the text in the place of the file, through links, with the rights it had.
  ///
  /// - Throws: ``ClientError``, also when the text could not be read back as a configuration; the
  ///   file is then as it was.
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
