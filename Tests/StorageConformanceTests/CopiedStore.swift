import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopStoreSQLite
import BellhopTestSupport
import Testing

/// A store in SQLite with rows of many kinds, and empty targets beside it.
struct CopiedStore {
  let store: StoreUnderTest
  let source: SQLiteBackend
  let first: UserNotification
  let file: StoredFile
  let operations: [BellhopModel.Operation]
  let published: Published
  let other: User

  /// The result of publishing under an idempotency key.
  private static func publish(
    _ title: String, of user: UserID, by token: AccessTokenID, to service: StoreService
  ) async throws -> Published {
    try await service.publish(
      PublishRequest(
        Content(app: "ci", visual: VisualContent(title: title)),
        idempotency: IdempotencyKey(
          token: token, key: "k", bodyHash: Array(repeating: 1, count: 32))),
      for: user)
  }

  init() async throws {
    store = try await StoreUnderTest(.sqlite)
    source = try #require(store.backend as? SQLiteBackend)
    first = try await store.publish("first", appID: "a") { $0.tags = ["one", "two"] }.item
    let gone = try await store.publish("gone").item
    let second = try await store.publish("second").item
    try await store.service.delete(gone.id, for: store.user)
    file = try await store.upload("a.txt", Array("attached".utf8))
    try await store.publish("with a file", attaching: [file])
    operations = [store.operation(.read, first), store.operation(.dismiss, second)]
    _ = try await store.send(operations)
    for number: UInt64 in [1, 2] {
      _ = try await store.service.change(
        RuleID(high: number, low: number),
        RuleChange(definition: RuleTests.definition("rule \(number)")), for: store.user)
    }
    _ = try await store.service.change(RuleID(high: 2, low: 2), .removal, for: store.user)
    published = try await Self.publish(
      "once", of: store.user, by: store.token.token.id, to: store.service)
    other = try await store.service.addUser(named: "bob")
    for title in ["one", "two"] {
      _ = try await store.service.publish(
        PublishRequest(Content(app: "mail", visual: VisualContent(title: title))), for: other.id)
    }
    try await send(of: other.id, lineage: "b1")
    try await send(of: store.user, lineage: "l2")
    let stolen = try await store.service.mintToken(
      named: "stolen", scope: .device(nil), for: other.id)
    try await store.service.revokeToken(stolen.token.id, of: other.id)
    // Its id is never used again.
    try await store.service.addUser(named: "carl")
    try await store.service.removeUser(named: "carl")
  }

  /// Registers a device of a user and sends one operation through its outbox.
  private func send(of user: UserID, lineage: String) async throws {
    let id = DeviceID("device-\(lineage)")
    let token = try await store.service.mintToken(
      named: lineage, scope: .device(id), for: user)
    _ = try await store.service.register(
      DeviceRegistration(id: id, name: lineage, platform: "linux", channel: .signal),
      with: token.token.id, for: user)
    let item = try #require(try await store.service.list(rows: 1, for: user).items.first)
    _ = try await store.service.apply(
      OperationBatch(
        device: id, lineage: Lineage(lineage),
        operations: [NumberedOperation(number: 1, operation: store.operation(.read, item))]),
      for: user)
  }

  /// An empty storage.
  struct Target {
    let backend: any StorageBackend
    let files = MemoryShelf()

    /// Runs one statement in a target in SQLite.
    func inspect(_ sql: String) async throws -> [[String]] {
      try await #require(backend as? SQLiteBackend).inspect(sql)
    }
  }

  func target(_ name: String = "target") throws -> Target {
    Target(backend: try SQLiteBackend(path: store.directory.file(name + ".sqlite")))
  }

  func target(_ name: String = "target", of kind: BackendKind) async throws -> Target {
    switch kind {
    case .memory: return Target(backend: MemoryBackend())
    case .sqlite: return try target(name)
    #if BELLHOP_POSTGRES
      case .postgres: return Target(backend: try await TemporaryPostgres.open())
    #endif
    }
  }

  func open(_ target: Target) async throws -> StoreService {
    try await StoreService.open(
      .starting, on: target.backend, environment: store.environment, limits: store.limits,
      shelf: target.files)
  }

  func copy(to target: Target, rows: Int = 500) -> StoreCopy {
    StoreCopy(
      from: source, files: store.shelf, to: target.backend, files: target.files,
      limit: PageLimit(rows: rows, bytes: 1 << 20))
  }

  func move(to target: Target) async throws -> CopyReport {
    try await copy(to: target).run(environment: store.environment, targetName: "elsewhere")
  }

  /// Cancels the task that calls it, as from a step of a copy.
  static func cancelTask() {
    withUnsafeCurrentTask { task in
      if let task { task.cancel() }
    }
  }

  /// Expects the same rows in all tables that move.
  ///
  /// - Parameter starts: The number of starts that the target has in addition.
  func expectSameRows(in target: Target, furtherStarts starts: Int = 0) async throws {
    for table in CopiedTable.allCases {
      switch table {
      case .outbox, .outboxNumber:
        // Each database has other ids of outboxes.
        #expect(
          try await Self.rows(of: table, in: target.backend)
            == Self.rows(of: table, in: source))
      case .metadata, .start, .user, .startSequence, .device, .accessToken, .forgottenToken,
        .subject, .signIn, .app, .appAlias, .appProfile, .item, .rule, .publication, .operation,
        .bulkWork, .awaitedResponse, .subscription, .file, .itemAlias, .resolution:
        let condition =
          table == .metadata ? "WHERE key IN ('epoch', 'tokenKey', 'retention', 'clock')" : ""
        let keys = table.columns.prefix(table.keyCount).map { "\"\($0.name)\"" }
        let sql =
          "SELECT * FROM \"\(table.name)\" \(condition) ORDER BY \(keys.joined(separator: ", "))"
        let found = try await target.inspect(sql).dropLast(table == .start ? starts : 0)
        #expect(try await Array(found) == source.inspect(sql), "\(table.name)")
      }
    }
  }

  /// All rows of a table, as they move.
  private static func rows(
    of table: CopiedTable, in backend: any StorageBackend
  ) async throws -> [CopiedRow] {
    try await backend.read { state in
      try #require(state as? any CopyReading).copiedRows(
        of: table, after: nil, limit: PageLimit(rows: 1000, bytes: .max))
    }
  }

  /// Expects items, tokens, attachments and idempotency keys as before.
  func expectSameContent(in service: StoreService) async throws {
    for user in [store.user, other.id] {
      let items = try await service.list(rows: 100, for: user).items
      #expect(try await items == store.service.list(rows: 100, for: user).items)
    }
    let principal = try await service.authenticate(store.token.secret)
    #expect(principal.user.id == store.user)
    let (_, bytes) = try await service.openFile(file.id)
    #expect(try await bytes.read(at: 0, count: 100) == Array("attached".utf8))
    let again = try await Self.publish(
      "once", of: store.user, by: store.token.token.id, to: service)
    #expect(again.isRepeat)
    #expect(again.item.id == published.item.id)
  }
}
