/// A value of a TOML file, without the types of the parser.
package enum TOMLValue: Hashable, Sendable {
  case text(String)
  case flag(Bool)
  case number(Int)
  case list([TOMLValue])
  case table([String: TOMLValue])
  /// A date, a time or a fraction, which no setting takes.
  case other

  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  package var number: Int? { if case .number(let number) = self { number } else { nil } }
  package var list: [TOMLValue]? { if case .list(let list) = self { list } else { nil } }
  package var table: [String: TOMLValue]? {
    if case .table(let table) = self { table } else { nil }
  }

  /// The number, if it is in the range.
  package func number(in range: ClosedRange<Int>) -> Int? {
    number.flatMap { range.contains($0) ? $0 : nil }
  }

  /// The items of a list, or this one value, each read by `item`; nil if one cannot be read.
  package func each<Item>(_ item: (TOMLValue) -> Item?) -> [Item]? {
    let values = list ?? [self]
    let items = values.compactMap(item)
    return items.count == values.count ? items : nil
  }
}

/// Values as TOML.
package enum TOMLText {
  /// A basic string of TOML 1.0, in quotes on one line.
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

  /// A literal string of TOML 1.0, which needs no backslashes; a basic string if the text cannot be one.
  package static func literal(_ text: String) -> String {
    let canBeLiteral = text.unicodeScalars.allSatisfy { scalar in
      scalar == "\t" || scalar.value >= 0x20 && scalar.value != 0x7F && scalar != "'"
    }
    return canBeLiteral ? "'" + text + "'" : quoted(text)
  }

  /// A list of texts.
  package static func list(_ texts: [String]) -> String { array(texts.map(quoted)) }

  /// A list of values that are TOML already.
  package static func array(_ values: [String]) -> String {
    "[" + values.joined(separator: ", ") + "]"
  }
}
