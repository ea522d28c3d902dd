import BellhopModel
import BellhopStore
import Testing

@Suite("Effective fields in the store")
struct EffectiveFieldTests {
  private func filter(_ text: String) throws -> ItemFilter {
    try ItemFilter(parsing: text, limits: StoreLimits())
  }

  /// Sets the effect of rules on an item.
  private func apply(
    to item: UserNotification, _ store: StoreUnderTest, _ adjust: (inout AppliedEffect) -> Void
  ) async throws {
    var effect = AppliedEffect()
    adjust(&effect)
    _ = try await store.change(item, StateChange(applied: effect))
  }

  /// Returns the titles of a list in pages of two items, and checks its count.
  private func titles(
    _ filter: ItemFilter, by order: String = "arrivalDateTime desc", _ store: StoreUnderTest
  ) async throws -> [String] {
    var request = ListRequest(
      filter: filter, order: try OrderByClause(parsing: order), rows: 2, isCounted: true)
    var found: [String] = []
    var counts: Set<Int?> = []
    repeat {
      let page = try await store.service.list(request, for: store.user)
      found += page.items.map { $0.content.visual?.title ?? "" }
      counts.insert(page.count)
      request.page = page.next
    } while request.page != nil
    #expect(counts == [found.count])
    return found
  }

  /// Sends an operation on all items that meet the predicate.
  private func send(
    _ command: ItemCommand, _ store: StoreUnderTest, number: Int64 = 1,
    _ adjust: (inout Predicate) -> Void
  ) async throws {
    var predicate = Predicate()
    adjust(&predicate)
    let position = try await store.service.position(of: store.user)
    let operation = Operation(
      id: store.newID(), target: .matching(predicate, through: position.sequence),
      mutation: command.mutation)
    #expect(try await store.send([operation], from: number).results == [.applied])
  }

  @Test(
    "lists and counts use what rules made of an item, publishers what they wrote",
    arguments: BackendKind.allCases)
  func lists(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    func publish(_ title: String) async throws -> UserNotification {
      try await store.publish(title, app: "ci", appID: title) {
        $0.group = "main"
        $0.tags = ["ci"]
      }.item
    }
    _ = try await publish("plain")
    let changed = try await publish("changed")
    let bare = try await store.publish("bare", app: "ci").item
    try await apply(to: changed, store) {
      $0.level = .low
      $0.group = "builds"
      $0.app = "noise.example"
      $0.tags = ["rule"]
    }
    try await apply(to: bare, store) { $0.tags = ["rule"] }
    let effective: [(String, [String])] = [
      ("priority eq 'low'", ["changed"]), ("priority ge 'normal'", ["bare", "plain"]),
      ("priority in ('min', 'low')", ["changed"]), ("groupName eq 'builds'", ["changed"]),
      ("groupName eq 'main'", ["plain"]), ("groupName eq null", ["bare"]),
      ("groupName gt 'builds'", ["plain"]), ("startswith(groupName, 'bui')", ["changed"]),
      ("endswith(groupName, 'lds')", ["changed"]), ("targetHostName ne 'ci'", ["changed"]),
      ("contains(targetHostName, 'oise')", ["changed"]),
      ("tags/any(t: t eq 'rule')", ["bare", "changed"]),
      ("tags/any(t: t eq 'ci')", ["changed", "plain"]),
      ("tags/any()", ["bare", "changed", "plain"]), ("not tags/any()", []),
    ]
    for (text, expected) in effective {
      #expect(try await titles(try filter(text), store) == expected, "\(text)")
    }
    let all = try filter("shortNumber gt 0")
    #expect(try await titles(all, by: "priority desc", store) == ["bare", "plain", "changed"])
    let published: [(ItemTest, [String])] = [
      (.compare(.publishedHostName, .equal, .text("ci")), ["bare", "changed", "plain"]),
      (.isOneOf(.publishedHostName, [.text("noise.example")]), []),
      (.compare(.publishedGroupName, .equal, .text("main")), ["changed", "plain"]),
      (.compare(.publishedPriority, .equal, .priority(.normal)), ["bare", "changed", "plain"]),
    ]
    for (test, expected) in published {
      #expect(try await titles(.test(test), store) == expected, "\(test)")
    }
    let later = try await store.publish("later", app: "ci", appID: "later") {
      $0.deliverAt = store.clock.now.advanced(by: .seconds(3600))
    }.item
    try await apply(to: later, store) { $0.app = "noise.example" }
    let pending = try await store.service.pendingRequests(of: "ci", rows: 10, for: store.user)
    #expect(pending.requests.map(\.item.id) == [later.id])
    #expect(try await publish("changed").id == changed.id)
  }

