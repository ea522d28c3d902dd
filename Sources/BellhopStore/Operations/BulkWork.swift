package import BellhopModel

/// A bulk operation that was begun and is not finished (SYNC-10). It is stored with each
/// chunk's effects, and goes when the operation's result is recorded.
package struct BulkWork: Hashable, Sendable {
  /// With a bulk target.
  package var operation: Operation
  /// Who is recorded as the one who changed the items.
  package var author: Author
  /// Items at this place and newer ones are done; nil before the first chunk.
  package var below: ArrivalKey?
  /// What came of the items so far; nil while there was none.
  package var result: OperationResult?
  package var begun: Timestamp

  package init(
    operation: Operation, author: Author, below: ArrivalKey? = nil,
    result: OperationResult? = nil, begun: Timestamp
  ) {
    self.operation = operation
    self.author = author
    self.below = below
    self.result = result
    self.begun = begun
  }
}

/// The live items that a bulk operation is meant for, newest first, and how far to search.
package struct BulkQuery: Hashable, Sendable {
  /// Items that have left by this instant are passed over, swept or not.
  package var now: Timestamp
  /// Only items below this place.
  package var below: ArrivalKey?
  package var predicate: Predicate
  /// Only items whose content is not newer than this.
  package var through: SequenceNumber?
  /// Only items with a register that this operation set last.
  package var setBy: OperationID?
  /// How many items to find.
  package var itemsMax: Int
  /// How many items to look at.
  package var scanMax: Int

  package init(
    now: Timestamp, below: ArrivalKey? = nil, predicate: Predicate = Predicate(),
    through: SequenceNumber? = nil, setBy: OperationID? = nil, itemsMax: Int, scanMax: Int
  ) {
    self.now = now
    self.below = below
    self.predicate = predicate
    self.through = through
    self.setBy = setBy
    self.itemsMax = itemsMax
    self.scanMax = scanMax
  }

  /// Whether the operation is meant for the item.
  package func includes(_ item: UserNotification) -> Bool {
    guard predicate.matches(item) else { return false }
    if let through, item.state.contentSequence > through { return false }
    return setBy.map { item.state.isSet(by: $0) } ?? true
  }
}

/// The next items that a bulk operation is meant for, and where the search goes on.
package struct BulkMatches: Hashable, Sendable {
  package var keys: [ArrivalKey]
  /// The last item that was looked at; nil when there is none behind it.
  package var place: ArrivalKey?

  package init(keys: [ArrivalKey], place: ArrivalKey?) {
    self.keys = keys
    self.place = place
  }
}

/// Gathers what a backend finds for a ``BulkQuery``, so that all backends end at the same places.
package struct BulkFill {
  private let query: BulkQuery
  private let deadline: WorkDeadline
  private var matches = BulkMatches(keys: [], place: nil)
  private var scanned = 0

  /// - Parameter deadline: until when; one item is looked at in any case.
  package init(_ query: BulkQuery, until deadline: WorkDeadline) {
    self.query = query
    self.deadline = deadline
  }

  /// Whether no further item may be looked at. To be asked when one more is there.
  package var isFull: Bool {
    matches.keys.count >= query.itemsMax || scanned >= query.scanMax
      || scanned > 0 && deadline.hasPassed
  }

  /// Counts an item that was looked at.
  package mutating func look(at key: ArrivalKey, isMatch: Bool) {
    scanned += 1
    matches.place = key
    if isMatch { matches.keys.append(key) }
  }

  /// What was found.
  ///
  /// - Parameter isLast: whether there were no more items.
  package func matches(isLast: Bool) -> BulkMatches {
    BulkMatches(keys: matches.keys, place: isLast ? nil : matches.place)
  }
}

/// Reads bulk operations under way.
package protocol BulkWorkReading: AnyObject {
  /// The next items that a bulk operation is meant for: at most `scanMax` items are looked at, and
  /// none after the deadline but the first.
  func matches(
    _ query: BulkQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> BulkMatches
  func bulkWork(_ id: OperationID, of user: UserID) throws -> BulkWork?
  /// The oldest ones, of any user.
  func bulkWorks(limit: Int) throws -> [(user: UserID, work: BulkWork)]
}

/// Keeps bulk operations under way.
package protocol BulkWorkRecords: BulkWorkReading {
  /// Stores the work instead of what was there of the same operation.
  func put(_ work: BulkWork, of user: UserID) throws
  func removeBulkWork(_ id: OperationID, of user: UserID) throws
}

/// The next items that a bulk operation is meant for. They are looked for in readings of their own,
/// because that may take long in a large store, and no write should wait for it.
package struct BulkChunk: Hashable, Sendable {
  var operation: OperationID
  /// Where the search began: the work's ``BulkWork/below``.
  var after: ArrivalKey?
  /// Newest first.
  var keys: [ArrivalKey]
  /// The place at which the search ended; nil when no item is behind it.
  var place: ArrivalKey?

  /// Whether the search is to go on before there is anything to write.
  var isUnfinished: Bool { keys.isEmpty && place != nil }
}

extension OperationResult {
  /// One result for several items: applied when at least one item has what was asked.
  init?(of outcomes: [OperationOutcome], after earlier: OperationResult? = nil) {
    var result = earlier
    for outcome in outcomes {
      switch (outcome, result) {
      case (_, .applied?): break
      case (.applied, _), (.deleted, _), (.unchanged, _): result = .applied
      case (.refused(let latest), _): result = .refused(latest: latest)
      case (.superseded, .refused?): break
      case (.superseded, _): result = .superseded
      }
    }
    guard let result else { return nil }
    self = result
  }
}
