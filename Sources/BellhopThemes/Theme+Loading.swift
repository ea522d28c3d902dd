import BellhopScreen
import FoundationEssentials

extension Theme {
  /// The maximum size of a theme file, in bytes.
  package static let fileBytesMax = 65_536
  /// The maximum length of a chain of themes that inherit from each other.
  package static let inheritanceMax = 8

  /// Loads a theme by name, or from a file.
  ///
  /// - Parameters:
  ///   - name: A name, or a path if it contains a slash, as the user wrote it.
  ///   - searchPath: Folders that are searched for `NAME.toml`, in order; the built-in themes come
  ///     last.
  /// - Throws: `ThemeError`, which names the file, the line and the role.
  package static func load(_ name: String, searchPath: [String]) throws(ThemeError) -> Theme {
    try load(name, searchPath: searchPath, inheritedBy: [])
  }

  /// Returns every theme name that `load` finds, sorted.
  package static func names(searchPath: [String]) -> [String] {
    var names = Set(builtIn.map(\.name))
    for folder in searchPath {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for file in files where file.hasSuffix(".toml") { names.insert(String(file.dropLast(5))) }
    }
    return names.sorted()
  }

  private static func load(
    _ name: String, searchPath: [String], inheritedBy heirs: [String]
  ) throws(ThemeError) -> Theme {
    guard let file = try locate(name, searchPath: searchPath, heirs: heirs) else {
      if let theme = builtIn.first(where: { $0.name == name }) { return theme }
      let known = names(searchPath: searchPath).joined(separator: ", ")
      throw ThemeError(
        file: heirs.last ?? name, line: nil, role: nil,
        problem: "There is no theme '\(name)'. Available themes: \(known).")
    }
    let source = try read(file)
    let parsed = try ThemeParser(file: file, source: source).parse()
    guard let parent = parsed.inherit else {
      return Theme(
        name: parsed.name ?? name, styles: StyleSheet(parsed.styles),
        background: parsed.background ?? painted(parsed.styles) ?? .any)
    }
    guard heirs.count < inheritanceMax else {
      throw ThemeError(
        file: file, line: nil, role: nil,
        problem: "'inherit' forms a cycle, or a chain of more than \(inheritanceMax) themes.")
    }
    let inherited = try load(parent, searchPath: searchPath, inheritedBy: heirs + [file])
    var styles = inherited.styles
    for (role, style) in parsed.styles { styles[role] = style }
    return Theme(
      name: parsed.name ?? name, styles: styles,
      background: parsed.background ?? painted(parsed.styles) ?? inherited.background)
  }

  /// Returns the background of a file that paints one for its text; files of 0.1.0 have no
  /// `background`.
  private static func painted(_ styles: [StyleRole: Style]) -> Background? {
    guard let color = styles[.text]?.background, color != .default else { return nil }
    return .color(color)
  }

  /// Finds the file for a name; nil if only a built-in theme can have the name.
  ///
  /// A theme that inherits from its own name means the next one on the search path, or the built-in
  /// one.
  private static func locate(
    _ name: String, searchPath: [String], heirs: [String]
  ) throws(ThemeError) -> String? {
    if name.contains("/") { return name }
    let isName = name.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D
        || byte == 0x5F
    }
    guard isName, !name.isEmpty else {
      throw ThemeError(
        file: heirs.last ?? name, line: nil, role: nil,
        problem: "'\(name)' is not a valid theme name. Use letters, digits, '-' and '_', or a path."
      )
    }
    return searchPath.map { "\($0)/\(name).toml" }
      .first { !heirs.contains($0) && FileManager.default.fileExists(atPath: $0) }
  }

  private static func read(_ file: String) throws(ThemeError) -> String {
    let problem: String
    do {
      let bytes = try Data(contentsOf: URL(filePath: file))
      if bytes.count > fileBytesMax {
        problem = "The file is too large: a theme can have at most \(fileBytesMax) bytes."
      } else if let text = String(validating: bytes, as: UTF8.self) {
        return text
      } else {
        problem = "The file is not UTF-8. Save it as UTF-8."
      }
    } catch {
      problem = "The file cannot be read. Check that it exists, and its permissions."
    }
    throw ThemeError(file: file, line: nil, role: nil, problem: problem)
  }
}
