package import BellhopModel

/// A page of a first synchronisation or of a delta.
///
/// In JSON a page ends with links, as in Graph. This type holds the tokens inside the links.
///
/// Items are the rows of `value`. App settings are rows of the annotation `@bellhop.apps`, each in
/// the form of `AppSettings` and with its own `sequence`. The annotation is omitted when no app
/// settings changed. Rules are rows of the annotation `@bellhop.rules`, in the form of `Rule`; the row of
/// a removed rule has its `id`, its `sequence` and `@removed`. A client that does not know an annotation
/// ignores it, and every element of `value` stays an item. All kinds of rows are in change order and end
/// at the same position. In a first synchronisation, the first page has the settings of all apps, and all
/// rules.
package struct DeltaPayload: Hashable, Sendable {
  /// The continuation after a page.
  package enum End: Hashable, Sendable {
    /// `@odata.nextLink`: the next page follows; request ``Route/deltaPage(_:)`` with this text.
    case next(page: String)
    /// `@odata.deltaLink`: the last page; request ``Route/deltaSince(_:)`` later.
    case complete(DeltaToken)
  }

  package var changes: [Change]
  package var end: End
  /// The position at which a first synchronisation began paging (SYNC-14).
  package var started: DeltaToken?
  /// The user's change counter when the page was read.
  package var sequence: SequenceNumber
  /// The epoch of the sequence.
  package var epoch: Epoch
  /// The user's item count in a first synchronisation, for showing progress.
  ///
  /// May include items that expired just now. Nil in a delta, and from stores that do not send it.
  package var itemCount: Int?
  /// The highest sequence that is still valid after a restart of the store.
  ///
  /// Present when the store restarted after it made the request's token. Rows up to here are still
  /// part of the store's past. A client with later rows read them from a past that was lost, for
  /// example because an older data directory was restored. It starts again as after a `410`.
  package var validThrough: SequenceNumber?
  /// The base of the links: `https://host`, or empty for relative links. Decoding ignores it.
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

  /// Merges the kinds of rows that the codec separated.
  ///
  /// The result is in change order. In a first synchronisation, whose items are in order of
  /// arrival, settings and rules come first.
  static func changes(
    _ rows: [Change], _ apps: [AppSettings], rules: [Change], isFirstSync: Bool
  ) -> [Change] {
    let others = apps.map(Change.app) + rules
    if others.isEmpty { return rows }
    return isFirstSync ? others + rows : (others + rows).sorted { $0.sequence < $1.sequence }
  }

  /// The rows that are app settings.
  var apps: [AppSettings] {
    changes.compactMap { if case .app(let settings) = $0 { settings } else { nil } }
  }
}
