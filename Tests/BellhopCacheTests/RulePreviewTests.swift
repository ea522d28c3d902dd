import BellhopCache
import BellhopModel
import Testing

@Suite("Previews of rules")
struct RulePreviewTests {
  private func condition(_ tests: RuleCondition.Test...) -> RuleCondition {
    RuleCondition(tests.map { RuleCondition.Term($0) })
  }

  private func app(_ name: String) -> RuleCondition.Test {
    .app([ListFilter.NamePattern(name)])
  }

  /// A rule whose place follows from its number.
  private func rule(
    _ number: Int64, _ condition: RuleCondition, stops: Bool = false, isEnabled: Bool = true
  ) throws -> Rule {
    var definition = makeDefinition("rule \(number)")
    definition.condition = condition
    definition.actions.stops = stops
    let order = try #require(RuleOrder(rawValue: ["b", "h", "t", "z"][Int(number)]))
    return Rule(
      id: ruleID(number), definition: definition, order: order, isEnabled: isEnabled,
      revision: operationID(number))
  }

  /// An item that a rule has moved, lowered and tagged.
  private func movedItem(_ number: Int64) -> UserNotification {
    makeItem(number, app: "ci", group: "main") { item in
      item.content.priority = .high
      item.content.tags = ["arm64"]
      var effect = AppliedEffect()
      (effect.app, effect.group, effect.level) = ("noise", "builds", .low)
      effect.tags = ["flaky"]
      item.state.applied = item.state.applied.setting(
        effect, change: makeRuleChange(at: item.arrival))
    }
  }

  @Test("a preview finds what the store would match", arguments: 1...4 as ClosedRange<UInt64>)
  func likeTheStore(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    let cache = try CacheFixture(.sqlite, isSynced: false)
    for _ in 0..<80 { _ = try history.next(cache.storage).perform(on: cache.storage) }
    let rows = try cache.reader.rows(of: .history, .first, limit: 1_000)
    let contents = try rows.map { row in
      try #require(try cache.reader.item(row.id)).stored.content
    }
    let earlier = TwinTests.earlier
    for (index, condition) in try TwinTests.conditions.enumerated() {
      let candidate = try rule(3, condition)
      func matches(_ rules: [Rule]) -> [NotificationID] {
        zip(rows, contents).filter { _, content in
          RuleSet(rules + [candidate]).outcome(
            for: content, at: CacheFixture.start, on: .utc
          ).matched.contains(candidate.mark)
        }.map { row, _ in row.id }
      }
      let alone = try cache.reader.preview(
        condition, after: [], since: .distantPast, samples: 1_000)
      #expect(alone.samples.map(\.id) == matches([]), "seed \(seed), condition \(index)")
      #expect(alone.examined == rows.count && alone.matched == alone.samples.count)
      let after = try cache.reader.preview(
        condition, after: earlier, since: .distantPast, samples: 1_000)
      #expect(after.samples.map(\.id) == matches(earlier), "seed \(seed), condition \(index)")
      #expect(after.matched == alone.matched)
      #expect(after.stopped == after.matched - after.samples.count)
    }
  }

