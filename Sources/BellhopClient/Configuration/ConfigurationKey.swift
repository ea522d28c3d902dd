internal import BellhopSettings

/// One key of `config.toml`: what it means, how it is read, and how it is written. The table
/// ``all`` is the only place that knows a key.
package struct ConfigurationKey: Sendable {
  /// What is wrong with the value of a key: with all of it, or with parts of a table.
  struct Misfit: Error, Hashable {
    struct Part: Hashable {
      enum Kind: Hashable {
        /// What was expected, as in "mouse must be …".
        case unexpected(String)
        /// A key that a table does not have, among these.
        case unknown(among: [String])
      }

      /// The whole key when it is another one, such as `keys.dismiss`.
      var key: String?
      var kind: Kind

      init(key: String?, expected: String) {
        self.key = key
        kind = .unexpected(expected)
      }

      init(unknown key: String, among known: [String]) {
        self.key = key
        kind = .unknown(among: known)
      }

      var isUnknown: Bool { if case .unknown = kind { true } else { false } }
    }

    var parts: [Part]

    init(_ parts: [Part]) { self.parts = parts }

    init(key: String? = nil, expected: String) {
      parts = [Part(key: key, expected: expected)]
    }
  }

  /// As it stands in the file; a table's name in brackets is without them.
  var name: String
  /// What it does, in lines of at most 90 characters, for `config default`.
  var help: [String]
  /// An example value as TOML; shown as a comment.
  var example: String
  /// Takes the value of a file.
  var read: @Sendable (TOMLSetting, inout Configuration) throws(Misfit) -> Void
  /// The value that holds, as TOML; nil where there is none.
  var written: @Sendable (Configuration) -> String?
  /// Whether it is a table: ``example`` and ``written`` are then its lines.
  var isTable = false
  /// Whether it is a list of tables: ``written`` has a header for each but the first.
  var isList = false

  /// The line above the lines of a table.
  var header: String { isList ? "[[\(name)]]" : "[\(name)]" }

  static func named(_ name: String) -> ConfigurationKey? { all.first { $0.name == name } }
}

extension ConfigurationKey.Misfit.Part {
  private static let shownMax = 64

  /// What is wrong and what would be right, as one or more sentences.
  ///
  /// - Parameter name: The key in the first table.
  func words(for name: String) -> String {
    let key = key ?? name
    let shown = key.prefix(Self.shownMax)
    switch kind {
    case .unexpected(let expected): return "\(shown) must be \(expected)."
    case .unknown(let known):
      let last = key.split(separator: ".").last.map(String.init) ?? key
      let near = Spelling.nearest(last, in: known)
      if key.hasPrefix("keys.") {
        let meant = near.map { " Did you mean \($0)?" } ?? ""
        return "There is no command \"\(last.prefix(Self.shownMax))\".\(meant) "
          + "bellhop config default lists them."
      }
      if let near { return "\(shown) is not a setting; did you mean \(near)?" }
      return key.contains(".")
        ? "\(shown) is not a setting; [\(name)] has \(known.joined(separator: ", "))."
        : "\(shown) is not a setting; bellhop config default lists them."
    }
  }
}

extension ConfigurationKey {
  /// Every key with what it means, as a file that changes nothing.
  package static var defaultFile: String {
    var text =
      "# Bellhop's config.toml. Everything is commented out: uncomment what you change.\n"
    // Keys behind a table's name would belong to it.
    for key in all.filter({ !$0.isTable }) + all.filter(\.isTable) {
      text += "\n" + key.help.map { "# " + $0 + "\n" }.joined()
      if key.isTable {
        text += "# \(key.header)\n"
        text += key.example.split(separator: "\n").map { "# " + $0 + "\n" }.joined()
      } else {
        text += "# \(key.name) = \(key.example)\n"
      }
    }
    return text
  }

  /// The values that hold, as a file that says the same.
  package static func file(of configuration: Configuration) -> String {
    var text = ""
    for key in all where !key.isTable {
      if let value = key.written(configuration) {
        text += "\(key.name) = \(value)\n"
      } else {
        text += "# \(key.name): not set\n"
      }
    }
    for key in all where key.isTable {
      guard let lines = key.written(configuration), !lines.isEmpty else { continue }
      text += "\n\(key.header)\n\(lines)\n"
    }
    return text
  }

  /// A text as TOML writes it (TOML 1.0, "String": basic strings).
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      default:  // open: Unicode.Scalar
        if scalar.value < 0x20 || scalar.value == 0x7F {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  static func list(_ items: [String]) -> String {
    "[" + items.map(quoted).joined(separator: ", ") + "]"
  }
}
