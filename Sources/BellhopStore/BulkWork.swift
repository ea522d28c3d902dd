public import BellhopModel

/// A bulk operation that was begun and is not finished (SYNC rule 10). It is stored with each
/// chunk's effects, and goes when the operation's result is recorded.
public struct BulkWork: Hashable, Sendable {
  /// With a bulk target.
  public var operation: Operation
  /// Who is recorded as the one who changed the items.
  public var author: Author
  /// Items at this place and newer ones are done; nil before the first chunk.
  public var below: ArrivalKey?
  /// What came of the items so far; nil while there was none.
  public var result: OperationResult?
  public var begun: Timestamp

  public init(
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

/// Reads bulk operations under way.
public protocol BulkWorkReading: AnyObject {
  func bulkWork(_ id: OperationID, of user: UserID) throws -> BulkWork?
  /// The oldest ones, of any user.
  func bulkWorks(limit: Int) throws -> [(user: UserID, work: BulkWork)]
}

/// Keeps bulk operations under way.
public protocol BulkWorkRecords: BulkWorkReading {
  /// Stores the work instead of what was there of the same operation.
  func put(_ work: BulkWork, of user: UserID) throws
  func removeBulkWork(_ id: OperationID, of user: UserID) throws
}

/// The next items that a bulk operation is meant for. They are looked for in a reading of its own,
/// because that may take long in a large store and nobody's writes should wait for it.
public struct BulkChunk: Hashable, Sendable {
  var operation: OperationID
  /// Where the search began: the work's ``BulkWork/below``.
  var after: ArrivalKey?
  /// Newest first.
  var keys: [ArrivalKey]
  /// Whether no more were found.
  var isLast: Bool
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