  @Test(
    "a condition sees what the publisher wrote, not what other rules made of it",
    arguments: CacheKind.allCases)
  func published(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(movedItem(1)), .item(makeItem(2, app: "nas"))])
    func matched(_ test: RuleCondition.Test) throws -> Int {
      try cache.reader.preview(condition(test), after: [], since: .distantPast, samples: 0).matched
    }
    func names(_ name: String) -> [ListFilter.NamePattern] { [ListFilter.NamePattern(name)] }
    for test in [
      app("ci"), .group(names("main")), .level(.equal, .high), .tag(names("arm*")),
    ] {
      #expect(try matched(test) == 1, "\(test)")
    }
    for test in [
      app("noise"), .group(names("builds")), .level(.equal, .low), .tag(names("flaky")),
    ] {
      #expect(try matched(test) == 0, "\(test)")
    }
  }

  @Test(
    "a preview has the newest items as samples, counts the others, and says over how many days",
    arguments: CacheKind.allCases)
  func samples(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let day: Int64 = 86_400
    try cache.pull(
      (1...10).map { number in
        .item(
          makeItem(
            number, arrival: CacheFixture.start.advanced(by: .seconds(number * day / 2))))
      })
    let all = try cache.reader.preview(
      condition(app("ci")), after: [], since: .distantPast, samples: 3)
    #expect(all.samples.map(\.title) == ["item 10", "item 9", "item 8"])
    #expect(all.matched == 10 && all.examined == 10 && all.stopped == 0 && all.isComplete)
    // Four and a half days from the first to the last.
    #expect(all.days == 5)
    let since = CacheFixture.start.advanced(by: .seconds(4 * day))
    let recent = try cache.reader.preview(
      condition(app("ci")), after: [], since: since, samples: 0)
    #expect(recent.matched == 3 && recent.examined == 3 && recent.days == 1)
    let none = try cache.reader.preview(
      condition(app("ci")), after: [], since: since.advanced(by: .seconds(4 * day)), samples: 3)
    #expect(none.examined == 0 && none.days == 0 && none.isComplete)
  }

  @Test(
    "items that an earlier rule keeps for itself count as stopped, and are not samples",
    arguments: CacheKind.allCases)
  func stopped(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull((1...4).map { .item(makeItem($0, app: $0 == 1 ? "nas" : "ci")) })
    let everything = condition(app("*"))
    let earlier = [
      try rule(2, everything, stops: true, isEnabled: false),
      try rule(1, condition(app("ci")), stops: true), try rule(0, everything),
    ]
    let preview = try cache.reader.preview(
      everything, after: earlier, since: .distantPast, samples: 10)
    #expect(preview.matched == 4 && preview.stopped == 3)
    #expect(preview.samples.map(\.title) == ["item 1"])
  }

  @Test(
    "an item does not match if earlier searches have taken its steps",
    arguments: CacheKind.allCases)
  func steps(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let long = String(repeating: "a", count: 4_000)
    try cache.pull([.item(makeItem(1) { $0.content.visual?.body = long })])
    // Visits about thirty states for each letter, and finds none.
    let costly = condition(.pattern(.body, try RegularExpression("a{1,30}b")))
    let search = condition(.pattern(.title, try RegularExpression("item")))
    func matched(_ earlier: [Rule]) throws -> Int {
      try cache.reader.preview(search, after: earlier, since: .distantPast, samples: 1).matched
    }
    #expect(try matched([]) == 1)
    #expect(try matched([try rule(0, costly)]) == 0)
    #expect(
      try cache.reader.preview(
        condition(app("ci")), after: [try rule(0, costly)], since: .distantPast, samples: 1
      ).matched == 1)
  }

  // MARK: Counts

  @Test(
    "the matches of each condition are those of a preview, also of a search after a costly one",
    arguments: CacheKind.allCases)
  func matches(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let long = String(repeating: "a", count: 4_000)
    try cache.pull([
      .item(movedItem(1)), .item(makeItem(2, app: "nas") { $0.content.visual?.body = long }),
      .item(makeItem(3, app: "nas")),
    ])
    let conditions = [
      condition(.pattern(.body, try RegularExpression("a{1,30}b"))),
      condition(.pattern(.title, try RegularExpression("item"))), condition(app("nas")),
      condition(app("noise")),
    ]
    #expect(
      try cache.reader.matches(of: conditions, since: .distantPast) == [0, 3, 2, 0])
    for since in [Timestamp.distantPast, CacheFixture.start.advanced(by: .seconds(120))] {
      let previews = try conditions.map {
        try cache.reader.preview($0, after: [], since: since, samples: 0).matched
      }
      #expect(try cache.reader.matches(of: conditions, since: since) == previews)
    }
    #expect(try cache.reader.matches(of: [], since: .distantPast) == [])
  }

  @Test(
    "a rule may be applied to what base has, and to nothing during a first synchronisation",
    arguments: CacheKind.allCases)
  func extent(kind: CacheKind) throws {
    let cache = try CacheFixture(kind, isSynced: false)
    #expect(try cache.reader.extent(of: condition(app("ci"))) == nil)
    try cache.endFirstSync([makeItem(1), makeItem(2, app: "nas")])
    try cache.pull([.item(makeItem(3, sequence: 7))], at: 9)
    let extent = try #require(try cache.reader.extent(of: condition(app("ci"))))
    #expect(extent.count == 2 && extent.through == SequenceNumber(9))
    #expect(try cache.reader.extent(of: condition(app("shop")))?.count == 0)
  }

  // MARK: Long previews

  /// A cache with two and a half pages of items.
  private func longCache(_ kind: CacheKind) throws -> CacheFixture {
    let cache = try CacheFixture(kind)
    let count = Int64(RulePreview.examinedPerReport * 5 / 2)
    try cache.pull((1...count).map { .item(makeItem($0, app: $0 % 2 == 0 ? "ci" : "nas")) })
    return cache
  }

  @Test("a preview reports what it knows after each page of items", arguments: CacheKind.allCases)
  func reports(kind: CacheKind) throws {
    let cache = try longCache(kind)
    let page = RulePreview.examinedPerReport
    var reports: [RulePreview] = []
    let whole = try cache.reader.preview(
      condition(app("ci")), after: [], since: .distantPast, samples: 2
    ) { reports.append($0) }
    #expect(reports.map(\.examined) == [page, page * 2])
    #expect(reports.map(\.matched) == [page / 2, page])
    #expect(reports.allSatisfy { !$0.isComplete && $0.samples == whole.samples })
    #expect(whole.examined == page * 5 / 2 && whole.matched == page * 5 / 4 && whole.isComplete)
  }

  @Test("an interrupted preview ends within a page, and the next one is whole")
  func interrupted() throws {
    let cache = try longCache(.sqlite)
    var reports = 0
    #expect(throws: CacheError.interrupted) {
      try cache.reader.preview(
        condition(app("ci")), after: [], since: .distantPast, samples: 2
      ) { _ in
        reports += 1
        cache.reader.interruptSearch()
      }
    }
    #expect(reports == 1)
    #expect(
      try cache.reader.preview(
        condition(app("ci")), after: [], since: .distantPast, samples: 2
      ).isComplete)
  }
}
