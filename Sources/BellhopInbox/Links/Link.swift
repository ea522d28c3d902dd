import BellhopModel
import BellhopText

/// A link that may be opened or copied (SECURITY-3).
package struct Link: Hashable, Sendable {
  /// The URL, safe to pass as one argument.
  package let url: String

  /// The maximum length of a link that is copied or opened, in bytes.
  package static let bytesMax = 8192
  private static let schemes = ["https://", "http://", "mailto:"]

  /// Creates a link; nil unless `text` is a safe https, http or mailto link.
  ///
  /// Rejects control characters, blanks, invisible characters and user information.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.bytesMax,
      let scheme = Self.schemes.first(where: { text.lowercased().hasPrefix($0) })
    else { return nil }
    let rest = text.dropFirst(scheme.count)
    guard let first = rest.first, first != "-", first != "/", first != "?", first != "#" else {
      return nil
    }
    // A character that would be drawn differently hides something.
    guard !text.contains(where: { $0.isWhitespace || $0 == "\\" || $0 == "\"" }),
      SafeText(text, byteLimit: Self.bytesMax).string == text
    else { return nil }
    if scheme != "mailto:" {
      let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      guard !authority.contains("@") else { return nil }
    }
    url = text
  }
}

/// A link that the user wants to open, and the item that this handles.
package struct LinkOrder: Hashable, Sendable {
  /// An item that counts as handled once its link is open.
  struct Handling: Hashable, Sendable {
    var key: ItemKey
    /// The content that contains the link.
    var seen: ShownVersion
    /// The action that contains the link; nil for the item's own link.
    var action: ItemAction?
  }

  package var link: Link
  /// The item to handle; nil if opening changes nothing, as with an attachment.
  var handling: Handling?

  init(_ link: Link, handling: Handling? = nil) {
    self.link = link
    self.handling = handling
  }
}

extension InboxState {
  /// Records that a link is open, and handles its item.
  mutating func linkOpened(_ order: LinkOrder, _ effects: inout [Effect]) {
    if let handling = order.handling { handle(handling, &effects) }
    notice = Notice(.success, "Opened the link.")
  }

  private mutating func handle(_ handling: LinkOrder.Handling, _ effects: inout [Effect]) {
    guard let action = handling.action else {
      guard let row = currentRow(handling.key), row.version.isSame(as: handling.seen),
        row.action != .activated || row.readState != .read
      else { return }
      return act(.activate, on: row, &effects)
    }
    tell(ActionOrder(key: handling.key, seen: handling.seen, action: action), &effects)
  }

  /// Copies a link that no program opens.
  ///
  /// Does not change the item, because the user has not seen the linked page.
  mutating func linkUnopened(
    _ order: LinkOrder, _ reason: Notice?, _ effects: inout [Effect]
  ) {
    effects.append(.terminal(.copy(order.link.url)))
    notice = reason ?? Notice(.success, "No browser here; the link is copied.")
  }
}
