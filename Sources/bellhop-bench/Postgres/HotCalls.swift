#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import BellhopStorePostgres

/// A statement that the store has sent, with its values.
struct SentStatement: Hashable, Sendable {
  /// The call that has sent it first, such as `A publication`.
  var call: String
  /// The `SET LOCAL` statements that apply to it.
  var settings: [String]
  var sql: String
  var values: [PostgresValue]
}

/// The frequent calls of the store, and the statements that they send.
///
/// A call that becomes frequent needs an entry below. The recorder finds its statements.
struct HotCalls {
  let cluster: BenchCluster
  /// The number of items of the user whose calls are recorded.
  let items: Int

  /// The rows of a user, as the calls need them.
  private struct Place: Sendable {
    let service: StoreService
    let backend: PostgresBackend
    let user: UserID
    let token: AccessToken
    let secret: AccessTokenSecret
    /// Some items of the tray, newest first.
    let items: [UserNotification]
    let delta: DeltaToken

    static let device = DeviceID("explained")
  }

  private struct Call: Sendable {
    let name: String
    let run: @Sendable (Place) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Place) async throws -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Returns the statements of all calls, each once.
  func statements() async throws -> [SentStatement] {
    let recorder = StatementRecorder()
    return try await cluster.withStore(recorder: recorder) {
      (service: StoreService, backend: PostgresBackend) async throws -> [SentStatement] in
      let place = try await prepare(service, backend)
      var found: [SentStatement] = []
      var known: Set<String> = []
      for call in Self.calls {
        let sessions = try await recorder.record { try await call.run(place) }
        for session in sessions {
          for statement in Self.statements(of: call.name, in: session)
          where known.insert(statement.sql).inserted {
            found.append(statement)
          }
        }
      }
      return found
    }
  }

  /// Returns the statements of a session that have a plan.
  private static func statements(of call: String, in session: [StatementStep]) -> [SentStatement] {
    var settings: [String: String] = [:]
    var found: [SentStatement] = []
    for step in session {
      guard case .statement(let sql, let values) = step else { continue }
      let words = sql.split(separator: " ").prefix(3)
      if words.starts(with: ["SET", "LOCAL"]) {
        settings[String(words.last ?? "")] = sql
      } else if ["BEGIN", "COMMIT", "ROLLBACK"].contains(words.first ?? "") {
        settings = [:]
      } else if isExplained(sql) {
        found.append(
          SentStatement(
            call: call, settings: settings.sorted { $0.key < $1.key }.map(\.value), sql: sql,
            values: values))
      }
    }
    return found
  }

  /// Whether a statement has a plan that depends on the number of rows.
  private static func isExplained(_ sql: String) -> Bool {
    ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { sql.hasPrefix($0) }
      && !sql.contains("pg_advisory_xact_lock")
  }

  private func prepare(
    _ service: StoreService, _ backend: PostgresBackend
  ) async throws -> Place {
    let user = try await service.user(named: ItemFill.userName(items: items)).id
    let minted = try await service.mintToken(named: "explain", scope: .device(nil), for: user)
    _ = try await service.authenticate(minted.secret)
    _ = try await service.register(
      DeviceRegistration(
        id: Place.device, name: "explained", platform: "bench", channel: .signal),
      with: minted.token.id, for: user)
    // Apps and app notification ids that the calls meet again.
    _ = try await service.publish(PublishRequest(Self.named), for: user)
    let page = try await service.list(rows: 200, for: user)
    let start = try await service.delta(from: .beginning, rows: 1, for: user)
    guard let delta = start.started, page.items.count == 200 else {
      throw BenchError("the user has too few items")
    }
    for item in page.items.prefix(100) {
      _ = try await service.change(
        item.id, StateChange(pinned: !item.state.pinned.value), by: Self.author, for: user)
    }
    return Place(
      service: service, backend: backend, user: user, token: minted.token, secret: minted.secret,
      items: page.items, delta: delta)
  }

  private static let author = Author(kind: .device, id: "explained", name: "explained")

  /// Content with an app notification id, which a later publication replaces.
  private static var named: Content {
    var content = BenchRequests.sample()
    content.appNotificationID = "explained"
    return content
  }

  private static let calls = writes + reads + upkeep

  private static let writes: [Call] = [
    Call("A token is looked up") { place in
      _ = try await place.service.authenticate(place.secret)
    },
    Call("A publication") { place in
      _ = try await place.service.publish(
        PublishRequest(BenchRequests.sample()), for: place.user)
    },
    Call("A publication that replaces an item") { place in
      _ = try await place.service.publish(PublishRequest(HotCalls.named), for: place.user)
    },
    Call("A publication with an idempotency key") { place in
      let key = IdempotencyKey(
        token: place.token.id, key: "explained", bodyHash: Array(repeating: 1, count: 32))
      _ = try await place.service.publish(
        PublishRequest(BenchRequests.sample(), idempotency: key), for: place.user)
    },
    Call("A device dismisses an item") { place in
      _ = try await place.service.change(
        place.items[150].id, StateChange(userActionState: .dismissed), by: HotCalls.author,
        for: place.user)
    },
    Call("The outbox of a device") { place in
      let operation = Operation(
        id: OperationID(high: 7, low: 7), target: .item(place.items[151].id),
        mutation: .set(StateChange(userActionState: .dismissed)))
      let numbered = NumberedOperation(number: 1, operation: operation)
      _ = try await place.service.apply(
        OperationBatch(
          device: Place.device, lineage: Lineage("explained"), operations: [numbered]),
        for: place.user)
    },
    Call("An item is deleted") { place in
      _ = try await place.service.delete(place.items[152].id, for: place.user)
    },
  ]

  private static let reads: [Call] = [
    Call("A delta of 100 items") { place in
      _ = try await place.service.delta(from: .since(place.delta), rows: 1000, for: place.user)
    },
    Call("Two pages of a first synchronisation") { place in
      let page = try await place.service.delta(from: .beginning, rows: 500, for: place.user)
      guard case .next(let next) = page.end else { return }
      _ = try await place.service.delta(from: .page(next), rows: 500, for: place.user)
    },
    Call("Two pages of a list") { place in
      let page = try await place.service.list(rows: 100, for: place.user)
      guard let next = page.next else { return }
      _ = try await place.service.list(page: next, rows: 100, for: place.user)
    },
    Call("A list of one app, with its count") { place in
      var predicate = Predicate()
      predicate.app = "nas"
      let request = ListRequest(filter: predicate.condition, rows: 100, isCounted: true)
      _ = try await place.service.list(request, for: place.user)
    },
    Call("A search for frequent words") { place in
      let request = ListRequest(search: "backup failed", rows: 50)
      _ = try await place.service.list(request, for: place.user)
    },
    Call("A search for rare words, with its count") { place in
      let request = ListRequest(search: ItemMaker.newestMark, rows: 50, isCounted: true)
      _ = try await place.service.list(request, for: place.user)
    },
    Call("An item by its number") { place in
      _ = try await place.service.item(number: place.items[160].shortNumber, of: place.user)
    },
  ]

  private static let upkeep: [Call] = [
    Call("The check of open streams") { place in
      let key = UserToken(user: place.user, id: place.token.id)
      let (user, now) = (place.user, place.service.now)
      try await place.backend.read { state in
        _ = try state.sequences(of: [user])
        _ = try state.tokens(among: [key], holdingAt: now)
      }
    },
    Call("A sweep") { place in _ = try await place.service.sweep() },
  ]
}
#endif
