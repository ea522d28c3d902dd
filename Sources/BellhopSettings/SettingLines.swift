/// The lines of the settings of a TOML text, which the parser does not keep.
package struct SettingLines: Sendable {
  private var lines: [String: Int] = [:]

  /// Reads headers and `key = …` lines.
  ///
  /// Lines inside of long texts may be taken for settings. That is harmless, because only settings
  /// that the parser found are requested.
  package init(_ text: String) {
    var prefix = ""
    var counts: [String: Int] = [:]
    let all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in all.enumerated() {
      let plain = line.filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
      if plain.hasPrefix("[") {
        let name = String(plain.drop { $0 == "[" }.prefix { $0 != "]" })
        prefix = name + "."
        note(name, index + 1)
        if plain.hasPrefix("[[") {
          counts[name, default: 0] += 1
          prefix = "\(name)[\(counts[name] ?? 1)]."
          note(String(prefix.dropLast()), index + 1)
        }
      } else if let equals = plain.firstIndex(of: "="), plain.first != "#" {
        let parts = plain[..<equals].split(separator: ".")
        for count in parts.indices {
          note(prefix + parts[...count].joined(separator: "."), index + 1)
        }
      }
    }
  }

  private mutating func note(_ path: String, _ line: Int) {
    if lines[path] == nil { lines[path] = line }
  }

  /// The line, from 1, of a setting by its path, or of the nearest table around it.
  ///
  /// - Parameter path: Such as `limits.body`, or `view[2].name` in the second table of a list.
  package func line(of path: String) -> Int? {
    if let line = lines[path] { return line }
    guard let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
    return line(of: String(path[..<end]))
  }
}
