/// JSON that is safe to print on a terminal.
package enum SafeJSON {
  /// Escapes every control, format and line-breaking character of a JSON text as `\uXXXX`.
  ///
  /// Inside a string, the escape has the same meaning, so a JSON parser reads the same values.
  /// Outside of strings, encoders write none of these characters.
  package static func escaped(_ json: String) -> String {
    var line = ""
    line.unicodeScalars.reserveCapacity(json.unicodeScalars.count)
    for scalar in json.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        for unit in UTF16.encode(scalar) ?? .init([]) { line += hexEscape(unit) }
      default:  // open: Unicode.GeneralCategory
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  private static func hexEscape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
