/// A safe name for saving an untrusted file.
package enum FileName {
  /// The maximum size that file systems accept, in bytes (NAME_MAX of Linux).
  package static let bytesMax = 255
  /// The name of a file without a usable name.
  static let nameless = "attachment"
  /// The maximum size of an extension, in bytes; anything longer is part of the name.
  private static let endingBytesMax = 16

  /// Cleans a name so that it is safe to create and to show.
  ///
  /// The result cannot lead to another folder, hide the file, be read as an option, or look
  /// different from what it is. It has at most ``bytesMax`` bytes and keeps its extension.
  package static func clean(_ name: String?) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in (name ?? "").unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned: continue
      case .lineSeparator, .paragraphSeparator, .spaceSeparator: kept.append(" ")
      default:  // open: Unicode.Scalar
        kept.append(scalar == "/" || scalar == "\\" || scalar == ":" ? "_" : scalar)
      }
    }
    var text = String(kept)[...]
    while let first = text.first, first == "." || first == "-" || first == " " || first == "~" {
      text.removeFirst()
    }
    while let last = text.last, last == "." || last == " " { text.removeLast() }
    return cut(text.isEmpty ? nameless : String(text), to: bytesMax)
  }

  /// Numbers a name if files with the same name exist: `report (2).pdf`.
  package static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    let (stem, ending) = parts(of: name)
    let tail = " (\(number))" + ending
    return prefix(of: stem, bytes: bytesMax - tail.utf8.count) + tail
  }

  /// Returns the extension in lower case, such as `pdf`; empty if there is none.
  static func ending(of name: String) -> String {
    parts(of: name).ending.dropFirst().lowercased()
  }

  private static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
      name[dot...].utf8.count <= endingBytesMax
    else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }

  private static func cut(_ name: String, to limit: Int) -> String {
    guard name.utf8.count > limit else { return name }
    let (stem, ending) = parts(of: name)
    return prefix(of: stem, bytes: limit - ending.utf8.count) + ending
  }

  /// Returns the longest prefix of whole scalars that fits into the limit.
  private static func prefix(of text: String, bytes limit: Int) -> String {
    var (result, bytes) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      bytes += UTF8.width(scalar)
      guard bytes <= limit else { break }
      result.append(scalar)
    }
    return String(result)
  }
}
