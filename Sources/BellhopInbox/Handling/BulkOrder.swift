package import BellhopModel

/// A change of a whole list, of one account: by one operation where a predicate says what is meant,
/// else by some that name their items.
package struct BulkOrder: Hashable, Sendable {
  package var account: AccountName
  package var query: ListQuery
  /// Items with other content are not meant.
  package var bound: ShownBound
  package var mutation: BellhopModel.Operation.Mutation
  /// The ids to be used, in this order, as far as they are needed; ``Message/performed(_:)`` names
  /// those that were.
  package var operations: [OperationID]
  /// How long a delete may still be taken back.
  package var sealAfter: Duration?

  /// The most items that an operation names.
  package static let namedMax = 1000

  package init(
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
package struct MarkedOrder: Hashable, Sendable {
  package var account: AccountName
  /// Names the items with the content that the person was shown of each: an item that has other
  /// content by now is taken out of the operation before it is kept.
  package var operation: BellhopModel.Operation
  /// How long a delete may still be taken back.
  package var sealAfter: Duration?
}
