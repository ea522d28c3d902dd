internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  private static let subscriptionColumns = """
    user, id, token, change_types, resource, notification_url, lifecycle_url, client_state, \
    tls_version, created, expires, epoch, through, known_number, failures, failing_since, \
    retry_at, pending, lifecycle_failures, lifecycle_failing_since, lifecycle_retry_at
    """

  func subscription(_ id: SubscriptionID, of user: UserID) throws -> Subscription? {
    try first(
      "SELECT \(Self.subscriptionColumns) FROM subscription WHERE user = ? AND id = ?",
      [user.rawValue, id.blob], Subscription.init(row:))
  }

  func subscriptions(of user: UserID) throws -> [Subscription] {
    try all(
      "SELECT \(Self.subscriptionColumns) FROM subscription WHERE user = ? ORDER BY id",
      [user.rawValue], Subscription.init(row:))
  }

  func subscriptions(after key: SubscriptionKey?, limit: Int) throws -> [Subscription] {
    let sql = "SELECT \(Self.subscriptionColumns) FROM subscription"
    guard let key else {
      return try all(
        sql + " ORDER BY user, id LIMIT ?", [limit], Subscription.init(row:))
    }
    return try all(
      sql + " WHERE (user, id) > (?, ?) ORDER BY user, id LIMIT ?",
      [key.user.rawValue, key.id.blob, limit], Subscription.init(row:))
  }

  func changes(
    of user: UserID, after: SequenceNumber, limit: Int
  ) throws -> [ItemChange] {
    try all(
      """
      SELECT id, sequence, short_number, deleted IS NOT NULL FROM item
      WHERE user = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, [user.rawValue, after.rawValue, limit]
    ) { row in
      ItemChange(
        id: try row.id(0), sequence: SequenceNumber(row[1]), shortNumber: row[2],
        isDeleted: row[3])
    }
  }

  func put(_ subscription: Subscription) throws {
    try run(
      """
      INSERT OR REPLACE INTO subscription (\(Self.subscriptionColumns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, subscription.columns)
  }

  func removeSubscription(_ id: SubscriptionID, of user: UserID) throws {
    try run("DELETE FROM subscription WHERE user = ? AND id = ?", [user.rawValue, id.blob])
  }
}

extension Subscription {
  /// In the order of the columns, which ``init(row:)`` reads in the same.
  fileprivate var columns: [(any DatabaseValueConvertible)?] {
    [
      user.rawValue, id.blob, token.blob, request.changeTypes.description, request.resource,
      request.notificationURL, request.lifecycleURL, request.clientState?.text,
      request.tlsVersion, created.milliseconds, request.expires.milliseconds,
      progress.epoch.rawValue, progress.through.rawValue, progress.knownNumber,
      progress.delivery.failures, progress.delivery.since?.milliseconds,
      progress.delivery.next?.milliseconds, progress.pending?.rawValue,
      progress.lifecycle.failures, progress.lifecycle.since?.milliseconds,
      progress.lifecycle.next?.milliseconds,
    ]
  }

  fileprivate init(row: Row) throws {
    guard let changeTypes = ChangeTypes(row[3] as String) else { throw row.damaged() }
    let request = SubscriptionRequest(
      changeTypes: changeTypes, resource: row[4], notificationURL: row[5], lifecycleURL: row[6],
      clientState: (row[7] as String?).map { ClientState($0) }, expires: row.time(10),
      tlsVersion: row[8])
    var progress = HookProgress(
      epoch: Epoch(row[11] as String), through: SequenceNumber(row[12]), knownNumber: row[13])
    progress.delivery = HookRetry(row: row, at: 14)
    if row[17] as String? != nil { progress.pending = try row.value(17) }
    progress.lifecycle = HookRetry(row: row, at: 18)
    self.init(
      id: try row.id(1), user: UserID(rawValue: row[0]), token: try row.id(2), request: request,
      created: row.time(9), progress: progress)
  }
}

extension HookRetry {
  fileprivate init(row: Row, at index: Int) {
    self.init()
    failures = row[index]
    since = row.optionalTime(index + 1)
    next = row.optionalTime(index + 2)
  }
}
