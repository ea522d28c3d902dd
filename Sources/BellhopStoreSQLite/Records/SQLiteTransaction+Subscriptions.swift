internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func subscription(_ id: SubscriptionID, of user: UserID) throws -> Subscription? {
    try first(
      "SELECT \(SubscriptionColumn.list) FROM subscription WHERE user = ? AND id = ?",
      [user.rawValue, id.blob], Subscription.init(row:))
  }

  func subscriptions(of user: UserID) throws -> [Subscription] {
    try all(
      "SELECT \(SubscriptionColumn.list) FROM subscription WHERE user = ? ORDER BY id",
      [user.rawValue], Subscription.init(row:))
  }

  func subscriptions(after key: SubscriptionKey?, limit: Int) throws -> [Subscription] {
    let sql = "SELECT \(SubscriptionColumn.list) FROM subscription"
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
      SELECT id, sequence, short_number, deleted IS NOT NULL, environment IS NOT NULL FROM item
      WHERE user = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, [user.rawValue, after.rawValue, limit]
    ) { row in
      ItemChange(
        id: try row.id(0), sequence: SequenceNumber(row[1]), shortNumber: row[2],
        isDeleted: row[3], isDevelopment: row[4])
    }
  }

  func put(_ subscription: Subscription) throws {
    try run(
      """
      INSERT OR REPLACE INTO subscription (\(SubscriptionColumn.list))
      VALUES (\(SubscriptionColumn.allCases.map { _ in "?" }.joined(separator: ", ")))
      """, SubscriptionColumn.allCases.map(subscription.value(of:)))
  }

  func removeSubscription(_ id: SubscriptionID, of user: UserID) throws {
    try run("DELETE FROM subscription WHERE user = ? AND id = ?", [user.rawValue, id.blob])
  }
}

private enum SubscriptionColumn: Int, TableColumn {
  case user, id, token, changeTypes, resource, notificationUrl, lifecycleUrl, clientState
  case tlsVersion, created, expires, epoch, through, knownNumber
  case occurredThrough
  case failures, failingSince, retryAt, pending
  case lifecycleFailures, lifecycleFailingSince, lifecycleRetryAt
}

extension Subscription {
  fileprivate func value(of column: SubscriptionColumn) -> (any DatabaseValueConvertible)? {
    switch column {
    case .user: user.rawValue
    case .id: id.blob
    case .token: token.blob
    case .changeTypes: request.changeTypes.description
    case .resource: request.resource
    case .notificationUrl: request.notificationURL
    case .lifecycleUrl: request.lifecycleURL
    case .clientState: request.clientState?.text
    case .tlsVersion: request.tlsVersion
    case .created: created.milliseconds
    case .expires: request.expires.milliseconds
    case .epoch: progress.epoch.rawValue
    case .through: progress.through.rawValue
    case .knownNumber: progress.knownNumber
    case .occurredThrough: progress.occurredThrough.milliseconds
    case .failures: progress.delivery.failures
    case .failingSince: progress.delivery.since?.milliseconds
    case .retryAt: progress.delivery.next?.milliseconds
    case .pending: progress.pending?.rawValue
    case .lifecycleFailures: progress.lifecycle.failures
    case .lifecycleFailingSince: progress.lifecycle.since?.milliseconds
    case .lifecycleRetryAt: progress.lifecycle.next?.milliseconds
    }
  }

  fileprivate init(row: Row) throws {
    let row = NamedRow<SubscriptionColumn>(row)
    guard let changeTypes = ChangeTypes(row[.changeTypes] as String) else { throw row.damaged() }
    let request = SubscriptionRequest(
      changeTypes: changeTypes, resource: row[.resource], notificationURL: row[.notificationUrl],
      lifecycleURL: row[.lifecycleUrl],
      clientState: (row[.clientState] as String?).map { ClientState($0) },
      expires: row.time(.expires), tlsVersion: row[.tlsVersion])
    var progress = HookProgress(
      epoch: Epoch(row[.epoch] as String), through: SequenceNumber(row[.through]),
      knownNumber: row[.knownNumber], occurredThrough: row.time(.occurredThrough))
    progress.delivery.failures = row[.failures]
    progress.delivery.since = row.optionalTime(.failingSince)
    progress.delivery.next = row.optionalTime(.retryAt)
    if row[.pending] as String? != nil { progress.pending = try row.value(.pending) }
    progress.lifecycle.failures = row[.lifecycleFailures]
    progress.lifecycle.since = row.optionalTime(.lifecycleFailingSince)
    progress.lifecycle.next = row.optionalTime(.lifecycleRetryAt)
    self.init(
      id: try row.id(.id), user: UserID(rawValue: row[.user]), token: try row.id(.token),
      request: request, created: row.time(.created), progress: progress)
  }
}
