#if BELLHOP_POSTGRES
import BellhopModel
import BellhopSearch
import BellhopStore
import BellhopTestSupport
import PostgresTestSupport
import Testing

@testable import BellhopStorePostgres

@Suite("Parts of statements")
struct StatementPartTests {
  @Test("placeholders are numbered in the order of the values")
  func numbers() {
    var condition = PostgresCondition("a = ?", .integer(1))
    condition.add(" AND b IN (?, ?)", .integer(2), .integer(3))
    condition.add(PostgresCondition("c = ?", .text("?")).grouped())
    #expect(condition.statement == "a = $1 AND b IN ($2, $3)(c = $4)")
    #expect(condition.values == [.integer(1), .integer(2), .integer(3), .text("?")])
  }

  @Test("words are quoted, and fields are separate")
  func vector() {
    var content = Content(app: "nas", visual: VisualContent(title: "Disk", body: "disk"))
    content.tags = []
    let vector = SearchVector(content)
    #expect(Set(vector.text.split(separator: " ")) == ["'disk':2,4", "'nas':6"])
    #expect(!vector.isCut)
    #expect(SearchVector.quoted("it's \\") == "'it''s \\\\'")
  }

  @Test("a text with more positions than a tsvector has keeps all its words")
  func cut() {
    let body = String(repeating: "a ", count: 300) + "last"
    let content = Content(app: "nas", visual: VisualContent(title: "t", body: body))
    let vector = SearchVector(content)
    #expect(vector.isCut)
    #expect(vector.text.contains("'last':"))
  }
}

extension ServerTests {
  @Suite("Statements of items")
  struct ItemStatementTests {
    /// Returns a connection to a schema of its own with all tables.
    private func open(schema: String) throws -> PostgresConnection {
      let connection = try PostgresConnection.open(cluster().settings(schema: schema))
      try PostgresSchema.migrate(connection)
      return connection
    }

    @Test("the removal of a user covers all tables with rows of users")
    func tables() throws {
      let connection = try open(schema: "removal_tables")
      let rows = try connection.run(
        """
        SELECT table_name::text AS name FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name = 'user_id'
        """)
      var names: Set<String> = []
      for row in rows { names.insert(try row.value("name")) }
      #expect(names == Set(UserTable.allCases.map(\.rawValue)))
    }

    @Test("no read of items joins or sorts all items of a user, whatever its values")
    func plans() throws {
      let connection = try open(schema: "item_plans")
      try connection.runScript(Self.manyItems)
      try connection.runScript("SET plan_cache_mode = force_generic_plan")
      let context = TransactionContext(connection, .snapshot)
      try context.begin()
      try readEverything(PostgresTransaction(context))
      let statements = try connection.run(
        """
        SELECT name, statement, cardinality(parameter_types)::int8 AS count
        FROM pg_prepared_statements WHERE statement LIKE 'SELECT%item%' AND name LIKE 's%'
        """)
      #expect(statements.count >= 12)
      for statement in statements {
        let (name, sql): (String, String) = (
          try statement.value("name"), try statement.value("statement")
        )
        let nulls = Array(repeating: "NULL", count: try statement.value("count", as: Int.self))
        let call = nulls.isEmpty ? name : "\(name) (\(nulls.joined(separator: ", ")))"
        var plan: [String] = []
        for line in try connection.run("EXPLAIN (COSTS OFF) EXECUTE \(call)") {
          plan.append(try line.value("QUERY PLAN"))
        }
        for bad in Self.slowSteps {
          #expect(!plan.contains { $0.contains(bad) }, "\(sql)\n\(plan.joined(separator: "\n"))")
        }
      }
      connection.rollback()
    }

    /// The steps of plans that take longer the more items a user has.
    private static let slowSteps = [
      "Seq Scan on item", "Hash Join", "Merge Join", "Incremental Sort", "Sort Key: i.",
      "Sort Key: s.", "Bitmap Index Scan on item_arrival", "Bitmap Index Scan on item_number",
    ]

    /// Calls every read of items once.
    private func readEverything(_ transaction: PostgresTransaction) throws {
      let (user, now) = (UserID(rawValue: 1), Timestamp(milliseconds: 5000))
      let deadline = WorkDeadline(after: .seconds(1), uptime: { .zero })
      let limit = PageLimit(rows: 100, bytes: 1 << 20)
      let id = NotificationID(high: 1, low: 1)
      let place = ArrivalKey(arrival: now, id: id)
      _ = try transaction.row(id, of: user)
      _ = try transaction.item(app: "app1", appNotificationID: "x", of: user)
      _ = try transaction.item(number: 7, of: user)
      _ = try transaction.item(collapsedUnder: [1], of: user)
      _ = try transaction.items(ItemQuery(now: now, below: place, limit: limit), of: user)
      _ = try transaction.triggeredItems(of: user)
      _ = try transaction.rows(of: user, after: SequenceNumber(100), limit: limit)
      _ = try transaction.leaving(by: now, limit: 10)
      _ = try transaction.tombstones(deletedBefore: now, limit: 10)
      for index in [PageQuery.Index.arrival, .number, .sequence] {
        for isAscending in [false, true] {
          let after: ListPlace = index == .arrival ? .arrival(place) : .number(5000)
          let query = PageQuery(
            now: now, index: index, isAscending: isAscending, after: after, limit: limit,
            scanMax: 1000, textScanMax: 1000)
          _ = try transaction.list(query, of: user, until: deadline)
        }
      }
      let search = PageQuery(
        now: now, filter: try ItemFilter(parsing: "readState eq 'unread'", limits: StoreLimits()),
        search: SearchQuery("rare \"word in\" pre"), limit: limit, scanMax: 10_000,
        textScanMax: 1000)
      _ = try transaction.list(search, of: user, until: deadline)
      _ = try transaction.count(search, of: user, until: deadline)
      _ = try transaction.matches(
        BulkQuery(now: now, setBy: OperationID(high: 1, low: 1), itemsMax: 100, scanMax: 1000),
        of: user, until: deadline)
      _ = try transaction.hasMovedItems(of: user)
    }

    /// Writes 20,000 items of one user and 5,000 of others.
    private static let manyItems = """
      INSERT INTO item (
        user_id, id, short_number, created, arrival, app, priority, title, words)
      SELECT CASE WHEN n % 5 = 0 THEN 2 + n % 50 ELSE 1 END,
        decode(md5(n::text), 'hex'), n, n, n, 'app' || n % 50, 3, 'title',
        CASE WHEN n % 5000 = 7 THEN '''rare'':1 ''title'':2'::tsvector
          ELSE '''title'':2'::tsvector END
      FROM generate_series(1, 25000) AS n;
      INSERT INTO item_state (
        user_id, id, sequence, content_sequence, changed, leaves, read_state, action, kept,
        cancelled)
      SELECT user_id, id, short_number, short_number, arrival, arrival + 100000, 'unread',
        'noInteraction', false, false
      FROM item;
      ANALYZE item;
      ANALYZE item_state;
      """
  }
}
#endif
