import BellhopModel

/// The user's changes that the reader may not see yet, applied on top of its answers.
struct PendingState: Sendable {
  var changes: [PendingChange] = []
  /// The changes of whole lists.
  var bulks: [PendingBulk] = []

  var isEmpty: Bool { changes.isEmpty && bulks.isEmpty }

  /// Records that operations are in the cache: answers to later requests contain them.
  mutating func confirm(_ operations: [OperationID], at serial: Int) {
    for index in changes.indices
    where operations.contains(changes[index].operation)
      && !changes[index].isCancelledDelete && changes[index].confirmedAt == nil
    {
      changes[index].confirmedAt = serial
    }
    for index in bulks.indices
    where bulks[index].confirmedAt == nil
      && bulks[index].operations.contains(where: { operations.contains($0) })
    {
      bulks[index].confirmedAt = serial
    }
  }

  /// Records that a delete was removed from the outbox.
  mutating func confirmCancel(_ operation: OperationID, at serial: Int) {
    for index in changes.indices
    where changes[index].operation == operation && changes[index].isCancelledDelete {
      changes[index].confirmedAt = serial
    }
  }

  /// Reverts changes that could not be made.
  mutating func takeBack(_ operations: [OperationID]) {
    changes.removeAll { operations.contains($0.operation) }
    bulks.removeAll { $0.operations.contains { operations.contains($0) } }
  }

  /// Forgets changes that are contained in the answers to all given requests.
  mutating func forgetSettled(_ requests: [Int]) {
    changes.removeAll { change in !requests.contains { change.matters(toAnswerOf: $0) } }
    bulks.removeAll { bulk in !requests.contains { bulk.matters(toAnswerOf: $0) } }
  }

  /// Applies the changes to the answer to a request, as of `now`.
  func over(
    _ window: LoadedWindow, of query: ListQuery, request: WindowRequest, at now: Timestamp
  ) -> LoadedWindow {
    let window = bulks.over(window, of: query, serial: request.serial, at: now)
    return changes.over(window, of: query, request: request, at: now)
  }

  /// Applies the changes to the counts that answered a request.
  ///
  /// - Parameter account: The account of the counts; nil for all accounts.
  func over(_ counts: InboxCounts, serial: Int, of account: AccountName?) -> InboxCounts {
    let whole = bulks.reduce(counts) { sum, bulk in
      bulk.matters(toAnswerOf: serial) ? sum + bulk.counts : sum
    }
    return changes.reduce(whole) { sum, change in
      change.matters(toAnswerOf: serial) && (account == nil || change.key.account == account)
        ? sum + change.counts : sum
    }.clamped
  }
}
