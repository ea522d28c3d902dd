/// A writer of a manual page in roff, with the macros of man(7).
struct RoffWriter {
  private var lines: [String] = []

  /// The page written so far.
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// Begins the page.
  ///
  /// - Parameters:
  ///   - source: The program and its version, for the footer.
  init(name: String, section: Int, source: String) {
    let quoted = [name.uppercased(), "\(section)", "", source, "Bellhop Manual"]
      .map { "\"\(Self.escaped($0, as: .literal))\"" }.joined(separator: " ")
    lines = [
      ".TH " + quoted,
      // Words are neither hyphenated nor spaced out: many of them are commands. The macros set
      // both again with each paragraph, from these (groff_man(7)).
      ".nr HY 0", ".ds AD l", ".nh", ".ad l",
    ]
  }

  mutating func section(_ title: String) {
    lines.append(".SH " + Self.escaped(title.uppercased(), as: .prose))
  }

  mutating func subsection(_ title: String) {
    lines.append(".SS " + Self.escaped(title, as: .literal))
  }

  /// Writes a paragraph, such as a description of an option.
  mutating func paragraph(plain text: String) {
    lines += [".PP", Self.escaped(text, as: .prose)]
  }

  /// Begins an entry: a tag, and below it the indented text.
  mutating func entry(tag: String, plain text: String) {
    lines += [".TP", tag, text.isEmpty ? "\\&" : Self.escaped(text, as: .prose)]
  }

  /// Writes lines as they are, below a paragraph or below the text of an entry.
  mutating func code(_ code: [String], inEntry isInEntry: Bool = false) {
    lines += [".sp", isInEntry ? ".RS" : ".RS 2", ".EX"]
    lines += code.map { Self.escaped($0, as: .literal) }
    lines += [".EE", ".RE"]
  }

  /// Writes lines that contain roff already.
  mutating func raw(_ raw: [String]) { lines += raw }

  // MARK: - Text

  /// The meaning of characters that roff replaces by typographic ones.
  enum Style {
    /// Text to read, in which an apostrophe is a curved one.
    case prose
    /// Text to type: each character is the one that is written.
    case literal
  }

  /// Returns the text without the characters that have a meaning in roff (groff_char(7)).
  static func escaped(_ text: String, as style: Style) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      // A plain hyphen is printed as another character, which shells do not take for an option.
      case "-": result += "\\-"
      case "'": result += style == .literal ? "\\(aq" : "'"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      case "\n", "\t": result += " "
      case " "..."~": result.unicodeScalars.append(scalar)
      default:  // open: Unicode.Scalar
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    // A dot or an apostrophe at the beginning of a line starts a request.
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }

  static func bold(_ text: String) -> String { "\\fB" + escaped(text, as: .literal) + "\\fR" }
  static func italic(_ text: String) -> String { "\\fI" + escaped(text, as: .literal) + "\\fR" }
}
