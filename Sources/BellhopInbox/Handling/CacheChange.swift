package import BellhopModel
package import BellhopText

/// A change that the cache is to keep and send.
package enum CacheChange: Hashable, Sendable {
  /// Append to the outbox in one transaction, then say ``ChangeOutcome/performed(_:)``.
  ///
  /// With `sealAfter` the operations may still be taken back by
  /// ``CacheChange/cancelDelete(account:operation:)`` for that long (SYNC-9).
  case perform(account: AccountName, operations: [BellhopModel.Operation], sealAfter: Duration?)
  /// The same for items that the person marked one by one, as far as they are as they were shown.
  case performOnMarked(MarkedOrder)
  /// Change a whole list: append what does so to the outbox, then say ``ChangeOutcome/performed(_:)``. The
  /// cache may carry it out item by item after that, and says ``Message/dataChanged`` meanwhile.
  case performBulk(BulkOrder)
  /// Take an unsealed delete out of the outbox, then say ``ChangeOutcome/deleteCancelled(_:isDone:)``.
  case cancelDelete(account: AccountName, operation: OperationID)
}

/// The outcome of a ``CacheChange``.
package enum ChangeOutcome: Sendable {
  /// The operations are committed to the cache, and it shows what they do.
  case performed([OperationID])
  /// Whether the delete was still there to be taken out.
  case deleteCancelled(OperationID, isDone: Bool)
  /// Operations could not be kept: what the screen shows of them is taken back, and the line shown.
  case failed([OperationID], SafeText)
}

extension InboxState {
  mutating func take(_ outcome: ChangeOutcome) {
    switch outcome {
    case .performed(let operations): confirm(operations)
    case .deleteCancelled(let operation, let isDone): confirmCancel(operation, isDone: isDone)
    case .failed(let operations, let text): takeBack(operations, text)
    }
  }

  /// The counts with what the person did since they were read.
  var counts: InboxCounts {
    pending.over(counting.base ?? InboxCounts(), serial: counting.serial, of: accounts.shown)
  }

  private mutating func confirm(_ operations: [OperationID]) {
    pending.confirm(operations, at: serial)
    apps.commit(operations)
    steps.keep(operations)
    markStale()
  }

  private mutating func confirmCancel(_ operation: OperationID, isDone: Bool) {
    pending.confirmCancel(operation, at: serial)
    if !isDone {
      pending.takeBack([operation])
      steps.forgetDeletesAgain()
      notice = Notice(.information, "Too late: the delete was on its way already.")
    }
    markStale()
  }

  /// Forgets changes that every answer from now on contains.
  mutating func forgetSettledChanges() {
    guard !pending.isEmpty else { return }
    let oldest = ListID.allCases.compactMap { self[$0].outstanding }.min() ?? Int.max
    pending.forgetSettled([counting.serial, oldest])
  }

  private mutating func takeBack(_ operations: [OperationID], _ text: SafeText) {
    pending.takeBack(operations)
    apps.takeBack(operations)
    steps.forget(operations)
    notice = Notice(.error, text)
    markStale()
  }
}
