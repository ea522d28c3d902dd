#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import BellhopStorePostgres

/// A user with many items in a cluster, made within some minutes.
///
/// The store itself writes the newest 10,000 items. The others, a multiple of them, are copies of their
/// rows with earlier times and lower numbers. Indexes are built afterwards, which is much faster.
struct ItemFill {
  let cluster: BenchCluster
  let kind: ItemKind

  /// The most items that the store writes.
  private static let writtenMax = 10_000
  /// The number of items in a transaction.
  private static let step = 500

  static func userName(items: Int) -> String { "bench\(items)" }

  /// Creates the user and the items.
  ///
  /// - Parameter items: At most ``writtenMax``, or a multiple of it.
  /// - Returns: The tokens of the devices, in the order of `StoreFolder.deviceNames`, followed by a
  ///   publish token.
  @discardableResult
  func make(items: Int) async throws -> [String] {
    guard items <= Self.writtenMax || items.isMultiple(of: Self.writtenMax) else {
      let most = shortCount(Self.writtenMax)
      throw BenchError(
        "\(items) is not a valid size over PostgreSQL. Use a multiple of \(most) above \(most).")
    }
    Files.say("making \(shortCount(items)) items in PostgreSQL …", to: 2)
    let written = min(items, Self.writtenMax)
    let (kind, step) = (self.kind, Self.step)
    let (user, tokens) = try await cluster.withStore {
      (service: StoreService, backend: PostgresBackend) async throws -> (UserID, [String]) in
      let user = try await service.addUser(named: Self.userName(items: items)).id
      var tokens: [String] = []
      for name in StoreFolder.deviceNames {
        tokens.append(
          try await service.mintToken(named: name, scope: .device(nil), for: user).secret.text)
      }
      tokens.append(
        try await service.mintToken(named: "publish", scope: .publish(.any), for: user)
          .secret.text)
      let maker = FillMaker(kind, written: written, items: items)
      for start in stride(from: 0, to: written, by: step) {
        try await backend.write(
          in: .user(user),
          { transaction in
            for index in start..<min(start + step, written) {
              let item = maker.item(index)
              try transaction.put(
                item, leaves: item.arrival.advanced(by: .seconds(365 * 86_400)), of: user)
            }
          }, committed: { _ in })
      }
      try await backend.write(
        in: .user(user),
        { transaction in
          guard var counters = try transaction.counters(of: user) else { return }
          counters.sequence = SequenceNumber(Int64(items))
          counters.shortNumber = Int64(items)
          counters.use.items = items
          try transaction.setCounters(counters, of: user)
        }, committed: { _ in })
      return (user, tokens)
    }
    try cluster.withConnection { connection in
      if items > written { try copy(to: items, from: written, of: user, on: connection) }
      try connection.runScript("VACUUM (ANALYZE) item")
      try connection.runScript("VACUUM (ANALYZE) item_state")
      try connection.runScript("VACUUM (ANALYZE) users")
      try connection.runScript("CHECKPOINT")
    }
    return tokens
  }

  /// Adds copies of the written items until the user has all items.
  private func copy(
    to items: Int, from written: Int, of user: UserID, on connection: PostgresConnection
  ) throws {
    let copies = items / written - 1
    for table in ["item", "item_state"] {
      try connection.runScript(
        """
        CREATE TEMPORARY TABLE written_\(table) AS
        SELECT * FROM \(table) WHERE user_id = \(user.rawValue);
        ANALYZE written_\(table);
        """)
    }
    let indexes = try connection.run(
      """
      SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE schemaname = current_schema() AND tablename IN ('item', 'item_state')
        AND indexname NOT LIKE '%_pkey'
      """
    ).map { row -> (name: String, definition: String) in
      (name: try row.value("name"), definition: try row.value("definition"))
    }
    try connection.run("SET maintenance_work_mem = '256MB'")
    // The sessions of the store switch off what a copy of whole tables needs.
    for name in ["enable_hashjoin", "enable_mergejoin", "enable_seqscan"] {
      try connection.run("SET \(name) = on")
    }
    for index in indexes { try connection.runScript("DROP INDEX \(index.name)") }
    let tables = [
      (name: "item", alias: "i", columns: try columns(of: "item", on: connection)),
      (name: "item_state", alias: "s", columns: try columns(of: "item_state", on: connection)),
    ]
    // The oldest first, as they would have arrived.
    for place in (1...copies).reversed() {
      let number = "- \(place * written)"
      let time = "- \(Int64(place) * FillMaker.span * Int64(written) / Int64(items))"
      let id = """
        substring(int8send(i.arrival \(time)) FROM 3) || substring(i.id FROM 7 FOR 4)
          || substring(int8send(i.short_number \(number)) FROM 3)
        """
      let changes = [
        "id": id, "short_number": "i.short_number \(number)", "created": "i.created \(time)",
        "arrival": "i.arrival \(time)", "sequence": "s.sequence \(number)",
        "content_sequence": "s.content_sequence \(number)", "changed": "s.changed \(time)",
      ]
      for table in tables {
        let values = table.columns.map { changes[$0] ?? "\(table.alias).\($0)" }
        try connection.runScript(
          """
          INSERT INTO \(table.name) (\(table.columns.joined(separator: ", ")))
          SELECT \(values.joined(separator: ", "))
          FROM written_item i JOIN written_item_state s ON s.id = i.id ORDER BY i.arrival
          """)
      }
    }
    for index in indexes { try connection.runScript(index.definition) }
  }

  private func columns(
    of table: String, on connection: PostgresConnection
  ) throws -> [String] {
    try connection.run(
      """
      SELECT attname AS name FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      ORDER BY attnum
      """, .text(table)
    ).map { row -> String in try row.value("name") }
  }
}

/// A generator of the newest items of a larger number.
private struct FillMaker: Sendable {
  /// The time over which all items are spread, in milliseconds.
  static let span: Int64 = 300 * 86_400_000

  private let maker: ItemMaker
  private let written: Int
  private let items: Int
  private let device = Author(kind: .device, id: "other", name: "work-laptop")

  init(_ kind: ItemKind, written: Int, items: Int) {
    self.written = written
    self.items = items
    maker = ItemMaker(
      kind, end: Workspace.now().advanced(by: .seconds(-60)), count: written)
  }

  func item(_ index: Int) -> UserNotification {
    let made = maker.notification(index, device: device)
    let number = Int64(items - written + index + 1)
    let arrival = Timestamp(
      milliseconds: maker.end.milliseconds
        - Self.span * Int64(written - index - 1) / Int64(items))
    var random = SplitMix(seed: UInt64(number))
    var state = made.state
    state.sequence = SequenceNumber(number)
    state.contentSequence = SequenceNumber(number)
    return UserNotification(
      id: .version7(at: arrival, random: (random.next(), random.next())), shortNumber: number,
      created: arrival, arrival: arrival, content: made.content, state: state)
  }
}
#endif
