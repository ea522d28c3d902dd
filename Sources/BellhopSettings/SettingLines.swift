/// Where each key of a TOML text is set, as a person would look for it; the parser keeps no places.
package struct SettingLines: Sendable {
  private var lines: [String: Int] = [:]

  /// Reads headers and `key = …` lines; what stands inside texts of several lines may be taken for
  /// a key, which is harmless, because only keys that the parser found are looked up.
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

  /// The line, from 1, of a key by its path, such as `limits.body`, or `view[2].name` in the
  /// second table of a list; nil when it is not found.
  package func line(of path: String) -> Int? { lines[path] }
}
