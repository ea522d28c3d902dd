package import BellhopModel
package import BellhopText

/// A file that an item carries, or a link to one, as the screen shows it.
package struct ItemAttachment: Hashable, Sendable {
  /// Where its bytes are.
  package enum Place: Hashable, Sendable {
    /// At the account's store, by its id there.
    case store(id: String)
    /// Elsewhere: it is opened like any link, and never fetched by this program.
    case link(Link)
    case nowhere
  }

  /// As it is drawn.
  package var name: SafeText
  /// Under which it is kept.
  package var fileName: String
  /// As the store says it.
  package var type: SafeText?
  /// In bytes, where it is known.
  package var size: Int?
  package var place: Place
  /// When the store removes it before its item; nil where it stays as long.
  package var expires: Timestamp?

  /// More are not shown; a store takes fewer.
  package static let countMax = 16
  private static let typeBytesMax = 64

  package init(_ attachment: ContentExtras.Attachment) {
    let place = Self.place(of: attachment.url)
    let isNamed = attachment.name.map { $0.contains { !$0.isWhitespace } } ?? false
    fileName = FileName.clean(isNamed ? attachment.name : nil)
    if !isNamed, case .link(let link) = place {
      name = SafeText(link.url, byteLimit: FileName.bytesMax)
    } else {
      name = SafeText(fileName, byteLimit: FileName.bytesMax)
    }
    type = attachment.type.map { SafeText($0, byteLimit: Self.typeBytesMax) }
    size = attachment.size.flatMap { $0 >= 0 ? $0 : nil }
    self.place = place
    if case .store = place { expires = attachment.expires }
  }

  private static let storePrefix = "/file/"
  /// A store's ids are 128 bits and more; this is room for any of them.
  private static let idBytesMax = 128

  private static func place(of url: String) -> Place {
    guard url.hasPrefix(storePrefix) else { return Link(url).map { .link($0) } ?? .nowhere }
    let id = url.dropFirst(storePrefix.count)
    let isID = !id.isEmpty && id.utf8.count <= idBytesMax && id.utf8.allSatisfy(isOfID)
    return isID ? .store(id: String(id)) : .nowhere
  }

  /// Base64 for URLs (RFC 4648 §5): nothing that leads to another path.
  private static func isOfID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false  // open: UInt8
    }
  }

  /// Whether its name says that it only shows something: anything else is asked about before it is
  /// opened, because opening may mean running it.
  var isHarmless: Bool { Self.harmlessEndings.contains(FileName.ending(of: fileName)) }

  private static let harmlessEndings: Set<String> = [
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "txt", "log", "md", "csv", "json",
    "pdf", "mp3", "ogg", "opus", "flac", "wav", "mp4", "webm", "mkv", "mov",
  ]

  /// `build.log · text/plain · 1.2 MB`
  package var words: SafeText {
    var parts = [name]
    if let type, !type.isEmpty { parts.append(type) }
    if let size { parts.append(SafeText(Self.text(ofBytes: size))) }
    if case .nowhere = place { parts.append("not to be had: its address is none") }
    return SafeText.joined(parts, by: " · ")
  }

  /// The same with when it ends, as far as that is before its item's end: `· until Fri 12:00`.
  func words(at time: TimeText) -> SafeText {
    guard let expires else { return words }
    return words + " · "
      + (expires > time.now ? "until " + time.moment(expires) : "no longer in the store")
  }

  /// `999 B`, `1.2 kB`, `25 MB`: thousands, as file managers count.
  package static func text(ofBytes bytes: Int) -> String {
    var (value, unit) = (Double(max(0, bytes)), "B")
    for next in ["kB", "MB", "GB", "TB"] where value >= 999.5 {
      (value, unit) = (value / 1000, next)
    }
    guard unit != "B", value < 9.95 else { return "\(Int(value.rounded())) \(unit)" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}

/// A file that the person wants fetched from their store.
package struct AttachmentOrder: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    /// Into the folder of downloads.
    case save
    /// Into a folder of the program's own, to be shown by the desktop.
    case open
    /// The same, to be shown on the screen.
    case preview
  }

  package var serial: Int
  package var account: AccountName
  /// The store's id of the file.
  package var id: String
  /// Cleaned by ``FileName/clean(_:)``.
  package var fileName: String
  /// More is not taken, whatever the store says.
  package var bytesMax: Int
  package var purpose: Purpose
}

/// What came of it.
package enum AttachmentOutcome: Hashable, Sendable {
  /// The file is there, whole.
  case saved(path: String)
  /// It is there, and a program of the desktop shows it.
  case opened
  /// It is there, and this is what there is to see of it.
  case previewed(PreviewContent)
  /// It is there, but no desktop is.
  case unopened(path: String)
  case cancelled
  /// In words; nothing is left of it.
  case failed(SafeText)
}
