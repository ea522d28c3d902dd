/// A name under which a stranger's file may be kept.
package enum FileName {
  /// What file systems take (NAME_MAX of Linux).
  package static let bytesMax = 255
  /// For a file whose name says nothing.
  static let nameless = "attachment"
  /// A longer ending is part of the name.
  private static let endingBytesMax = 16

  /// The name without anything that could lead elsewhere, hide the file, be read as an option, or be
  /// drawn as something else than it is; at most ``bytesMax``, its ending kept.
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

  /// `report (2).pdf`: the name when others of it are there already.
  package static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    let (stem, ending) = parts(of: name)
    let tail = " (\(number))" + ending
    return prefix(of: stem, bytes: bytesMax - tail.utf8.count) + tail
  }

  /// `pdf`, in lower case; empty for a name without an ending.
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

  /// Whole characters, or scalars where one character is longer than that.
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
