import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import Testing

/// A backend, and whether its index has caught up before a search.
struct SearchedBackend: Sendable, CustomTestStringConvertible {
  var kind: BackendKind
  var isIndexed: Bool

  var testDescription: String { "\(kind)\(isIndexed ? ", indexed" : "")" }

  static let all = [
    SearchedBackend(kind: .memory, isIndexed: false),
    SearchedBackend(kind: .sqlite, isIndexed: false),
    SearchedBackend(kind: .sqlite, isIndexed: true),
  ]
}

@Suite("Search")
struct SearchTests {
  /// Adds everything to the index.
  private func catchUp(_ store: StoreUnderTest) async throws {
    while try await store.service.catchUp() != .done {}
  }

  private func catchUp(_ store: StoreUnderTest, if isWanted: SearchedBackend) async throws {
    if isWanted.isIndexed { try await catchUp(store) }
  }

  /// The results of a search, over all pages.
  private func find(
    _ search: String, _ store: StoreUnderTest, filter: String? = nil, order: String? = nil,
    rows: Int = 100, user: UserID? = nil
  ) async throws -> [UserNotification] {
    var items: [UserNotification] = []
    var request = ListRequest(
      filter: try filter.map { try ItemFilter(parsing: $0, limits: StoreLimits()) },
      search: search, order: try order.map { try OrderByClause(parsing: $0) } ?? .newestFirst,
      rows: rows)
    repeat {
      let page = try await store.service.list(request, for: user ?? store.user)
      items += page.items
      request.page = page.next
    } while request.page != nil
    return items
  }

  private func titles(_ items: [UserNotification]) -> [String] {
    items.map { $0.content.visual?.title ?? "" }
  }

  @Test(
    "words, phrases and prefixes are found in every text of an item",
    arguments: SearchedBackend.all)
  func language(backend: SearchedBackend) async throws {
    let store = try await StoreUnderTest(backend.kind)
    try await store.publish("Nightly Backup finished", app: "nas.home") {
      $0.visual?.subtitle = "Göteborg"
      $0.visual?.body = "No errors. Disk 3 of 4 is 81 % full."
      $0.tags = ["disk", "lvm-thin"]
      $0.group = "storage"
    }
    try await store.publish("备份全文搜索测试")
    try await store.publish("disk is full") { $0.raw = "nightly" }
    try await catchUp(store, if: backend)
    let expected: [(String, [String])] = [
      ("nightly", ["Nightly Backup finished"]), ("NIGHT", ["Nightly Backup finished"]),
      ("night backup", []), ("backup night", ["Nightly Backup finished"]),
      ("goteborg", ["Nightly Backup finished"]), ("nas.home", ["Nightly Backup finished"]),
      ("storage", ["Nightly Backup finished"]), ("lvm", ["Nightly Backup finished"]),
      ("disk full", ["disk is full", "Nightly Backup finished"]),
      ("\"is full\"", ["disk is full"]), ("\"disk 3 of\"", ["Nightly Backup finished"]),
      ("\"disk 3 o\"", []), ("搜索", ["备份全文搜索测试"]), ("索搜", []),
      ("全文搜", ["备份全文搜索测试"]), ("\"", []), ("nothing", []), ("u1", []),
      ("81", ["Nightly Backup finished"]),
    ]
    for (search, titles) in expected where search != "\"" {
      #expect(self.titles(try await find(search, store)) == titles, "\(search)")
    }
    // No typed text is an operator of the index.
    for search in ["nightly OR disk", "title : disk", "a*", "(disk", "disk\" AND", "- user : u1"] {
      _ = try await find(search, store)
    }
    for empty in ["", "  ", "\"\"", "?!"] {
      let error = try await storeError { _ = try await find(empty, store) }
      guard case .invalid("$search", _)? = error else {
        Issue.record("\(empty): \(String(describing: error))")
        continue
      }
    }
    let error = try await storeError { _ = try await find("disk", store, order: "priority") }
    guard case .invalid("$orderby", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "replaced, deleted and expired items are not found; read or moved ones are",
    arguments: SearchedBackend.all)
  func leaving(backend: SearchedBackend) async throws {
    let store = try await StoreUnderTest(backend.kind)
    let replaced = try await store.publish("alpha one", appID: "a").item
    let deleted = try await store.publish("alpha two").item
    let expiring = try await store.publish("alpha three") {
      $0.expiration = store.clock.now.advanced(by: .seconds(60))
    }.item
    let read = try await store.publish("alpha four").item
    try await catchUp(store, if: backend)
    #expect(
      try await find("alpha", store).map(\.id) == [read, expiring, deleted, replaced].map(\.id))
    _ = try await store.publish("beta one", appID: "a")
    _ = try await store.service.delete(deleted.id, for: store.user)
    _ = try await store.change(read, StateChange(readState: .read, pinned: true))
    store.clock.advance(by: .seconds(61))
    for isSwept in [false, true] {
      if isSwept { try await store.service.sweep() }
      #expect(titles(try await find("alpha", store)) == ["alpha four"])
      #expect(titles(try await find("beta", store)) == ["beta one"])
      #expect(titles(try await find("one", store)) == ["beta one"])
      try await catchUp(store)
    }
    #expect(try await find("alpha", store).first?.state.readState.value == .read)
  }

