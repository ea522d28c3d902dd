internal import BellhopModel

extension StoreService {
  /// See ``StoreLogic/pendingRequests(of:page:rows:for:in:)``.
  package func pendingRequests(
    of app: String?, page: PageToken? = nil, rows: Int, for user: UserID
  ) async throws(StoreError) -> PendingPage {
    try await longRead(.list, for: user) {
      try $0.pendingRequests(of: app, page: page, rows: rows, for: user, in: $1)
    }
  }

  /// Cancels an app's pending requests: those that are named, or all if none is named.
  ///
  /// All of an app take several transactions. Repeating a call that failed continues it.
  package func cancelRequests(
    _ names: ItemNames, of app: String, for user: UserID
  ) async throws(StoreError) {
    guard names.isEmpty else {
      return try await write(of: user) {
        let ids = try $0.ids(of: names, app: app, for: user, in: $1)
        return try $0.cancelRequests(ids, for: user, in: $1)
      }
    }
    var page: PageToken?
    repeat {
      let pending = try await pendingRequests(
        of: app, page: page, rows: limits.sweepItemsMax, for: user)
      let ids = pending.requests.map(\.item.id)
      if !ids.isEmpty {
        try await write(of: user) { try $0.cancelRequests(ids, for: user, in: $1) }
      }
      page = pending.next
    } while page != nil
  }

  /// Removes an app's delivered items: those that are named, or all if none is named.
  ///
  /// All of an app take several transactions. Repeating a call that failed continues it.
  package func removeDelivered(
    _ names: ItemNames, of app: String, for user: UserID
  ) async throws(StoreError) {
    guard names.isEmpty else {
      return try await write(of: user) {
        let ids = try $0.ids(of: names, app: app, for: user, in: $1)
        return try $0.removeDelivered(ids, for: user, in: $1)
      }
    }
    try await write(of: user) {
      let ids = try $0.triggeredIDs(of: app, for: user, in: $1)
      return try $0.removeDelivered(ids, for: user, in: $1)
    }
    var place: ArrivalKey?
    repeat {
      let below = place
      let found = try await longRead(.list, for: user) {
        try $0.items(of: app, below: below, for: user, in: $1)
      }
      let ids = found.keys.map(\.id)
      if !ids.isEmpty {
        try await write(of: user) { try $0.removeDelivered(ids, for: user, in: $1) }
      }
      place = found.place
    } while place != nil
  }

  /// Writes items of a user, and tells their devices.
  private func write(
    of user: UserID,
    _ body: @escaping @Sendable (StoreLogic, any StoreTransaction) throws -> SequenceNumber
  ) async throws(StoreError) {
    _ = try await write(body, committed: { [self] in raise($0, for: user) })
  }
}
