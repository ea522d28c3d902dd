public import BellhopModel

/// A change that the cache is to keep and send.
public enum CacheChange: Hashable, Sendable {
  /// Append to the outbox in one transaction, then say ``Message/performed(_:)``.
  ///
  /// With `sealAfter` the operations may still be taken back by
  /// ``CacheChange/cancelDelete(account:operation:)`` for that long (SYNC-9).
  case perform(account: AccountName, operations: [BellhopModel.Operation], sealAfter: Duration?)
  /// The same for items that the person marked one by one, as far as they are as they were shown.
  case performOnMarked(MarkedOrder)
  /// Change a whole list: append what does so to the outbox, then say ``Message/performed(_:)``. The
  /// cache may carry it out item by item after that, and says ``Message/dataChanged`` meanwhile.
  case performBulk(BulkOrder)
  /// Take an unsealed delete out of the outbox, then say ``Message/deleteCancelled(_:isDone:)``.
  case cancelDelete(account: AccountName, operation: OperationID)
}
