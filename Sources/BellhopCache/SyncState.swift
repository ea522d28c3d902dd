package import BellhopModel

/// The opaque cursor of a page of a first synchronisation, made by the store.
package struct PageCursor: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

/// The state of a device's synchronisation with its store.
///
/// The cache saves it in the transactions that it describes.
package struct SyncState: Hashable, Sendable {
  /// The number of the generation of base, from 1. Each rebuild begins a new one.
  ///
  /// A pull commits only in the generation in which it was requested.
  package var generation: Int64
  /// The epoch of the store that base comes from; nil until a pull has named it.
  package var epoch: Epoch?
  /// The position of base. Nil until the first page of a first synchronisation is in the cache.
  ///
  /// Rows may be ahead of the token; it is never ahead of rows (SYNC-13).
  package var token: DeltaToken?
  /// The change counter up to which base contains everything; zero without a ``token``.
  ///
  /// It moves only when a delta has caught up. A token in the middle of a delta skips items that
  /// changed again, whose rows come with a later page.
  package var sequence = SequenceNumber.zero
  /// The highest change counter that came with any answer or change in base.
  ///
  /// Base contains nothing that the store did later. The counter can be ahead of ``token``, which
  /// in the middle of a delta does not cover the changes that the delta skipped.
  package internal(set) var appliedThrough = SequenceNumber.zero
  /// The first synchronisation in progress; nil if base is complete.
  package var firstSync: FirstSync?
  /// The numbering that sealed operations belong to.
  package var lineage: Lineage
  /// The number of the next sealed operation; from 1 in every lineage.
  package var nextNumber: Int64 = 1
  /// The device as the store knows it, which signs optimistic changes; nil before registration.
  package var author: Author?
  /// The store's clock minus this machine's, as last measured.
  package var clockOffset = Duration.zero
  /// The key below which the sweep still has to check items.
  var sweepBelow: ArrivalKey?
  /// The key below which items may not show the effect of bulk operations in the outbox yet.
  var overlayBelow: ArrivalKey?
  /// The latest time, to a second, at which an item was placed.
  ///
  /// If a clock shows an earlier time, it was set back, and items that moved too early have to be
  /// checked again.
  var lookedAt: Timestamp?
  /// The device's time zone when items were last placed; nil if it was not recorded.
  ///
  /// Times of triggers without a zone are those of the device's.
  var zoneMark: String?
  /// The number of the form in which base was read from the store: see ``CacheIdentity/form``.
  var form: Int64 = 0
  /// The name of the change log. A recreated cache has another one.
  var changeLog = ""
  /// The number of the log's last entry; zero before the first.
  var changeNumber: Int64 = 0

  /// Whether a sweep is in progress.
  ///
  /// Either a rebuild has ended and items of older generations still have to be removed, or a clock
  /// was set back and items that moved too early still have to be moved back.
  package var needsSweep: Bool { sweepBelow != nil }
  /// Whether items still have to be updated for bulk operations that entered or left the outbox.
  ///
  /// ``CacheStorage/overlayBulk(limit:now:)`` continues with it.
  package var needsOverlay: Bool { overlayBelow != nil }
}

/// The progress of a first synchronisation (SYNC-14). It survives restarts.
package struct FirstSync: Hashable, Sendable {
  /// Whether the cache was empty before, so that pages announce nothing. False for a rebuild.
  package var isInitial: Bool
  /// The token from the start of paging; nil until the first page is in the cache.
  package var start: DeltaToken?
  /// The change counter at ``start``.
  package var startSequence = SequenceNumber.zero
  /// The page to request next; nil at the beginning and when ``pagesAreIn``.
  package var nextPage: PageCursor?
  /// Whether the last page is in the cache.
  ///
  /// ``SyncState/token`` is then back at ``start``: the whole delta since the start is pulled once
  /// more, and its end completes the first synchronisation.
  package var pagesAreIn = false
}

