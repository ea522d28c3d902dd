package import BellhopModel

/// An unfinished bulk operation (SYNC-10). It is stored with the effects of each chunk, and removed
/// when the operation's result is recorded.
package struct BulkWork: Hashable, Sendable {
  /// The operation, which has a bulk target.
  ///
  /// One that applies a rule has the definition that the store had when the work began.
  package var operation: Operation
  /// The author who is recorded for the changes.
  package var author: Author
  /// The environment of the device that sent the operation. Items that do not reach it stay as
  /// they are.
  package var reader: RegistrationEnvironment
  /// The place down to which items are done, newest first; nil before the first chunk.
  package var below: ArrivalKey?
  /// The result for the items so far; nil while there was none.
  package var result: OperationResult?
  package var begun: Timestamp

  package init(
    operation: Operation, author: Author, reader: RegistrationEnvironment = .production,
    below: ArrivalKey? = nil, result: OperationResult? = nil, begun: Timestamp
  ) {
    self.operation = operation
    self.author = author
    self.reader = reader
    self.below = below
    self.result = result
    self.begun = begun
  }
}

/// A query for the live items that a bulk operation targets, newest first, with the limits of its
/// search.
///
/// With a predicate or a rule, items with a trigger are left out: see
/// ``StoreReading/triggeredItems(of:)``.
package struct BulkQuery: Hashable, Sendable {
  /// The time of the read. Items that leave the store by then are skipped, swept or not.
  package var now: Timestamp
  /// The place below which items are found.
  package var below: ArrivalKey?
  package var predicate: Predicate
  /// The condition of a rule that published content must meet; nil for any content.
  package var rule: RuleCondition?
  /// Whether rules list items under an app that is not their publisher's; see
  /// ``PageQuery/hasMovedItems``.
  package var hasMovedItems = false
  /// The newest meaning of the items to find; nil for any.
  package var through: SequenceNumber?
  /// The operation that must have set a register of the item last; nil for any.
  package var setBy: OperationID?
  /// The environment of the device that sent the operation; only items that reach it are found.
  package var reader: RegistrationEnvironment
  /// The maximum number of items to find.
  package var itemsMax: Int
  /// The maximum number of items to examine.
  package var scanMax: Int

  package init(
    now: Timestamp, below: ArrivalKey? = nil, predicate: Predicate = Predicate(),
    through: SequenceNumber? = nil, setBy: OperationID? = nil,
    reader: RegistrationEnvironment = .development, itemsMax: Int, scanMax: Int
  ) {
    self.now = now
    self.below = below
    self.predicate = predicate
    self.through = through
    self.setBy = setBy
    self.reader = reader
    self.itemsMax = itemsMax
    self.scanMax = scanMax
  }

  /// The publishing app whose items alone are examined; nil for all.
  package var walkApp: String? {
    predicate.isEffective && hasMovedItems ? nil : predicate.app
  }

  /// The condition on an item's columns: the predicate, and what columns tell of the rule.
  package var condition: ItemFilter {
    guard let rule else { return predicate.condition }
    return .all([predicate.condition, rule.prefilter])
  }

  /// Whether the operation targets the item.
  package func includes(_ item: UserNotification) -> Bool {
    mayInclude(item) && rule?.isMet(by: item.content) ?? true
  }

  /// Whether a search finds the item: the operation may target it, as far as its columns tell.
  package func mayInclude(_ item: UserNotification) -> Bool {
    guard condition.matches(item), setBy != nil || item.content.trigger == nil,
      reader.receives(item.content)
    else { return false }
    if let through, item.state.meaningSequence > through { return false }
    return setBy.map { item.state.isSet(by: $0) } ?? true
  }
}

/// The next items that a bulk operation targets, and the place where the search continues.
package struct BulkMatches: Hashable, Sendable {
  package var keys: [ArrivalKey]
  /// The last examined item; nil if no item follows it.
  package var place: ArrivalKey?

  package init(keys: [ArrivalKey], place: ArrivalKey?) {
    self.keys = keys
    self.place = place
  }
}

/// A collector for the matches of a ``BulkQuery``. With it, all backends end at the same places.
package struct BulkFill {
  private let query: BulkQuery
  private let deadline: WorkDeadline
  private var matches = BulkMatches(keys: [], place: nil)
  private var scanned = 0

  /// - Parameter deadline: the end of the search; one item is always examined.
  package init(_ query: BulkQuery, until deadline: WorkDeadline) {
    self.query = query
    self.deadline = deadline
  }

  /// Whether no further item may be examined. Check it only when another item exists.
  package var isFull: Bool {
    matches.keys.count >= query.itemsMax || scanned >= query.scanMax
      || scanned > 0 && deadline.hasPassed
  }

  /// Counts an examined item.
  package mutating func noteExamined(_ key: ArrivalKey, isMatch: Bool) {
    scanned += 1
    matches.place = key
    if isMatch { matches.keys.append(key) }
  }

  /// Returns the collected matches.
  ///
  /// - Parameter isLast: whether there were no more items.
  package func matches(isLast: Bool) -> BulkMatches {
    BulkMatches(keys: matches.keys, place: isLast ? nil : matches.place)
  }
}

/// Read access to bulk operations in progress.
package protocol BulkWorkReading: AnyObject {
  /// Returns the next items that a bulk operation may target: see ``BulkQuery/mayInclude(_:)``.
  ///
  /// It examines at most `scanMax` items, and after the deadline none but the first.
  func matches(
    _ query: BulkQuery, of user: UserID, until deadline: WorkDeadline
  ) throws -> BulkMatches
  func bulkWork(_ id: OperationID, of user: UserID) throws -> BulkWork?
  /// Returns the oldest bulk operations, of any user.
  func bulkWorks(limit: Int) throws -> [(user: UserID, work: BulkWork)]
}

/// Write access to bulk operations in progress.
package protocol BulkWorkRecords: BulkWorkReading {
  /// Stores the work, replacing earlier work of the same operation.
  func put(_ work: BulkWork, of user: UserID) throws
  func removeBulkWork(_ id: OperationID, of user: UserID) throws
}

/// The next items that a bulk operation targets.
///
/// They are searched for in separate reads, because a search may take long in a large store and no
/// write should wait for it.
package struct BulkChunk: Hashable, Sendable {
  var operation: OperationID
  /// The start of the search: the work's ``BulkWork/below``.
  var after: ArrivalKey?
  /// The items, newest first.
  var keys: [ArrivalKey]
  /// The place at which the search ended; nil if no item follows it.
  var place: ArrivalKey?

  /// Whether the search must continue before there is anything to write.
  var isUnfinished: Bool { keys.isEmpty && place != nil }
}

extension OperationResult {
  /// Combines the outcomes for several items: applied when at least one item has the requested
  /// state.
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
