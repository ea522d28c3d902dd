package import BellhopModel

/// A change of a whole list of one account.
///
/// Made by one operation if a predicate describes the items, otherwise by several that name them.
package struct BulkOrder: Hashable, Sendable {
  package var account: AccountName
  package var query: ListQuery
  /// The bound of shown content; items with other content are not changed.
  package var bound: ShownBound
  package var mutation: BellhopModel.Operation.Mutation
  /// The ids to use, in this order, as far as needed.
  ///
  /// ``ChangeOutcome/performed(_:)`` names the used ones.
  package var operations: [OperationID]
  /// The time during which a delete can still be undone.
  package var sealAfter: Duration?

  /// The maximum number of items that an operation names.
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

/// A change of the items that the user marked individually.
package struct MarkedOrder: Hashable, Sendable {
  package var account: AccountName
  /// The operation, which names each item with the content that the user saw.
  ///
  /// An item whose content has changed since is removed from the operation before it is stored.
  package var operation: BellhopModel.Operation
  /// The time during which a delete can still be undone.
  package var sealAfter: Duration?
}