  @Test(
    "a list of one app has what rules moved there, and not what they moved away",
    arguments: BackendKind.allCases)
  func movedItems(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.bulkChunkItemsMax = 2
    let store = try await StoreUnderTest(kind, limits: limits)
    var items: [UserNotification] = []
    for number in 0..<6 {
      let app = number.isMultiple(of: 2) ? "a" : "b"
      items.append(try await store.publish("\(number)", app: app).item)
    }
    let first = try filter("targetHostName eq 'a'")
    let second = try filter("priority eq 'normal' and targetHostName in ('b')")
    #expect(try await titles(first, store) == ["4", "2", "0"])
    #expect(try await titles(second, store) == ["5", "3", "1"])
    try await apply(to: items[2], store) { $0.app = "b" }
    try await apply(to: items[5], store) { $0.app = "a" }
    for order in ["arrivalDateTime desc", "createdDateTime desc", "priority desc"] {
      #expect(try await titles(first, by: order, store) == ["5", "4", "0"], "\(order)")
      #expect(try await titles(second, by: order, store) == ["3", "2", "1"], "\(order)")
    }
    #expect(try await titles(first, by: "arrivalDateTime asc", store) == ["0", "4", "5"])
    // A bulk operation changes the items of the list, and no others.
    try await send(.read, store) {
      $0.isEffective = true
      $0.app = "a"
    }
    #expect(try await titles(try filter("readState eq 'read'"), store) == ["5", "4", "0"])
    for item in [items[2], items[5]] {
      _ = try await store.change(item, StateChange(applied: .empty))
    }
    #expect(try await titles(first, store) == ["4", "2", "0"])
    #expect(try await titles(second, store) == ["5", "3", "1"])
  }

  @Test(
    "a predicate of an earlier client means published fields", arguments: BackendKind.allCases)
  func predicates(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    func publish(_ title: String) async throws -> UserNotification {
      try await store.publish(title, app: "ci") {
        $0.group = "main"
        $0.priority = .high
      }.item
    }
    _ = try await publish("plain")
    let moved = try await publish("moved")
    try await apply(to: moved, store) {
      $0.app = "noise.example"
      $0.group = "builds"
      $0.level = .low
    }
    func narrow(_ predicate: inout Predicate) {
      predicate.app = "ci"
      predicate.group = "main"
      predicate.minimumPriority = .high
    }
    try await send(.pin, store, narrow)
    #expect(try await titles(try filter("kept"), store) == ["moved", "plain"])
    try await send(.read, store, number: 2) {
      narrow(&$0)
      $0.isEffective = true
    }
    #expect(try await titles(try filter("readState eq 'read'"), store) == ["plain"])
    try await send(.dismiss, store, number: 3) {
      $0.isEffective = true
      $0.app = "noise.example"
      $0.group = "builds"
    }
    #expect(
      try await titles(try filter("userActionState eq 'dismissed'"), store) == ["moved"])
  }

  @Test(
    "the deepest accepted filter is executed over effective fields",
    arguments: BackendKind.allCases)
  func deepestFilters(kind: BackendKind) async throws {
    let limits = StoreLimits()
    let store = try await StoreUnderTest(kind)
    _ = try await store.publish("plain")
    let changed = try await store.publish("changed").item
    try await apply(to: changed, store) {
      $0.app = "a"
      $0.group = "xx"
      $0.level = .urgent
      $0.tags = ["x"]
    }
    for leaf in [
      "endswith(groupName, 'x')", "priority ge 'high'", "tags/any(t: t eq 'x')", "tags/any()",
      "targetHostName in ('a', 'b')",
    ] {
      var text = leaf
      for _ in 0..<limits.filterDepthMax - 1 { text = "kept or not kept and (\(text))" }
      for order in ["arrivalDateTime desc", "priority desc"] {
        let found = try await titles(try filter(text), by: order, store)
        #expect(found == ["changed"], "\(leaf) by \(order)")
      }
    }
  }

  @Test("a filter on the wire cannot name published fields")
  func unnamed() {
    let names = Set(ItemField.allCases).subtracting(ItemField.filterable).map(\.rawValue)
    #expect(
      names.sorted() == ["publishedGroupName", "publishedHostName", "publishedPriority"])
    for name in names {
      #expect(throws: ListSyntaxError.self) { try filter("\(name) eq 'low'") }
    }
  }
}
