internal import BellhopClient
internal import BellhopSettings
internal import BellhopText
internal import FoundationEssentials

/// Text with placeholders for an item's values, as in `bellhop list --format`.
///
/// A placeholder is a key of `--json` in braces, such as `{title}`. `{{` and `}}` are braces, `\n`
/// and `\t` a line feed and a tab. Values are made safe for a terminal and stay on one line. A
/// missing value is empty. The parts of a list are separated by commas.
struct ItemTemplate: Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case key(String)
  }

  private let parts: [Part]

  /// The longest value. A line should not exceed a screenful of text.
  private static let valueBytesMax = 64 * 1024

  /// - Throws: `ClientError` that names the part that was not understood.
  init(_ text: String) throws {
    var parts: [Part] = []
    var literal = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        literal.append(character)
        rest.removeFirst()
      case "{":
        guard let end = rest.firstIndex(of: "}") else {
          throw Self.error("a { is not closed")
        }
        let key = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        guard ItemJSON.CodingKeys(rawValue: key) != nil else { throw Self.unknown(key) }
        if !literal.isEmpty { parts.append(.text(literal)) }
        literal = ""
        parts.append(.key(key))
      case "}": throw Self.error("a } has no opening {; write }} for a brace")
      case "\\" where rest.first == "n" || rest.first == "t":
        literal += rest.removeFirst() == "n" ? "\n" : "\t"
      case "\\" where rest.first == "\\": literal.append(rest.removeFirst())
      default: literal.append(character)  // open: Character
      }
    }
    if !literal.isEmpty { parts.append(.text(literal)) }
    self.parts = parts
  }

  /// Returns the text for an item.
  ///
  /// - Throws: `ClientError` if the item cannot be represented in JSON.
  func text(_ item: ItemJSON) throws -> String {
    let line = try JSONLine.encode(item)
    let values: [String: TemplateValue]
    do {
      values = try JSONDecoder().decode([String: TemplateValue].self, from: Data(line.utf8))
    } catch {
      throw ClientError(.software, "An item cannot be printed with the template.")
    }
    return parts.map { part in
      switch part {
      case .text(let text): text
      case .key(let key):
        PrintedText(
          untrusted: values[key]?.text ?? "", lineBreaks: .joined, byteLimit: Self.valueBytesMax
        ).string
      }
    }.joined()
  }

  private static func unknown(_ key: String) -> ClientError {
    let keys = ItemJSON.CodingKeys.allCases.map(\.rawValue)
    let meant = Spelling.nearest(key, in: keys)
    return error(
      "{\(key.prefix(32))} is not a valid key"
        + (meant.map { "; did you mean {\($0)}?" }
          ?? "; the keys are \(keys.joined(separator: " "))"))
  }

  private static func error(_ problem: String) -> ClientError {
    ClientError(
      .usage, "--format: \(problem)\(problem.hasSuffix("?") ? "" : ".")",
      next: "For example: --format '{number} {app}: {title}'")
  }
}

/// A value of an item's JSON, as text.
private struct TemplateValue: Decodable {
  let text: String

  init(from decoder: any Decoder) throws {
    if let list = try? [TemplateValue](from: decoder) {
      text = list.map(\.text).joined(separator: ",")
    } else if let object = try? [String: TemplateValue](from: decoder) {
      // For an action, the title is the most useful value.
      text = object["title"]?.text ?? object.keys.sorted().joined(separator: ",")
    } else {
      let value = try decoder.singleValueContainer()
      if let flag = try? value.decode(Bool.self) {
        text = flag ? "true" : "false"
      } else if let number = try? value.decode(Int64.self) {
        text = String(number)
      } else {
        text = try value.decode(String.self)
      }
    }
  }
}
