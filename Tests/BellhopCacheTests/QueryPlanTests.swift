import BellhopCache
import BellhopModel
import Testing

/// Query plans of what a screen reads.
///
/// They do not depend on the number of items: a million cost the same as ten.
@Suite("Query plans of what a screen shows")
struct QueryPlanTests {
  private static let appCount: Int64 = 500

  /// A cache with items of many apps: some grouped, some handled, some for later.
  private func reader() throws -> (cache: CacheFixture, reader: CacheReader) {
    let cache = try CacheFixture(.sqlite)
    let items = (1...Self.appCount * 2).map { number in
      makeItem(
        number, app: "app\(number % Self.appCount)", group: number % 7 == 0 ? "all" : nil
      ) { item in
        switch number % 5 {
        case 1: item.state.userActionState.value = .dismissed
        case 2:
          item.state.userActionState.value = .snoozed(
            until: CacheFixture.start.advanced(by: .seconds(10_000_000)))
        default: break
        }
      }
    }
    _ = try cache.pull(items.map { .item($0) })
    return (cache, try CacheReader(path: cache.path, account: CacheFixture.account))
  }

  /// The steps in which SQLite scans a whole table or index, except the index of repeating items.
  ///
  /// A store limits their number.
  private func scans(_ plans: [String: [String]]) -> [(table: String, sql: String)] {
    plans.flatMap { sql, steps in
      steps.filter { $0.hasPrefix("SCAN ") && !$0.contains("INDEX item_repeating") }.map { step in
        (String(step.split(separator: " ")[1]), sql)
      }
    }
  }

  /// Tables that stay small for one user: apps, groups in the tray, placements, rules.
  ///
  /// `units` are the rows of one window, found before.
  private static let small: Set<String> = [
    "units",
    "app_count", "total_count", "tray_group", "app_settings", "outbox", "rule",
    "sync",
  ]

  private func expectNoScan(_ reader: CacheReader) throws {
    let plans = try reader.queryPlans()
    #expect(!plans.isEmpty)
    for (table, sql) in scans(plans) where !table.hasPrefix("(") {
      #expect(Self.small.contains(table), "SCAN \(table): \(sql)")
    }
  }

