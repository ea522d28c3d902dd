package import BellhopModel
package import BellhopText

/// A change for the cache to store and send.
package enum CacheChange: Hashable, Sendable {
  /// Appends to the outbox in one transaction; answered by ``ChangeOutcome/performed(_:)``.
  ///
  /// With `sealAfter`, the operations can still be cancelled for that long by
  /// ``CacheChange/cancelDelete(account:operation:)`` (SYNC-9).
  case perform(
    account: AccountName, operations: [BellhopModel.Operation], sealAfter: Duration? = nil)
  /// The same for individually marked items, as far as their content has not changed.
  case performOnMarked(MarkedOrder)
  /// Changes a whole list through the outbox; answered by ``ChangeOutcome/performed(_:)``.
  ///
  /// Afterwards, the cache may perform the change item by item, sending ``Message/dataChanged``
  /// meanwhile.
  case performBulk(BulkOrder)
  /// Removes an unsealed delete from the outbox.
  ///
  /// Answered by ``ChangeOutcome/deleteCancelled(_:isDone:)``.
  case cancelDelete(account: AccountName, operation: OperationID)
}

/// The outcome of a ``CacheChange``.
package enum ChangeOutcome: Sendable {
  /// The operations are committed to the cache, which shows their effects.
  case performed([OperationID])
  /// A delete was cancelled, if it was still in the outbox.
  case deleteCancelled(OperationID, isDone: Bool)
  /// Operations could not be stored: the screen reverts their effects and shows the line.
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

  /// The counts, including the user's changes since they were read.
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
      say("Too late: the delete was already sent.")
    }
    markStale()
  }

  /// Forgets changes that are contained in every future answer.
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
