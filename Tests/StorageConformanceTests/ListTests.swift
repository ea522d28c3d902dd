import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

@Suite("Lists")
struct ListTests {
  private func filter(_ text: String) throws -> ItemFilter {
    try ItemFilter(parsing: text, limits: StoreLimits())
  }

  private func order(_ text: String) throws -> OrderByClause { try OrderByClause(parsing: text) }

  /// All items of a list, and the number of its pages.
  private func all(
    _ request: ListRequest, _ store: StoreUnderTest
  ) async throws -> (items: [UserNotification], pages: Int) {
    var (items, pages, request) = ([UserNotification](), 0, request)
    repeat {
      let page = try await store.service.list(request, for: store.user)
      #expect(page.items.count <= request.rows)
      items += page.items
      pages += 1
      request.page = page.next
    } while request.page != nil
    return (items, pages)
  }

  private func titles(_ items: [UserNotification]) -> [String] {
    items.map { $0.content.visual?.title ?? "" }
  }

  /// Publishes items `0…count-1`, one per millisecond, with priorities that rise in cycles.
  private func fill(_ store: StoreUnderTest, _ count: Int) async throws -> [UserNotification] {
    var items: [UserNotification] = []
    for number in 0..<count {
      items.append(
        try await store.publish("\(number)") {
          $0.priority = Priority.allCases[number % Priority.allCases.count]
          $0.tags = number % 2 == 0 ? ["even"] : []
        }.item)
    }
    return items
  }

  @Test(
    "every order is paged by key, both ways, each item once", arguments: BackendKind.allCases,
    ["arrivalDateTime", "createdDateTime", "lastModifiedDateTime", "priority"])
  func orders(kind: BackendKind, key: String) async throws {
    let store = try await StoreUnderTest(kind)
    let items = try await fill(store, 23)
    for item in items.prefix(5) {
      store.clock.advance(by: .milliseconds(1))
      _ = try await store.change(item, StateChange(readState: .read))
    }
    _ = try await store.service.delete(items[9].id, for: store.user)
    for direction in ["asc", "desc"] {
      let order = try order("\(key) \(direction)")
      let whole = try await all(ListRequest(order: order, rows: 1000), store)
      let paged = try await all(ListRequest(order: order, rows: 4), store)
      #expect(whole.items.count == 22)
      #expect(paged.items == whole.items)
      #expect(paged.pages == 6)
      let sorted = whole.items.sorted { left, right in
        let (low, high) = order.isAscending ? (left, right) : (right, left)
        return switch order.key {
        case .arrival: low.arrival < high.arrival
        case .created: low.created < high.created
        case .changed: low.state.changed < high.state.changed
        case .priority:
          left.content.priority == right.content.priority
            ? left.arrival > right.arrival : low.content.priority < high.content.priority
        }
      }
      #expect(whole.items == sorted, "\(order)")
    }
  }

  @Test(
    "items published while a list is read change nothing below", arguments: BackendKind.allCases
  )
  func insertions(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await fill(store, 6)
    var request = ListRequest(rows: 3)
    let first = try await store.service.list(request, for: store.user)
    try await store.publish("new")
    request.page = first.next
    let second = try await store.service.list(request, for: store.user)
    #expect(titles(first.items + second.items) == ["5", "4", "3", "2", "1", "0"])
    #expect(second.next == nil)
  }

  @Test(
    "a list with a filter reads a limited number of items, then continues on the next page",
    arguments: BackendKind.allCases)
  func boundedScan(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.listScanMax = 10
    let store = try await StoreUnderTest(kind, limits: limits)
    _ = try await fill(store, 45)
    let oldest = try filter("payload/visualContent/title in ('0', '1')")
    let found = try await all(ListRequest(filter: oldest, rows: 5), store)
    #expect(titles(found.items) == ["1", "0"])
    #expect(found.pages == 5)
    let first = try await store.service.list(ListRequest(filter: oldest, rows: 5), for: store.user)
    #expect(first.items.isEmpty)
    #expect(first.next != nil)
    let levels = try await all(
      ListRequest(filter: oldest, order: try order("priority desc"), rows: 5), store)
    #expect(titles(levels.items) == ["1", "0"])
    // A bound on the arrival is a key of the index, without scanning.
    let start = try #require(found.items.first?.arrival)
    let bounded = try filter("arrivalDateTime le \(start) and tags/any()")
    let quick = try await all(ListRequest(filter: bounded, rows: 5), store)
    #expect(titles(quick.items) == ["0"])
    #expect(quick.pages == 1)
    let upward = try filter("arrivalDateTime ge \(start) and arrivalDateTime le \(start)")
    let one = try await all(
      ListRequest(filter: upward, order: try order("arrivalDateTime"), rows: 5), store)
    #expect(titles(one.items) == ["1"])
    #expect(one.pages == 1)
  }

