internal import BellhopModel

extension StoreLogic {
  /// Publishes an item for a device that sends it through its outbox.
  ///
  /// The rules are those of a publication by the device. A refusal is the result, with its reason.
  ///
  /// - Parameter token: the token that sends the operation; nil if unknown.
  /// - Returns: the record of the operation; nil if it does not publish.
  /// - Throws: ``StoreError/tooManyRequests(retryAfter:)``, so that the device sends it again later.
  func published(
    by operation: Operation, with token: AccessTokenID?, ledger: inout CounterUpdates,
    at now: Timestamp, in transaction: any StoreTransaction
  ) throws -> OperationRecord? {
    guard case .publish(let content, let made) = operation.mutation else { return nil }
    var record = OperationRecord(id: operation.id, result: .applied, at: now)
    // The device may have published it directly, and lost the answer.
    if let token,
      let known = try transaction.publication(
        operation.id.description, of: token, user: ledger.user)
    {
      record.content = MadeContent(item: known.id, sequence: known.sequence)
      return record
    }
    do {
      var request = PublishRequest(
        try resolved(content, of: ledger.user, in: transaction), publisher: token, isDevice: true)
      request.delayed = DelayedPublication(
        id: NotificationID(sameAs: operation.id), made: min(made, now))
      let clock = try wallClock(for: request.content, of: ledger.user, in: transaction)
      let end = expiration(of: request.content, publishedAt: request.start(at: now), on: clock)
      if let end, end <= min(now, expiryNow) {
        record.result = .notPublished(Self.expiredReason)
        return record
      }
      let item = try publish(request, ledger: &ledger, at: now, in: transaction).item
      record.content = MadeContent(item: item.id, sequence: item.state.contentSequence)
    } catch let error as StoreError where error.isRefusal && !error.isRateLimit {
      // A refusal precedes the first write, so there is nothing to undo.
      record.result = .notPublished(error.description)
    }
    return record
  }

  private static let expiredReason = "it expired before it could be sent"
}

extension StoreError {
  /// Whether the same request may be accepted after a pause.
  var isRateLimit: Bool { if case .tooManyRequests = self { true } else { false } }
}
