import BellhopModel
import BellhopText

/// A link that may be opened or copied (SECURITY-3).
package struct Link: Hashable, Sendable {
  /// Safe to hand over as one argument.
  package let url: String

  /// The longest link that is copied or opened.
  package static let bytesMax = 8192
  private static let schemes = ["https://", "http://", "mailto:"]

  /// Nil unless `text` is an https, http or mailto link without control characters, blanks,
  /// invisible characters or user information.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.bytesMax,
      let scheme = Self.schemes.first(where: { text.lowercased().hasPrefix($0) })
    else { return nil }
    let rest = text.dropFirst(scheme.count)
    guard let first = rest.first, first != "-", first != "/", first != "?", first != "#" else {
      return nil
    }
    // Whatever would be drawn as something else than itself hides something.
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

/// A link that the person wants opened, and what they handle by it.
package struct LinkOrder: Hashable, Sendable {
  /// An item that counts as handled once its link is open.
  struct Handling: Hashable, Sendable {
    var key: ItemKey
    /// The content that has the link.
    var seen: SequenceNumber
    /// The action whose link it is; nil for the item's own.
    var action: ItemAction?
  }

  package var link: Link
  /// Nil where opening changes nothing, as with an attachment.
  var handling: Handling?

  init(_ link: Link, handling: Handling? = nil) {
    self.link = link
    self.handling = handling
  }
}

extension InboxState {
  /// Takes note that a link is open: the item that it stands for is handled now.
  mutating func linkOpened(_ order: LinkOrder, _ effects: inout [Effect]) {
    if let handling = order.handling { handle(handling, &effects) }
    notice = Notice(.success, "Opened the link.")
  }

  private mutating func handle(_ handling: LinkOrder.Handling, _ effects: inout [Effect]) {
    guard let action = handling.action else {
      guard let row = currentRow(handling.key), row.contentSequence == handling.seen,
        row.action != .activated || row.readState != .read
      else { return }
      return act(.activate, on: row, &effects)
    }
    tell(action, nil, on: handling.key, seen: handling.seen, &effects)
  }

  /// Copies a link that no program opens. The item stays as it is: nobody has seen what is there.
  mutating func linkUnopened(
    _ order: LinkOrder, _ reason: Notice?, _ effects: inout [Effect]
  ) {
    effects.append(.terminal(.copy(order.link.url)))
    notice = reason ?? Notice(.success, "No browser here; the link is copied.")
  }
}