  @Test("day counts of the history read ranges of the counters, or of a placement's index")
  func days() throws {
    let (cache, reader) = try reader()
    // The reader needs the cache's folder until the end.
    defer { withExtendedLifetime(cache) {} }
    let start = CacheFixture.start
    let hour = start.milliseconds / 3_600_000
    _ = try reader.counts(hours: hour..<(hour + 24))
    _ = try reader.countsByHour(hour..<(hour + 24))
    _ = try reader.countsByApp(hour..<(hour + 24))
    let end = start.advanced(by: .seconds(86_400))
    _ = try reader.countsByHour(from: start, until: end, limit: 20_000)
    let plans = try reader.queryPlans()
    for (sql, steps) in plans where sql.contains("hour_count") {
      #expect(steps.contains { $0.contains("SEARCH hour_count USING PRIMARY KEY") }, "\(steps)")
    }
    for (sql, steps) in plans where sql.contains("FROM item") {
      #expect(
        steps.contains {
          $0.contains("INDEX item_placement (placement=? AND rowid>? AND rowid<?)")
        },
        "\(steps)")
    }
    #expect(plans.keys.count { $0.contains("hour_count") } == 3)
    try expectNoScan(reader)
  }

  @Test("the apps and their counters are read without touching items")
  func apps() throws {
    let (cache, reader) = try reader()
    // The reader needs the cache's folder until the end.
    defer { withExtendedLifetime(cache) {} }
    #expect(try reader.apps().count == Int(Self.appCount))
    _ = try reader.lastArrivals()
    _ = try reader.appSettings()
    _ = try reader.displayNames()
    _ = try reader.appsWithPendingSettings()
    _ = try reader.rules()
    _ = try reader.rulesWithPendingChanges()
    _ = try reader.badgeShares()
    _ = try reader.totals()
    let plans = try reader.queryPlans()
    let steps = plans.values.joined().filter { $0.contains("item") }
    // The few items that their trigger delivers again have an index of their own.
    #expect(
      steps.allSatisfy { $0.contains("COVERING INDEX item_repeating") }, "\(Array(steps))")
    try expectNoScan(reader)
  }

  @Test("windows of every list, and a row's position in it, are ranges of an index")
  func lists() throws {
    let (cache, reader) = try reader()
    // The reader needs the cache's folder until the end.
    defer { withExtendedLifetime(cache) {} }
    let lists: [CacheList] = [.tray, .handled, .history, .later]
    for list in lists {
      let rows = try reader.rows(of: list, .first, limit: 20)
      let row = try #require(rows.last)
      for window in [
        ListWindow.last, .above(row.position(in: list)), .below(row.position(in: list)),
      ] {
        _ = try reader.rows(of: list, window, limit: 20)
      }
      _ = try reader.countAbove(row.position(in: list), in: list, limit: 100)
      _ = try reader.item(row.id)
      _ = try reader.row(row.id)
    }
    _ = try reader.trayUnits(.first, limit: 20)
    _ = try reader.trayGroups(limit: 20)
    try expectNoScan(reader)
  }

  @Test("each section of a sorted list, and a row's position in it, is a range of its index")
  func sortedLists() throws {
    let (cache, reader) = try reader()
    // The reader needs the cache's folder until the end.
    defer { withExtendedLifetime(cache) {} }
    for base in [CacheList.tray, .handled, .history] {
      for order in SectionOrder.allCases {
        let list = base.sorted(by: order)
        let position = try #require(try reader.rows(of: list, .first, limit: 20).last)
          .position(in: list)
        for window in [ListWindow.last, .above(position), .below(position)] {
          #expect(try reader.rows(of: list, window, limit: 20).count > 0)
        }
        #expect(try reader.countAbove(position, in: list, limit: 100) == 19)
      }
    }
    let plans = try reader.queryPlans().filter { $0.key.contains("FROM item ") }
    #expect(plans.count == 2 * 3 * 3)
    for (sql, steps) in plans {
      let column = sql.contains("INDEXED BY item_level") ? "priority" : "app"
      let index = column == "app" ? "item_app" : "item_level"
      let searches = steps.filter { $0.hasPrefix("SEARCH item ") && !$0.contains("PRIMARY KEY") }
      #expect(!searches.isEmpty)
      for step in searches {
        #expect(step.contains("INDEX \(index) (placement=? AND \(column)"), "\(sql): \(step)")
      }
    }
    try expectNoScan(reader)
  }

  @Test("a window of a group, and a row's position in it, are ranges of the index by level")
  func groups() throws {
    let (cache, reader) = try reader()
    // The reader needs the cache's folder until the end.
    defer { withExtendedLifetime(cache) {} }
    let list = CacheList.trayGroup(try #require(TrayGroup(app: "app14", name: "all")))
    let position = try #require(try reader.rows(of: list, .first, limit: 20).first)
      .position(in: list)
    for window in [ListWindow.last, .above(position), .below(position)] {
      _ = try reader.rows(of: list, window, limit: 20)
    }
    #expect(try reader.countAbove(position, in: list, limit: 100) == 0)
    #expect(try reader.count(of: list, above: position, limit: 100) == 0)
    let plans = try reader.queryPlans().filter { $0.key.contains("INDEXED BY item_group") }
    // Down, up and the count.
    #expect(plans.count == 3)
    for (sql, steps) in plans {
      let searches = steps.filter { $0.hasPrefix("SEARCH item ") && !$0.contains("PRIMARY KEY") }
      #expect(searches.count == 2, "\(sql): \(steps)")
      for step in searches {
        #expect(
          step.contains("INDEX item_group_priority (app=? AND <expr>=? AND priority"),
          "\(sql): \(step)")
      }
    }
    try expectNoScan(reader)
  }

  @Test("a view's count comes from the counters, or from a short list's own part of an index")
  func viewCounts() throws {
    let (cache, reader) = try reader()
    // The reader needs the cache's folder until the end.
    defer { withExtendedLifetime(cache) {} }
    func count(_ tests: ListFilter.Test..., in list: CacheList, scanning limit: Int) throws -> Int?
    {
      let filter = ListFilter(terms: tests.map { ListFilter.Term($0) })
      return try reader.count(of: filter, in: list, scanning: limit)
    }
    #expect(try count(.app([.init("app7")]), .state([.unread]), in: .history, scanning: 0) == 2)
    #expect(try count(.state([.read]), in: .tray, scanning: 0) == 0)
    #expect(try reader.count(of: ListFilter(words: "a"), in: .tray, scanning: .max) == nil)
    let counters = try reader.queryPlans()
    func looks(_ plans: [String: [String]]) -> [String: [String]] {
      plans.filter { $0.key.contains("FROM item") && !$0.key.contains("next_occurrence") }
    }
    #expect(looks(counters).isEmpty)
    // A longer list is not counted.
    #expect(try count(.priority(.atLeast, .low), in: .history, scanning: 100) == nil)
    #expect(try reader.queryPlans().count == counters.count)
    for list in [CacheList.tray, .handled, .later, .history] {
      let all = try reader.totals().count(of: list)?.count
      #expect(try count(.priority(.atLeast, .low), in: list, scanning: 10_000) == all)
    }
    let plans = looks(try reader.queryPlans())
    #expect(plans.count == 4)
    for (sql, steps) in plans {
      let index = sql.contains("due IS NOT NULL") ? "item_due" : "item_placement (placement=?)"
      #expect(steps.contains { $0.contains("INDEX " + index) }, "\(sql): \(steps)")
    }
    try expectNoScan(reader)
  }

  @Test("filtered days are found hour by hour")
  func narrowed() throws {
    let (cache, reader) = try reader()
    // The reader needs the cache's folder until the end.
    defer { withExtendedLifetime(cache) {} }
    let filters = [
      ListFilter.Test.app([.init("app7")]), .state([.unread]), .priority(.atLeast, .high),
      .arrivedSince(CacheFixture.start),
    ]
    for test in filters {
      var filter = ListFilter()
      filter.terms = [ListFilter.Term(test)]
      for list in [CacheList.tray, .history, .later] {
        _ = try reader.rows(of: .narrowed(list, filter), .first, limit: 20)
        for order in SectionOrder.allCases {
          let sorted = CacheList.narrowed(list, filter).sorted(by: order)
          _ = try reader.rows(of: sorted, .first, limit: 20)
        }
      }
    }
    let plans = try reader.queryPlans()
    for (sql, steps) in plans where sql.contains("FROM item") {
      #expect(steps.contains { $0.hasPrefix("SEARCH item USING") }, "\(sql): \(steps)")
    }
    try expectNoScan(reader)
  }

  @Test("previews of rules and reports on noise read the items since an instant by their keys")
  func publications() throws {
    let (cache, reader) = try reader()
    // The reader needs the cache's folder until the end.
    defer { withExtendedLifetime(cache) {} }
    let since = CacheFixture.start.advanced(by: .seconds(60 * Self.appCount))
    for test in [
      RuleCondition.Test.app([.init("app7")]), .level(.atLeast, .low), .group([.init("all")]),
    ] {
      let preview = try reader.preview(
        RuleCondition([.init(test)]), after: [], since: since, samples: 1)
      #expect(preview.samples.count == 1)
    }
    #expect(try reader.noise(since: since, limit: 10).lines.count == 10)
    #expect(
      try reader.matches(of: [RuleCondition([.init(.app([.init("app7")]))])], since: since).count
        == 1)
    let plans = try reader.queryPlans().filter { $0.key.contains("FROM item") }
    // A preview of each kind, the row of a sample, the report, and the matches of rules.
    #expect(plans.count == 3 + 1 + 1 + 1)
    for (sql, steps) in plans {
      #expect(!steps.contains { $0.contains("B-TREE") }, "\(sql): \(steps)")
      #expect(
        steps.contains { $0.hasPrefix("SEARCH item USING INTEGER PRIMARY KEY (rowid") },
        "\(sql): \(steps)")
    }
    try expectNoScan(reader)
  }
}
