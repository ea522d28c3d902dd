package import BellhopModel

/// The cursor of a page of a first synchronisation. Opaque; the store made it.
package struct PageCursor: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

/// Where a device stands with its store. Kept in the cache, in the transactions it describes.
package struct SyncState: Hashable, Sendable {
  /// Counts rebuilds of base; a pull commits only in the generation it was asked in. From 1.
  package var generation: Int64
  /// The store's life that base comes from; nil until a pull named it.
  package var epoch: Epoch?
  /// The position of base. Rows may be ahead of it; it is never ahead of rows (SYNC-13).
  /// Nil until the first page of a first synchronisation is in.
  package var token: DeltaToken?
  /// The change counter up to which base contains everything; zero without a ``token``. It moves
  /// only when a delta has caught up: a token in the middle of one passes over items that changed
  /// again, whose rows come with a later page.
  package var sequence: SequenceNumber
  /// The highest change counter that the store had when it answered with what is in base, or that
  /// came with a change: nothing that the store did later is here. Also ahead of ``token``, which in
  /// the middle of a delta stands for less than what was left out of it.
  package internal(set) var appliedThrough = SequenceNumber.zero
  /// The first synchronisation that is under way; nil when base is whole.
  package var firstSync: FirstSync?
  /// The numbering that sealed operations belong to.
  package var lineage: Lineage
  /// The number that the next sealed operation gets; from 1 in every lineage.
  package var nextNumber: Int64
  /// The device as the store knows it; nil before registration. It signs optimistic changes.
  package var author: Author?
  /// The store's clock minus this machine's, as last measured.
  package var clockOffset: Duration
  /// Items below this key are still to be looked at by the sweep.
  var sweepBelow: ArrivalKey?
  /// Items below this key may not show yet what the bulk operations in the outbox make of them.
  var overlayBelow: ArrivalKey?
  /// The latest time, to a second, at which an item was put where it belongs. A clock that shows
  /// less was set back, and what moved too early is to be looked at again.
  var lookedAt: Timestamp?
  /// Names the log of changes: a cache made anew has another.
  var changeLog = ""
  /// The number of the log's last entry; zero before the first.
  var changeNumber: Int64 = 0

  /// Whether a sweep is under way: a rebuild has ended and items of older generations are still to
  /// be removed, or a clock was set back and items that moved too early are to be put back.
  package var needsSweep: Bool { sweepBelow != nil }
  /// Whether items are still to be brought up to date with bulk operations that came or went:
  /// ``CacheStorage/overlayBulk(limit:now:)`` goes on with it.
  package var needsOverlay: Bool { overlayBelow != nil }

  package init(
    generation: Int64, epoch: Epoch? = nil, token: DeltaToken? = nil,
    sequence: SequenceNumber = .zero, firstSync: FirstSync?, lineage: Lineage,
    nextNumber: Int64 = 1, author: Author? = nil, clockOffset: Duration = .zero
  ) {
    self.generation = generation
    self.epoch = epoch
    self.token = token
    self.sequence = sequence
    self.firstSync = firstSync
    self.lineage = lineage
    self.nextNumber = nextNumber
    self.author = author
    self.clockOffset = clockOffset
  }
}

/// How far a first synchronisation is (SYNC-14). It survives restarts.
package struct FirstSync: Hashable, Sendable {
  /// Whether nothing was known before it: its pages announce nothing. False for a rebuild.
  package var isInitial: Bool
  /// The token that dates from the start of paging; nil until the first page is in.
  package var start: DeltaToken?
  /// The change counter at ``start``.
  package var startSequence: SequenceNumber
  /// The page to ask for next; nil at the beginning and when ``pagesAreIn``.
  package var nextPage: PageCursor?
  /// Whether the last page is in. ``SyncState/token`` is then back at ``start``: the whole delta
  /// since the start is pulled once more, and its end ends the first synchronisation.
  package var pagesAreIn: Bool

  package init(
    isInitial: Bool, start: DeltaToken? = nil, startSequence: SequenceNumber = .zero,
    nextPage: PageCursor? = nil, pagesAreIn: Bool = false
  ) {
    self.isInitial = isInitial
    self.start = start
    self.startSequence = startSequence
    self.nextPage = nextPage
    self.pagesAreIn = pagesAreIn
  }
}

