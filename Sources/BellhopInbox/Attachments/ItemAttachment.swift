package import BellhopModel
package import BellhopText

/// A file of an item, or a link to one, as the screen shows it.
package struct ItemAttachment: Hashable, Sendable {
  /// The location of the file's contents.
  package enum Place: Hashable, Sendable {
    /// The account's store, with the file's id there.
    case store(id: String)
    /// A location elsewhere, opened like any link and never fetched by this program.
    case link(Link)
    case nowhere
  }

  /// The name as drawn on the screen.
  package var name: SafeText
  /// The name under which the file is saved.
  package var fileName: String
  /// The media type, as reported by the store.
  package var type: SafeText?
  /// The size in bytes, if known.
  package var size: Int?
  package var place: Place
  /// The time when the store removes the file before its item; nil if it stays as long.
  package var expires: Timestamp?

  /// The maximum number of attachments that are shown; a store accepts fewer.
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
  /// The maximum size of an id, in bytes; a store's ids have 128 bits or more.
  private static let idBytesMax = 128

  private static func place(of url: String) -> Place {
    guard url.hasPrefix(storePrefix) else { return Link(url).map { .link($0) } ?? .nowhere }
    let id = url.dropFirst(storePrefix.count)
    // The bytes of base64url (RFC 4648 §5), so that an id cannot lead to another path.
    let isID = !id.isEmpty && id.utf8.count <= idBytesMax && id.isASCIIAlphanumeric(or: "-_")
    return isID ? .store(id: String(id)) : .nowhere
  }

  /// Whether the extension belongs to a harmless format.
  ///
  /// The user is asked before anything else is opened, because opening it may run it.
  var isHarmless: Bool { Self.harmlessEndings.contains(FileName.ending(of: fileName)) }

  private static let harmlessEndings: Set<String> = [
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "txt", "log", "md", "csv", "json",
    "pdf", "mp3", "ogg", "opus", "flac", "wav", "mp4", "webm", "mkv", "mov",
  ]

  /// The name, type and size: `build.log · text/plain · 1.2 MB`.
  package var words: SafeText {
    var parts = [name]
    if let type, !type.isEmpty { parts.append(type) }
    if let size { parts.append(SafeText(Self.text(ofBytes: size))) }
    if case .nowhere = place { parts.append("unavailable: its address is not valid") }
    return SafeText.joined(parts, by: " · ")
  }

  /// Returns the same with the expiry, if it is before the item's: `· until Fri 12:00`.
  func words(at time: TimeText) -> SafeText {
    guard let expires else { return words }
    return words + " · "
      + (expires > time.now ? "until " + time.moment(expires) : "no longer in the store")
  }

  /// Formats a size with powers of 1000, as file managers do: `999 B`, `1.2 kB`, `25 MB`.
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

/// A file that the user wants to fetch from the store.
package struct AttachmentOrder: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    /// Saves the file in the downloads folder.
    case save
    /// Saves the file in a private folder of the program, and opens it on the desktop.
    case open
    /// Saves the file in the same folder, and shows it on the screen.
    case preview
  }

  package var serial: Int
  package var account: AccountName
  /// The file's id at the store.
  package var id: String
  /// The name, cleaned by ``FileName/clean(_:)``.
  package var fileName: String
  /// The maximum number of bytes accepted, regardless of what the store reports.
  package var bytesMax: Int
  package var purpose: Purpose
}

/// The outcome of a fetch.
package enum AttachmentOutcome: Hashable, Sendable {
  /// The file is saved completely.
  case saved(path: String)
  /// The file is saved, and a program of the desktop shows it.
  case opened
  /// The file is saved; carries its preview.
  case previewed(PreviewContent)
  /// The file is saved, but there is no desktop to open it.
  case unopened(path: String)
  case cancelled
  /// The fetch failed, for this reason; nothing is left of the file.
  case failed(SafeText)
}
