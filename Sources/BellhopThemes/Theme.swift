public import BellhopScreen

/// How every role looks, under a name.
public struct Theme: Hashable, Sendable {
  public let name: String
  public let styles: StyleSheet

  /// The themes that are always there, whatever is installed. `themes/*.toml` say the same.
  public static let builtIn = [
    dark, light, highContrast, solarizedDark, solarizedLight, gruvbox, nord, catppuccin, dracula,
    mono,
  ]
}

/// Why a theme cannot be used. `Theme.dark` is always there instead.
public struct ThemeError: Error, Hashable, CustomStringConvertible {
  /// The file, or the name that no file was found for.
  public let file: String
  /// Counted from 1; nil when the whole file is meant.
  public let line: Int?
  /// The role, as it is written in the file; nil when the error lies elsewhere.
  public let role: String?
  /// What is wrong, and what would be right.
  public let problem: String

  public var description: String {
    let place = line.map { "\(file), line \($0)" } ?? file
    let subject = role.map { "role '\($0)': " } ?? ""
    return
      "Theme \(place): \(subject)\(problem) The built-in theme is used until this is corrected."
  }
}
