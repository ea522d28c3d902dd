package import BellhopModel

extension StoreService {
  /// See ``StoreLogic/pendingRequests(of:page:rows:isForPublisher:for:reader:in:)``.
  package func pendingRequests(
    of app: String?, page: PageToken? = nil, rows: Int, isForPublisher: Bool = false,
    for user: UserID, reader: RegistrationEnvironment = .production
  ) async throws(StoreError) -> PendingPage {
    try await longRead(.list, for: user) {
      try $0.pendingRequests(
        of: app, page: page, rows: rows, isForPublisher: isForPublisher, for: user,
        reader: reader, in: $1)
    }
  }

  /// Cancels an app's pending requests: those that are named, or all if none is named.
  ///
  /// All of an app take several transactions. Repeating a call that failed continues it.
  package func cancelRequests(
    _ names: ItemNames, of app: String, for user: UserID
  ) async throws(StoreError) {
    let cancel: Change = { try $0.cancelRequests($1, for: user, in: $2) }
    guard names.isEmpty else { return try await change(names, of: app, for: user, cancel) }
    // Each list may have requests that the other lacks: cancelled by the user, or pinned.
    for isForPublisher in [true, false] {
      var page: PageToken?
      repeat {
        let pending = try await pendingRequests(
          of: app, page: page, rows: limits.sweepItemsMax, isForPublisher: isForPublisher,
          for: user, reader: .development)
        try await change(pending.requests.map(\.item.id), of: user, cancel)
        page = pending.next
      } while page != nil
    }
  }

  /// Removes an app's delivered items: those that are named, or all if none is named.
  ///
  /// All of an app take several transactions. Repeating a call that failed continues it.
  package func removeDelivered(
    _ names: ItemNames, of app: String, for user: UserID
  ) async throws(StoreError) {
    let remove: Change = { try $0.removeDelivered($1, for: user, in: $2) }
    guard names.isEmpty else { return try await change(names, of: app, for: user, remove) }
    try await write(of: user) { try remove($0, $0.triggeredIDs(of: app, for: user, in: $1), $1) }
    var place: ArrivalKey?
    repeat {
      let below = place
      let found = try await longRead(.list, for: user) {
        try $0.items(of: app, below: below, for: user, in: $1)
      }
      try await change(found.keys.map(\.id), of: user, remove)
      place = found.place
    } while place != nil
  }

  /// Changes items of a user; returns the user's sequence afterwards.
  private typealias Change =
    @Sendable (StoreLogic, [NotificationID], any StoreTransaction) throws -> SequenceNumber

  private func change(
    _ names: ItemNames, of app: String, for user: UserID, _ change: @escaping Change
  ) async throws(StoreError) {
    try await write(of: user) { try change($0, $0.ids(of: names, app: app, for: user, in: $1), $1) }
  }

  private func change(
    _ ids: [NotificationID], of user: UserID, _ change: @escaping Change
  ) async throws(StoreError) {
    if !ids.isEmpty { try await write(of: user) { try change($0, ids, $1) } }
  }

  /// Writes items of a user, and tells their devices.
  private func write(
    of user: UserID,
    _ body: @escaping @Sendable (StoreLogic, any StoreTransaction) throws -> SequenceNumber
  ) async throws(StoreError) {
    _ = try await write(in: .user(user), body, committed: { [self] in raise($0, for: user) })
  }
}
