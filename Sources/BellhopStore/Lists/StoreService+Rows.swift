package import BellhopModel

/// Direct access to rows, for dialects whose clients identify items by other names than ours.
extension StoreService {
  /// Returns the live item with this app notification id; nil if it does not exist or has expired.
  ///
  /// The id may be one of several. Publishers find their items by it, whatever their environment.
  package func item(
    app: String, appNotificationID: String, of user: UserID
  ) async throws(StoreError) -> UserNotification? {
    try await read { logic, state in
      let app = try logic.app(named: app, of: user, in: state)
      guard
        let item = try logic.item(app: app, named: appNotificationID, of: user, in: state),
        !item.hasExpired(at: logic.expiryNow)
      else { return nil }
      return item
    }
  }

  /// Deletes items in one transaction; items that do not exist or do not reach the reader are
  /// skipped.
  package func delete(
    _ ids: [NotificationID], from device: DeviceID? = nil, for user: UserID,
    reader: RegistrationEnvironment = .production
  ) async throws(StoreError) {
    _ = try await write(
      in: .user(user),
      { logic, transaction in
        var sequence: SequenceNumber?
        for id in ids {
          sequence =
            try logic.delete(id, for: user, reader: reader, in: transaction) ?? sequence
        }
        return sequence
      }, committed: { [self] in raise($0, for: user, by: device) })
  }

  /// Returns the changes after a sequence, in order: at most `limit` rows.
  ///
  /// `through` is the user's sequence if there are no more rows, otherwise the last row's. Readers
  /// in both environments share the rows, so that each leaves out those that do not reach it.
  package func rows(
    after sequence: SequenceNumber, limit: Int, of user: UserID
  ) async throws(StoreError) -> (rows: [StoredRow], through: SequenceNumber) {
    try await read { logic, state in
      guard let counters = try state.counters(of: user) else {
        throw StoreError.notFound(what: "user")
      }
      let limit = logic.pageLimit(limit)
      let rows = try state.rows(of: user, after: sequence, limit: limit)
      let isFull = rows.count >= limit.rows || rows.byteCount >= limit.bytes
      return (rows, isFull ? rows.last?.sequence ?? counters.sequence : counters.sequence)
    }
  }
}
