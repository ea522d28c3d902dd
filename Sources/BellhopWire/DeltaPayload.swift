package import BellhopModel

/// A page of a first synchronisation or of a delta.
///
/// In JSON the ends are links, as Graph has them; here they are the tokens inside the links.
///
/// Items are the rows of `value`. Settings of apps are rows of their own kind, each in the form of
/// ``AppSettings`` and with its own `sequence`, in the annotation `@bellhop.apps`, which is left out
/// when no app was configured since: a client that does not know an annotation passes over it, and
/// every element of `value` stays an item. Both are in change order, and both go as far as the page
/// goes. In a first synchronisation the first page has the settings of all apps.
package struct DeltaPayload: Hashable, Sendable {
  /// What follows the page.
  package enum End: Hashable, Sendable {
    /// `@odata.nextLink`: ask for ``Route/deltaPage(_:)`` with this text.
    case next(page: String)
    /// `@odata.deltaLink`: nothing more; ask for ``Route/deltaSince(_:)`` later.
    case complete(DeltaToken)
  }

  package var changes: [Change]
  package var end: End
  /// First synchronisation: the position at which paging began (SYNC-14).
  package var started: DeltaToken?
  /// The user's change counter when the page was read.
  package var sequence: SequenceNumber
  /// The life of the store's data that the sequence counts in.
  package var epoch: Epoch
  /// First synchronisation: how many items the user has, for showing progress; those that expired
  /// just now may be among them. Nil in a delta, and from stores that do not say it.
  package var itemCount: Int?
  /// When the store was started again since the request's token was made: up to here, what was read
  /// before is still the store's past. A client that holds later rows has them from a past that was
  /// lost, as when an older data directory was put in place, and begins again as after a `410`.
  package var validThrough: SequenceNumber?
  /// What links begin with: `https://host`, or nothing for relative links. Decoding ignores it.
  package var linkBase: String

  package init(
    changes: [Change], end: End, started: DeltaToken?, sequence: SequenceNumber, epoch: Epoch,
    validThrough: SequenceNumber? = nil, itemCount: Int? = nil, linkBase: String = ""
  ) {
    self.itemCount = itemCount
    self.changes = changes
    self.end = end
    self.started = started
    self.sequence = sequence
    self.epoch = epoch
    self.validThrough = validThrough
    self.linkBase = linkBase
  }

  /// Both kinds of rows as they were before the codec parted them: in change order, or settings first
  /// in a first synchronisation, whose items are ordered by arrival.
  static func changes(
    _ rows: [Change], _ apps: [AppSettings], isFirstSync: Bool
  ) -> [Change] {
    if apps.isEmpty { return rows }
    let settings = apps.map(Change.app)
    return isFirstSync
      ? settings + rows : (settings + rows).sorted { $0.sequence < $1.sequence }
  }

  /// The rows that are no items.
  var apps: [AppSettings] {
    changes.compactMap { if case .app(let settings) = $0 { settings } else { nil } }
  }
}