/// A part of a pull's answer: at most ``ChangeChunk/changesMax`` changes, applied in one
/// transaction.
///
/// The answer to one request is applied as one chunk or several in order. Only the last has an
/// ``end``. A pull that is no longer wanted, because the token, page or generation has changed,
/// changes nothing.
package struct ChangeChunk: Hashable, Sendable {
  /// The maximum number of changes in a chunk.
  ///
  /// More would hold the write lock so long that a key press or a frame waits for it.
  package static let changesMax = 250

  /// The request that a chunk answers.
  package enum Request: Hashable, Sendable {
    /// The changes since the token.
    case delta(since: DeltaToken)
    /// A page of the first synchronisation; nil for the first page.
    case page(PageCursor?)
  }

  /// The end of an answer.
  package enum End: Hashable, Sendable {
    /// The new position and, if `isCaughtUp`, the store's change counter there.
    ///
    /// Caught up means that the store had no more changes. In the middle of a delta, the counter
    /// only shows how far its rows go.
    case delta(DeltaToken, at: SequenceNumber, isCaughtUp: Bool)
    /// The next page, nil after the last, and the token from the start of paging.
    case page(next: PageCursor?, start: DeltaToken, startSequence: SequenceNumber)
  }

  package var request: Request
  /// The generation at the time of the request.
  package var generation: Int64
  package var changes: [Change]
  /// Whether the answer begins with this chunk.
  package var isFirst: Bool
  /// The end of the answer; only in its last chunk.
  package var end: End?
  /// The change counter after which base contains changes that the store has lost.
  ///
  /// Only in the first chunk of an answer, and only if the store was restarted since it made the
  /// request's token.
  package var validThrough: SequenceNumber?
  /// The store's change counter at the time of its answer; nil if unknown.
  package var readAt: SequenceNumber?

  /// Whether it answers a request for a page.
  var isPage: Bool { if case .page = request { true } else { false } }

  package init(
    request: Request, generation: Int64, changes: [Change], isFirst: Bool = true, end: End?,
    validThrough: SequenceNumber? = nil, readAt: SequenceNumber? = nil
  ) {
    self.request = request
    self.generation = generation
    self.changes = changes
    self.isFirst = isFirst
    self.end = end
    self.validThrough = validThrough
    self.readAt = readAt
  }

  /// Splits the answer to one request into one or more chunks.
  ///
  /// The first chunk has `validThrough`, and the last has `end`.
  ///
  /// - Parameter limit: The maximum number of changes in a chunk; smaller in simulations that fail
  ///   between chunks.
  package static func chunks(
    of changes: [Change], request: Request, generation: Int64, end: End,
    validThrough: SequenceNumber? = nil, readAt: SequenceNumber? = nil,
    atMost limit: Int = changesMax
  ) -> [ChangeChunk] {
    var chunks: [ChangeChunk] = []
    var start = 0
    repeat {
      let stop = min(start + limit, changes.count)
      chunks.append(
        ChangeChunk(
          request: request, generation: generation, changes: Array(changes[start..<stop]),
          isFirst: start == 0,
          end: stop == changes.count || Mutant.tokenBeforeRows.isOn ? end : nil,
          validThrough: start == 0 ? validThrough : nil, readAt: readAt))
      start = stop
    } while start < changes.count
    return chunks
  }
}

/// New content that arrived, which a screen may announce.
package struct Arrival: Hashable, Sendable {
  package var id: NotificationID
  package var contentSequence: SequenceNumber
  /// The content sequence of the last publication that was not a repeat.
  package var meaning: SequenceNumber
  /// The number of thresholds that its repeats have reached.
  package var step: Int
  package var app: String
  package var priority: Priority
  /// The placement on this device, pending operations applied.
  package var placement: Placement
  /// The occurrence of the item's trigger that brought it.
  package var occurrence: Occurrence.Label?
  /// The sound that the app chose; nil for the default.
  package var sound: String?

  package init(
    id: NotificationID, contentSequence: SequenceNumber, meaning: SequenceNumber? = nil,
    step: Int = 0, app: String, priority: Priority, placement: Placement,
    occurrence: Occurrence.Label? = nil, sound: String? = nil
  ) {
    self.id = id
    self.contentSequence = contentSequence
    self.meaning = meaning ?? contentSequence
    self.step = step
    self.app = app
    self.priority = priority
    self.placement = placement
    self.occurrence = occurrence
    self.sound = sound
  }
}

/// The outcome of applying a chunk.
package struct ApplyOutcome: Hashable, Sendable {
  /// Whether the chunk was applied; false if its request is no longer the wanted one.
  package var isCurrent: Bool
  /// Whether the chunk was not applied because base contains changes that the store has lost.
  ///
  /// Base must then be rebuilt.
  package var holdsLostPast = false
  /// Items that are new, changed or gone.
  package var changed: [NotificationID] = []
  /// Apps whose settings are new or changed.
  package var changedApps: [String] = []
  /// Whether rules are new, changed or gone.
  package var changedRules = false
  /// New content in the chunk that may be announced.
  ///
  /// Pages of an initial synchronisation have none. Content of apps that are muted or in their
  /// quiet hours counts as announced.
  package var arrivals: [Arrival] = []
  /// Operations that left the outbox because base contains them.
  package var finished: [OperationID] = []
  /// Operations that can't take effect any more, because their items are deleted.
  package var lost: [RejectedOperation] = []
  /// Whether the first synchronisation ended with the chunk.
  package var endedFirstSync = false

  package init(isCurrent: Bool) { self.isCurrent = isCurrent }
}

/// The outcome of moving items whose placement changed by itself.
package struct DueItemsOutcome: Hashable, Sendable {
  /// Items that moved by themselves: snooze over, delivered, display time over, or expired.
  package var changed: [NotificationID]
  /// Content that entered the tray and was not announced before: delivered scheduled items.
  package var arrivals: [Arrival]
  /// The time at which the next item is due; now or earlier if the limit left some items.
  package var nextDue: Timestamp?
  /// Whether ``CacheStorage/sweepOldGenerations(limit:now:)`` or
  /// ``CacheStorage/overlayBulk(limit:now:)`` has something to do.
  package var needsSweep: Bool = false
}

/// The outcome of one step of the sweep after a rebuild.
package struct SweepOutcome: Hashable, Sendable {
  /// Items that the store no longer has.
  package var removed: [NotificationID]
  /// Items that were moved back to where they belong.
  package var moved: [NotificationID] = []
  /// Held operations on the removed items, which can't take effect any more.
  package var lost: [RejectedOperation]
  /// Whether all items have been checked.
  package var isFinished: Bool
}