/// A part of what a pull brought: at most ``ChangeChunk/changesMax`` changes, one transaction.
///
/// The answer of one request is applied as one chunk or several in order; only the last has an
/// ``end``. A pull that is no longer wanted (another token, page or generation meanwhile) changes
/// nothing.
package struct ChangeChunk: Hashable, Sendable {
  /// More would hold the write lock so long that a key or a frame waits for it.
  package static let changesMax = 250

  /// What was asked.
  package enum Request: Hashable, Sendable {
    /// Changes since the token.
    case delta(since: DeltaToken)
    /// A page of the first synchronisation; nil is the first.
    case page(PageCursor?)
  }

  /// What the answer says at its end.
  package enum End: Hashable, Sendable {
    /// The new position and, when `isCaughtUp`, the store's change counter there: the store had no
    /// more. In the middle of a delta the counter says only how far its rows go.
    case delta(DeltaToken, at: SequenceNumber, isCaughtUp: Bool)
    /// The next page, nil after the last, and the token that dates from the start of paging.
    case page(next: PageCursor?, start: DeltaToken, startSequence: SequenceNumber)
  }

  package var request: Request
  /// The generation that was current when it was asked.
  package var generation: Int64
  package var changes: [Change]
  /// Only in the last chunk of an answer.
  package var end: End?
  /// Only in the first chunk of an answer, and when the store was started again since the request's
  /// token was made: what base holds from later than this comes from a past that the store lost.
  package var validThrough: SequenceNumber?
  /// The change counter that the store had when it answered; nil when that is not known.
  package var readAt: SequenceNumber?

  package init(
    request: Request, generation: Int64, changes: [Change], end: End?,
    validThrough: SequenceNumber? = nil, readAt: SequenceNumber? = nil
  ) {
    self.request = request
    self.generation = generation
    self.changes = changes
    self.end = end
    self.validThrough = validThrough
    self.readAt = readAt
  }

  /// The answer to one request cut into chunks, of which the first carries `validThrough` and the
  /// last `end`. Never empty.
  ///
  /// - Parameter limit: changes in one chunk; smaller where a simulation wants to fail in between.
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
          end: stop == changes.count || Mutant.tokenBeforeRows.isOn ? end : nil,
          validThrough: start == 0 ? validThrough : nil, readAt: readAt))
      start = stop
    } while start < changes.count
    return chunks
  }
}

/// New content that arrived: what a screen may ring for.
package struct Arrival: Hashable, Sendable {
  package var id: NotificationID
  package var contentSequence: SequenceNumber
  package var app: String
  package var priority: Priority
  /// Where it belongs on this device, pending operations applied.
  package var placement: Placement

  package init(
    id: NotificationID, contentSequence: SequenceNumber, app: String, priority: Priority,
    placement: Placement
  ) {
    self.id = id
    self.contentSequence = contentSequence
    self.app = app
    self.priority = priority
    self.placement = placement
  }
}

/// What applying a chunk did.
package struct ApplyOutcome: Hashable, Sendable {
  /// Whether the chunk was taken; false when its request is no longer the wanted one.
  package var isCurrent: Bool
  /// Whether it was not taken because base holds what the store has lost: base is to be rebuilt.
  package var holdsLostPast = false
  /// Items that are new, changed or gone.
  package var changed: [NotificationID]
  /// Apps whose settings are new or changed.
  package var changedApps: [String] = []
  /// New content in it that may be announced; none from pages of an initial synchronisation, and
  /// none of apps that are muted or in their quiet hours, which counts as announced.
  package var arrivals: [Arrival]
  /// Operations that left the outbox because base contains them.
  package var finished: [OperationID]
  /// Operations that can't take effect any more: their items are deleted.
  package var lost: [RejectedOperation]
  /// Whether the first synchronisation ended with it.
  package var endedFirstSync: Bool

  package init(
    isCurrent: Bool, changed: [NotificationID] = [], arrivals: [Arrival] = [],
    finished: [OperationID] = [], lost: [RejectedOperation] = [], endedFirstSync: Bool = false
  ) {
    self.isCurrent = isCurrent
    self.changed = changed
    self.arrivals = arrivals
    self.finished = finished
    self.lost = lost
    self.endedFirstSync = endedFirstSync
  }
}

/// What turning items over did.
package struct TurnOverOutcome: Hashable, Sendable {
  /// Items that moved by themselves: snooze over, delivered, display time over, expired.
  package var changed: [NotificationID]
  /// Content that came into the tray and was not announced yet: scheduled items, delivered.
  package var arrivals: [Arrival]
  /// When the next item falls due; now or earlier when the limit left some for another call.
  package var nextDue: Timestamp?
  /// Whether ``CacheStorage/sweepOldGenerations(limit:now:)`` or
  /// ``CacheStorage/overlayBulk(limit:now:)`` has something to do.
  package var needsSweep: Bool

  package init(
    changed: [NotificationID], arrivals: [Arrival], nextDue: Timestamp?, needsSweep: Bool = false
  ) {
    self.changed = changed
    self.arrivals = arrivals
    self.nextDue = nextDue
    self.needsSweep = needsSweep
  }
}

/// What a step of the sweep after a rebuild did.
package struct SweepOutcome: Hashable, Sendable {
  /// Items that the store no longer has.
  package var removed: [NotificationID]
  /// Items that were put back where they belong.
  package var moved: [NotificationID]
  /// Held operations on them, which can't take effect any more.
  package var lost: [RejectedOperation]
  /// Whether all items have been looked at.
  package var isFinished: Bool

  package init(
    removed: [NotificationID], moved: [NotificationID] = [], lost: [RejectedOperation],
    isFinished: Bool
  ) {
    self.removed = removed
    self.moved = moved
    self.lost = lost
    self.isFinished = isFinished
  }
}
