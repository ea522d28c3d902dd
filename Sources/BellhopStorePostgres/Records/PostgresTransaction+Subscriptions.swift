#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// Web hooks.
extension PostgresTransaction {
  func subscription(_ id: SubscriptionID, of user: UserID) throws -> Subscription? {
    try first(
      "SELECT \(Subscription.columns) FROM subscription WHERE user_id = $1 AND id = $2",
      [.user(user), .id(id)], Subscription.init(row:))
  }

  func subscriptions(of user: UserID) throws -> [Subscription] {
    try all(
      "SELECT \(Subscription.columns) FROM subscription WHERE user_id = $1 ORDER BY id",
      [.user(user)], Subscription.init(row:))
  }

  func subscriptions(after key: SubscriptionKey?, limit: Int) throws -> [Subscription] {
    guard let key else {
      return try all(
        "SELECT \(Subscription.columns) FROM subscription ORDER BY user_id, id LIMIT $1",
        [.count(limit)], Subscription.init(row:))
    }
    return try all(
      """
      SELECT \(Subscription.columns) FROM subscription WHERE (user_id, id) > ($1, $2)
      ORDER BY user_id, id LIMIT $3
      """, [.user(key.user), .id(key.id), .count(limit)], Subscription.init(row:))
  }

  func changes(
    of user: UserID, after: SequenceNumber, limit: Int
  ) throws -> [ItemChange] {
    try all(
      """
      SELECT i.id, s.sequence, i.short_number, i.deleted IS NOT NULL AS is_deleted,
        i.environment IS NOT NULL AS is_development
      FROM \(PostgresItemRow.tables)
      WHERE s.user_id = $1 AND s.sequence > $2 ORDER BY s.sequence LIMIT $3
      """, [.user(user), .sequence(after), .count(limit)]
    ) { row in
      ItemChange(
        id: try row.id("id"), sequence: try row.sequence("sequence"),
        shortNumber: try row.value("short_number"), isDeleted: try row.value("is_deleted"),
        isDevelopment: try row.value("is_development"))
    }
  }

  func put(_ subscription: Subscription) throws {
    let request = subscription.request
    let progress = subscription.progress
    try write(
      """
      INSERT INTO subscription (\(Subscription.columns))
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
        $20, $21, $22)
      ON CONFLICT (user_id, id) DO UPDATE SET
        token = excluded.token, change_types = excluded.change_types,
        resource = excluded.resource, notification_url = excluded.notification_url,
        lifecycle_url = excluded.lifecycle_url, client_state = excluded.client_state,
        tls_version = excluded.tls_version, created = excluded.created,
        expires = excluded.expires, epoch = excluded.epoch, through = excluded.through,
        known_number = excluded.known_number, occurred_through = excluded.occurred_through,
        failures = excluded.failures, failing_since = excluded.failing_since,
        retry_at = excluded.retry_at, pending = excluded.pending,
        lifecycle_failures = excluded.lifecycle_failures,
        lifecycle_failing_since = excluded.lifecycle_failing_since,
        lifecycle_retry_at = excluded.lifecycle_retry_at
      """,
      [
        .user(subscription.user), .id(subscription.id), .id(subscription.token),
        .text(request.changeTypes.description), .text(request.resource),
        .text(request.notificationURL), .text(request.lifecycleURL),
        .text(request.clientState?.text), .text(request.tlsVersion),
        .time(subscription.created), .time(request.expires), .text(progress.epoch.rawValue),
        .sequence(progress.through), .integer(progress.knownNumber),
        .time(progress.occurredThrough), .count(progress.delivery.failures),
        .time(progress.delivery.since), .time(progress.delivery.next),
        .text(progress.pending?.rawValue), .count(progress.lifecycle.failures),
        .time(progress.lifecycle.since), .time(progress.lifecycle.next),
      ])
  }

  func removeSubscription(_ id: SubscriptionID, of user: UserID) throws {
    try write("DELETE FROM subscription WHERE user_id = $1 AND id = $2", [.user(user), .id(id)])
  }
}

extension Subscription {
  fileprivate static let columns = """
    user_id, id, token, change_types, resource, notification_url, lifecycle_url, client_state,
      tls_version, created, expires, epoch, through, known_number, occurred_through, failures,
      failing_since, retry_at, pending, lifecycle_failures, lifecycle_failing_since,
      lifecycle_retry_at
    """

  fileprivate init(row: PostgresRow) throws {
    guard let changeTypes = ChangeTypes(try row.text("change_types")) else { throw row.damaged() }
    let clientState = try row.textIfAny("client_state").map { ClientState($0) }
    let request = SubscriptionRequest(
      changeTypes: changeTypes, resource: try row.text("resource"),
      notificationURL: try row.text("notification_url"),
      lifecycleURL: try row.textIfAny("lifecycle_url"), clientState: clientState,
      expires: try row.time("expires"), tlsVersion: try row.textIfAny("tls_version"))
    var progress = HookProgress(
      epoch: try row.name("epoch"), through: try row.sequence("through"),
      knownNumber: try row.value("known_number"),
      occurredThrough: try row.time("occurred_through"))
    progress.delivery.failures = try row.value("failures")
    progress.delivery.since = try row.timeIfAny("failing_since")
    progress.delivery.next = try row.timeIfAny("retry_at")
    progress.pending = try row.nameIfAny("pending")
    progress.lifecycle.failures = try row.value("lifecycle_failures")
    progress.lifecycle.since = try row.timeIfAny("lifecycle_failing_since")
    progress.lifecycle.next = try row.timeIfAny("lifecycle_retry_at")
    self.init(
      id: try row.id("id"), user: try row.user("user_id"), token: try row.id("token"),
      request: request, created: try row.time("created"), progress: progress)
  }
}
#endif
