package import BellhopModel

/// The searchable texts of an item, one for each column of the index.
package struct SearchText: Hashable, Sendable {
  package var title: String?
  package var subtitle: String?
  package var body: String?
  package var app: String
  package var group: String?
  package var tags: String?

  package init(_ content: Content) {
    title = content.visual?.title
    subtitle = content.visual?.subtitle
    body = content.visual?.body
    app = content.app
    group = content.group
    tags = TagText.encode(content.tags)
  }

  /// The texts that are present.
  package var fields: [String] { [title, subtitle, body, app, group, tags].compactMap { $0 } }
}

/// The encoding of an item's tags in one text column.
///
/// Contains one tag a line, or is nil without tags. A backslash escapes line feeds and backslashes
/// within a tag.
package enum TagText {
  package static func encode(_ tags: [String]) -> String? {
    guard !tags.isEmpty else { return nil }
    return tags.map { tag in
      guard tag.utf8.contains(where: { $0 == 0x0A || $0 == 0x5C }) else { return tag }
      return tag.unicodeScalars.reduce(into: "") { text, scalar in
        switch scalar {
        case "\n": text += "\\n"
        case "\\": text += "\\\\"
        default: text.unicodeScalars.append(scalar)  // open: Unicode.Scalar
        }
      }
    }.joined(separator: "\n")
  }

  package static func decode(_ text: String?) -> [String] {
    guard let text else { return [] }
    return text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      guard line.contains(0x5C) else { return String(decoding: line, as: UTF8.self) }
      var bytes: [UInt8] = []
      var isEscaped = false
      for byte in line {
        if isEscaped {
          bytes.append(byte == 0x6E ? 0x0A : byte)
          isEscaped = false
        } else if byte == 0x5C {
          isEscaped = true
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
