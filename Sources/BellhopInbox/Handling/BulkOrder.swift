public import BellhopModel

/// A change of a whole list, of one account: by one operation where a predicate says what is meant,
/// else by some that name their items.
public struct BulkOrder: Hashable, Sendable {
  public var account: AccountName
  public var query: ListQuery
  /// Items with other content are not meant.
  public var bound: ShownBound
  public var mutation: BellhopModel.Operation.Mutation
  /// The ids to be used, in this order, as far as they are needed; ``Message/performed(_:)`` names
  /// those that were.
  public var operations: [OperationID]
  /// How long a delete may still be taken back.
  public var sealAfter: Duration?

  /// The most items that an operation names.
  public static let namedMax = 1000

  public init(
    account: AccountName, query: ListQuery, bound: ShownBound,
    mutation: BellhopModel.Operation.Mutation, operations: [OperationID],
    sealAfter: Duration? = nil
  ) {
    self.account = account
    self.query = query
    self.bound = bound
    self.mutation = mutation
    self.operations = operations
    self.sealAfter = sealAfter
  }
}

/// A change of the items that a person marked one by one.
public struct MarkedOrder: Hashable, Sendable {
  public var account: AccountName
  /// Names the items with the content that the person was shown of each: an item that has other
  /// content by now is taken out of the operation before it is kept.
  public var operation: BellhopModel.Operation
  /// How long a delete may still be taken back.
  public var sealAfter: Duration?
}