  @Test(
    "a search is filtered, ordered by arrival both ways, counted and paged",
    arguments: SearchedBackend.all)
  func combined(backend: SearchedBackend) async throws {
    let store = try await StoreUnderTest(backend.kind)
    for number in 0..<30 {
      // Three in each millisecond, so that ids decide.
      if number % 3 == 0 { store.clock.advance(by: .milliseconds(1)) }
      var content = Content(
        app: number % 2 == 0 ? "even" : "odd",
        visual: VisualContent(title: number % 5 == 0 ? "other" : "wanted \(number)"))
      content.priority = number % 7 == 0 ? .high : .normal
      _ = try await store.service.publish(PublishRequest(content), for: store.user)
      if number == 12 { try await catchUp(store, if: backend) }
    }
    let all = try await store.service.list(rows: 100, for: store.user).items
    let wanted = all.filter { $0.content.visual?.title.hasPrefix("wanted") == true }
    for rows in [1, 2, 3, 7, 100] {
      #expect(try await find("want", store, rows: rows) == wanted)
      #expect(
        try await find("wanted", store, order: "arrivalDateTime asc", rows: rows)
          == wanted.reversed())
    }
    let even = wanted.filter { $0.content.app == "even" }
    #expect(try await find("wanted", store, filter: "targetHostName eq 'even'", rows: 2) == even)
    let middle = wanted[10].arrival
    let bounded = try await find(
      "wanted", store, filter: "arrivalDateTime le \(middle) and priority eq 'normal'", rows: 3)
    #expect(
      bounded == wanted.filter { $0.arrival <= middle && $0.content.priority == .normal })
    let request = ListRequest(
      filter: try ItemFilter(parsing: "targetHostName eq 'even'", limits: StoreLimits()),
      search: "wanted", rows: 2, isCounted: true)
    let page = try await store.service.list(request, for: store.user)
    #expect(page.count == even.count)
    var other = request
    other.search = "other"
    other.page = page.next
    let error = try await storeError {
      _ = try await store.service.list(other, for: store.user)
    }
    guard case .invalid("$skiptoken", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("users find only their own items", arguments: SearchedBackend.all)
  func isolation(backend: SearchedBackend) async throws {
    let store = try await StoreUnderTest(backend.kind)
    let other = try await store.service.addUser(named: "bea").id
    try await store.publish("secret of ada")
    let content = Content(app: "a", visual: VisualContent(title: "secret of bea"))
    _ = try await store.service.publish(PublishRequest(content), for: other)
    try await catchUp(store, if: backend)
    for search in ["secret", "s", "secret u1", "u1", "u2", "secret OR u2"] {
      let own = titles(try await find(search, store))
      #expect(own == (search.count < 7 && search.hasPrefix("s") ? ["secret of ada"] : []))
      #expect(!titles(try await find(search, store, user: other)).contains("secret of ada"))
    }
  }

  @Test(
    "in a random history every backend finds the same, whatever the index contains",
    arguments: 1...6 as ClosedRange<UInt64>)
  func sameFinds(seed: UInt64) async throws {
    let stores = [try await StoreUnderTest(.memory), try await StoreUnderTest(.sqlite)]
    let words = ["back", "backup", "disk", "Disk3", "ab", "abc", "搜", "索", "é", "e", "x-y", "u1"]
    var traces: [[String]] = [[], []]
    for (place, store) in stores.enumerated() {
      let random = ConditionGenerator(seed: seed)
      var ids: [UserNotification] = []
      func text() -> String {
        (0...random.below(3)).map { _ in random.pick(words) }.joined(separator: " ")
      }
      for _ in 0..<200 {
        store.clock.advance(by: .milliseconds(Int64(random.below(2))))
        switch random.below(10) {
        case 0...4:
          var content = Content(
            app: random.pick(["disk", "nas"]),
            appNotificationID: random.below(2) == 0 ? nil : "\(random.below(12))",
            visual: VisualContent(title: text(), body: random.below(2) == 0 ? text() : nil))
          content.tags = random.below(3) == 0 ? [random.pick(words)] : []
          if random.below(6) == 0 {
            content.expiration = store.clock.now.advanced(by: .milliseconds(20))
          }
          let item = try await store.service.publish(PublishRequest(content), for: store.user).item
          ids.append(item)
        case 5 where !ids.isEmpty:
          _ = try await store.service.delete(random.pick(ids).id, for: store.user)
        case 6 where !ids.isEmpty:
          let item = random.pick(ids)
          _ = try? await store.change(item, StateChange(readState: .read))
        case 7: _ = try await store.service.catchUp()
        case 8 where random.below(4) == 0: _ = try await store.service.sweep()
        default:
          let search = random.below(3) == 0 ? "\"\(text())\"" : text()
          let found = try await find(
            search, store, filter: random.below(3) == 0 ? "readState eq 'unread'" : nil,
            order: random.below(3) == 0 ? "arrivalDateTime asc" : nil, rows: 1 + random.below(6))
          traces[place].append("\(search): \(found.map { "\($0.id)" })")
        }
      }
    }
    #expect(traces[0] == traces[1], "seed \(seed)")
    #expect(traces[0].contains { $0.contains(", ") }, "seed \(seed) finds nothing")
  }

  // MARK: - SQLite's index

  private func sqlite(_ store: StoreUnderTest) throws -> SQLiteBackend {
    try #require(store.backend as? SQLiteBackend)
  }

  /// The words in the index.
  private func words(_ backend: SQLiteBackend) async throws -> Set<String> {
    _ = try await backend.inspect(
      "CREATE VIRTUAL TABLE IF NOT EXISTS temp.word USING fts5vocab('main', 'search_index', 'row')")
    return Set(try await backend.inspect("SELECT term FROM temp.word").map { $0[0] })
  }

  @Test("a publication writes nothing into the index; a removed item's words leave it at once")
  func words() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let backend = try sqlite(store)
    let item = try await store.publish("confidential figures", appID: "f").item
    let other = try await store.publish("lunch").item
    #expect(try await words(backend).isEmpty)
    #expect(titles(try await find("confid", store)) == ["confidential figures"])
    try await catchUp(store)
    #expect(try await words(backend).isSuperset(of: ["confidential", "figures", "lunch", "u1"]))
    _ = try await store.publish("public figures", appID: "f")
    #expect(try await !words(backend).contains("confidential"))
    try await catchUp(store)
    #expect(try await words(backend).isSuperset(of: ["public", "figures", "lunch"]))
    _ = try await store.service.delete(item.id, for: store.user)
    _ = try await store.service.delete(other.id, for: store.user)
    #expect(try await words(backend).isEmpty)
    #expect(try await backend.inspect("SELECT count(*) FROM search_entry") == [["0"]])
    _ = try await backend.inspect(
      "INSERT INTO search_index (search_index) VALUES ('integrity-check')")
  }

  @Test("a removed user's words leave the index with the items")
  func removal() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let other = try await store.service.addUser(named: "bea").id
    for (user, title) in [(store.user, "mine"), (other, "hers"), (other, "also")] {
      let content = Content(app: "a", visual: VisualContent(title: title))
      _ = try await store.service.publish(PublishRequest(content), for: user)
    }
    try await catchUp(store)
    _ = try await store.service.removeUser(named: "bea")
    try await catchUp(store)
    let left = try await words(try sqlite(store))
    #expect(left.contains("mine"))
    #expect(left.isDisjoint(with: ["hers", "also", "u2"]))
  }

  @Test("a store of an earlier version is searched at once, and builds its index gradually")
  func migration() async throws {
    let store = try await StoreUnderTest(.sqlite)
    for number in 0..<300 { try await store.publish("number \(number)") }
    let old = try sqlite(store)
    for statement in [
      "DROP TABLE search_index", "DROP TABLE search_entry", "DROP TABLE search_progress",
      "DELETE FROM grdb_migrations WHERE identifier = '7 search'",
    ] { _ = try await old.inspect(statement) }
    await store.service.close()
    let backend = try SQLiteBackend(path: store.directory.file("store.sqlite"))
    let service = try await StoreService.open(
      .starting, on: backend, environment: store.environment)
    let request = ListRequest(search: "number 12", rows: 100, isCounted: true)
    let before = try await service.list(request, for: store.user)
    #expect(before.items.count == 11)
    // A client that has just read a page may read the next one soon.
    #expect(try await service.catchUp() == .more(isUnderLoad: true))
    #expect(try await service.catchUp() == .more(isUnderLoad: false))
    #expect(try await service.list(request, for: store.user).items == before.items)
    while try await service.catchUp() != .done {}
    #expect(try await backend.inspect("SELECT count(*) FROM search_entry") == [["300"]])
    let after = try await service.list(request, for: store.user)
    #expect(after.items == before.items)
    #expect(after.count == 11)
    await service.close()
  }

  @Test("while the index is far behind, a search reads a limited number of texts per page")
  func farBehind() async throws {
    var limits = StoreLimits()
    limits.searchScanMax = 900
    limits.countScanMax = 100_000
    let store = try await StoreUnderTest(.sqlite, limits: limits)
    // All in one millisecond, which also exceeds the number that is sorted at a time.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2100 {
        group.addTask {
          let content = Content(app: "a", visual: VisualContent(title: "item \(number)"))
          _ = try await store.service.publish(PublishRequest(content), for: store.user)
        }
      }
      try await group.waitForAll()
    }
    for isIndexed in [false, true] {
      if isIndexed { try await catchUp(store) }
      let request = ListRequest(search: "item", rows: 1000, isCounted: true)
      let first = try await store.service.list(request, for: store.user)
      #expect(first.items.count == 900)
      #expect(first.count == 2100)
      let all = try await find("item", store, rows: 1000)
      #expect(all.count == 2100)
      #expect(Set(all).count == 2100)
      #expect(all.map(\.id) == all.map(\.id).sorted(by: >))
      #expect(titles(try await find("\"item 2099\"", store)) == ["item 2099"])
    }
  }

  @Test(
    "a search's queries use an index",
    arguments: [
      (
        """
        SELECT rowid FROM item INDEXED BY item_sequence WHERE user = 1 AND sequence > coalesce(
          (SELECT p.sequence FROM search_progress p WHERE p.user = 1), 0) LIMIT 9
        """, "item_sequence (user=? AND sequence>?)"
      ),
      (
        """
        SELECT item.id FROM search_index
        CROSS JOIN search_entry ON search_entry.key = search_index.rowid
        CROSS JOIN item ON item.user = search_entry.user AND item.id = search_entry.id
        WHERE search_index MATCH 'a' AND search_entry.user = 1 AND search_index.rowid <= 5
        ORDER BY search_index.rowid DESC
        """, "SEARCH search_entry USING INTEGER PRIMARY KEY"
      ),
    ])
  func plans(sql: String, detail: String) async throws {
    let backend = try sqlite(try await StoreUnderTest(.sqlite))
    let plan = try await backend.inspect("EXPLAIN QUERY PLAN " + sql).joined()
      .joined(separator: " ")
    #expect(plan.contains(detail), "\(plan)")
    #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
  }
}