  @Test(
    "a count covers all pages, under any filter, within its limit",
    arguments: BackendKind.allCases)
  func counts(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.countScanMax = 30
    let store = try await StoreUnderTest(kind, limits: limits)
    let items = try await fill(store, 30)
    try await store.publish("soon gone") {
      $0.expiration = store.clock.now.advanced(by: .seconds(1))
    }
    store.clock.advance(by: .seconds(2))
    func count(_ filter: ItemFilter?) async throws -> Int? {
      try await store.service.list(
        ListRequest(filter: filter, rows: 1, isCounted: true), for: store.user
      ).count
    }
    #expect(try await count(nil) == 30)
    #expect(
      try await store.service.list(ListRequest(rows: 1), for: store.user).count == nil)
    _ = try await store.service.delete(items[0].id, for: store.user)
    #expect(try await count(nil) == 29)
    #expect(try await count(try filter("tags/any(t: t eq 'even')")) == 14)
    #expect(try await count(try filter("groupName eq 'none'")) == 0)
    try await store.publish("one more")
    #expect(try await count(nil) == 30)
    let error = try await storeError { _ = try await count(try filter("kept")) }
    guard case .notSupported? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let recent = try filter("not kept and arrivalDateTime ge \(items[20].arrival)")
    #expect(try await count(recent) == 11)
  }

  @Test("a page's token is valid for its list and its user only", arguments: BackendKind.allCases)
  func tokens(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    _ = try await fill(store, 6)
    let unpinned = try filter("not kept")
    let request = ListRequest(filter: unpinned, rows: 2)
    let token = try #require(
      try await store.service.list(request, for: store.user).next)
    let other = try await store.service.addUser(named: "bea").id
    let wrong: [(ListRequest, UserID)] = [
      (ListRequest(page: token, rows: 2), store.user),
      (ListRequest(filter: try filter("kept"), page: token, rows: 2), store.user),
      (
        ListRequest(filter: unpinned, order: try order("arrivalDateTime"), page: token, rows: 2),
        store.user
      ),
      (ListRequest(filter: unpinned, page: token, rows: 2), other),
      (ListRequest(filter: unpinned, page: PageToken("x" + token.rawValue), rows: 2), store.user),
    ]
    for (request, user) in wrong {
      let error = try await storeError { _ = try await store.service.list(request, for: user) }
      guard case .invalid("$skiptoken", _)? = error else {
        Issue.record("\(request): \(String(describing: error))")
        continue
      }
    }
    let good = ListRequest(filter: unpinned, page: token, rows: 4)
    #expect(
      titles(try await store.service.list(good, for: store.user).items) == ["3", "2", "1", "0"])
  }

  @Test("the largest accepted filter is executed", arguments: BackendKind.allCases)
  func largestFilters(kind: BackendKind) async throws {
    let limits = StoreLimits()
    let store = try await StoreUnderTest(kind)
    _ = try await fill(store, 3)
    var nested = "kept"
    for level in 0..<(limits.filterDepthMax - 2) / 2 {
      nested = level % 2 == 0 ? "not kept and not (\(nested))" : "kept or (\(nested))"
    }
    let deep = String(repeating: "not ", count: limits.filterDepthMax - 1) + "kept"
    var right = "contains(groupName, 'x')"
    for _ in 0..<limits.filterDepthMax - 1 { right = "kept or not kept and (\(right))" }
    let terms = (0..<limits.filterTermsMax).map { "shortNumber ne \($0 + 100)" }
    let chains = [terms.joined(separator: " and "), terms.joined(separator: " or ")]
    for text in [nested, deep, right] + chains {
      let filter = try filter(text)
      let found = try await store.service.list(
        ListRequest(filter: filter, rows: 9), for: store.user)
      let everything = try await store.service.list(ListRequest(rows: 9), for: store.user)
      #expect(found.items == everything.items.filter(filter.matches), "\(text.prefix(60))")
    }
  }

  @Test(
    "random filters find the same items in every backend",
    arguments: 1...8 as ClosedRange<UInt64>)
  func sameFinds(seed: UInt64) async throws {
    let stores = [try await StoreUnderTest(.memory), try await StoreUnderTest(.sqlite)]
    var everything: [[UserNotification]] = []
    for store in stores {
      let generator = ConditionGenerator(seed: seed)
      for _ in 0..<60 {
        store.clock.advance(by: .milliseconds(Int64(generator.below(900))))
        let content = generator.content()
        let published = try await store.service.publish(PublishRequest(content), for: store.user)
        let change = generator.change()
        if !change.isEmpty { _ = try await store.change(published.item, change) }
        if generator.below(12) == 0 {
          _ = try await store.service.delete(published.item.id, for: store.user)
        }
      }
      everything.append(
        try await store.service.list(ListRequest(rows: 1000), for: store.user).items)
    }
    try #require(everything[0] == everything[1])
    let generator = ConditionGenerator(seed: seed + 1000)
    var hits = 0
    for _ in 0..<150 {
      let filter = generator.condition(depth: 4)
      let order = OrderByClause(
        generator.pick(OrderByClause.Key.allCases), isAscending: generator.below(2) == 0)
      let expected = everything[0].filter(filter.matches)
      let request = ListRequest(
        filter: filter, order: order, rows: 1 + generator.below(40), isCounted: true)
      let pages = [
        try await stores[0].service.list(request, for: stores[0].user),
        try await stores[1].service.list(request, for: stores[1].user),
      ]
      #expect(pages[0].items == pages[1].items, "seed \(seed): \(filter) by \(order)")
      #expect(pages[0].count == expected.count, "seed \(seed): \(filter)")
      #expect(pages[1].count == expected.count, "seed \(seed): \(filter)")
      let rest = try await all(request, stores[1])
      #expect(Set(rest.items) == Set(expected), "seed \(seed): \(filter) by \(order)")
      #expect(rest.items.count == expected.count)
      hits += expected.count
    }
    #expect(hits > 500, "the filters find too little to say anything")
  }

  @Test(
    "a list of one app reads only that app's items, however rare it is",
    arguments: BackendKind.allCases)
  func rareApp(kind: BackendKind) async throws {
    var limits = StoreLimits()
    // Enough for each of the five priorities to read all of the app's three.
    limits.listScanMax = 20
    limits.countScanMax = 10
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 0..<60 {
      try await store.publish("\(number)", app: number % 20 == 7 ? "rare" : "often")
    }
    let expected = ["47", "27", "7"]
    for text in [
      "targetHostName eq 'rare'", "targetHostName in ('rare')",
      "readState eq 'unread' and (targetHostName eq 'rare' and priority eq 'normal')",
    ] {
      for order in ["arrivalDateTime desc", "priority desc"] {
        let request = ListRequest(
          filter: try filter(text), order: try self.order(order), rows: 100, isCounted: true)
        let page = try await store.service.list(request, for: store.user)
        #expect(titles(page.items) == expected, "\(text), \(order)")
        #expect(page.next == nil && page.count == 3, "\(text), \(order)")
      }
    }
    let oldest = try await all(
      ListRequest(
        filter: try filter("targetHostName eq 'rare'"), order: try order("arrivalDateTime asc"),
        rows: 2), store)
    #expect(titles(oldest.items) == expected.reversed())
    #expect(oldest.pages == 2)
    // A filter without one app reads as before, a limited number of items per page.
    let either = try await all(
      ListRequest(
        filter: try filter("targetHostName eq 'rare' or targetHostName eq 'none'"), rows: 100),
      store)
    #expect(titles(either.items) == expected)
    #expect(either.pages >= 3)
    let none = try await all(
      ListRequest(
        filter: try filter("targetHostName eq 'rare' and targetHostName eq 'often'"), rows: 100),
      store)
    #expect(none.items.isEmpty)
  }
}
