import BellhopCache
import BellhopModel
import Testing

/// Lists, counters and rings of items that rules have changed.
@Suite("Effective fields in the cache")
struct EffectiveFieldCacheTests {
  /// The effect of a rule that moves builds out of the way.
  private static let effect: AppliedEffect = {
    var effect = AppliedEffect()
    effect.app = "noise"
    effect.group = "builds"
    effect.level = .low
    effect.tags = ["flaky"]
    return effect
  }()

  private func item(_ number: Int64, _ effect: AppliedEffect? = nil) -> UserNotification {
    makeItem(number, app: "ci", group: "main") { item in
      item.content.priority = .high
      item.content.tags = ["arm64"]
      if let effect { apply(effect, to: &item.state) }
    }
  }

  private func apply(_ effect: AppliedEffect, to state: inout ItemState) {
    state.applied = state.applied.setting(effect, change: makeRuleChange(at: CacheFixture.start))
  }

  /// Brings the state of item 1 after a rule has acted on it.
  ///
  /// - Parameter content: The sequence of the item's content.
  private func pullEffect(
    _ effect: AppliedEffect, at sequence: Int64, content: Int64 = 1, _ cache: CacheFixture
  ) throws {
    var state = item(1).state
    state.sequence = SequenceNumber(sequence)
    state.contentSequence = SequenceNumber(content)
    apply(effect, to: &state)
    try cache.pull([.state(itemID(1), state)])
  }

  /// Takes back on this device what rules did to item 1.
  private func undo(_ cache: CacheFixture) throws {
    let operation = BellhopModel.Operation(
      id: operationID(1), target: .item(itemID(1)), mutation: .set(StateChange(applied: .empty)))
    _ = try cache.storage.enqueue([operation], now: CacheFixture.start, sealAfter: nil)
  }

  /// Expects item 1 under this app and group in counters and lists, and item 2 as published.
  private func expectItem1(
    _ cache: CacheFixture, in app: String, _ group: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reader = cache.reader
    let isMoved = app != "ci"
    let apps = Dictionary(uniqueKeysWithValues: try reader.apps().map { ($0.app, $0.totals.tray) })
    let one = ItemCount(count: 1, unread: 1)
    let expectedApps: [String: ItemCount] =
      isMoved ? ["ci": one, app: one] : ["ci": one + one]
    #expect(apps == expectedApps, sourceLocation: sourceLocation)
    let hour = CacheFixture.start.milliseconds / 3_600_000
    #expect(
      try reader.countsByApp(hour - 1..<hour + 2) == apps.mapValues(\.count),
      sourceLocation: sourceLocation)
    let groups = try reader.trayGroups(limit: 10).map { summary in
      "\(summary.app)/\(summary.group ?? ""): \(summary.tray.count)"
    }
    let expectedGroups = isMoved ? ["\(app)/\(group): 1", "ci/main: 1"] : ["ci/main: 2"]
    #expect(Set(groups) == Set(expectedGroups), sourceLocation: sourceLocation)
    let members = try #require(TrayGroup(app: app, name: group), sourceLocation: sourceLocation)
    let expectedMembers = isMoved ? ["item 1"] : ["item 2", "item 1"]
    #expect(
      try cache.titles(.trayGroup(members)) == expectedMembers, sourceLocation: sourceLocation)
    // Apps in ascending order; within one, the newest item first.
    #expect(
      try cache.titles(CacheList.tray.sorted(by: .app)) == ["item 2", "item 1"],
      sourceLocation: sourceLocation)
    let rows = try reader.rows(of: CacheList.tray.sorted(by: .app), .first, limit: 10)
    #expect(rows.map(\.app) == ["ci", app], sourceLocation: sourceLocation)
    #expect(rows.map(\.publishedApp) == ["ci", "ci"], sourceLocation: sourceLocation)
  }

  @Test(
    "counters, groups and lists follow an item that a rule moves, and back after an undo",
    arguments: CacheKind.allCases)
  func moves(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(item(1)), .item(item(2))])
    try expectItem1(cache, in: "ci", "main")
    try pullEffect(Self.effect, at: 3, cache)
    try expectItem1(cache, in: "noise", "builds")
    let row = try #require(try cache.reader.row(itemID(1)))
    #expect(row.priority == .low && row.tags == ["arm64", "flaky"])
    #expect(try cache.titles(CacheList.tray.sorted(by: .level)) == ["item 2", "item 1"])
    #expect(try cache.reader.item(itemID(1))?.stored.content == item(1).content)
    try undo(cache)
    try expectItem1(cache, in: "ci", "main")
    #expect(try cache.reader.row(itemID(1))?.tags == ["arm64"])
    #expect(try cache.reader.row(itemID(1))?.priority == .high)
    #expect(try cache.reader.item(itemID(1))?.stored.effectiveApp == "noise")
    // A rule of the store acts again before it has the undo.
    var other = Self.effect
    other.app = "later"
    try pullEffect(other, at: 4, cache)
    try expectItem1(cache, in: "ci", "main")
    #expect(try cache.reader.item(itemID(1))?.stored.content == item(1).content)
    try cache.pull([.removed(itemID(1), sequence: SequenceNumber(5))])
    #expect(try cache.reader.apps().map(\.app) == ["ci"])
    #expect(try cache.reader.trayGroups(limit: 10).map(\.tray.count) == [1])
  }

  @Test(
    "an item that is published again keeps what a rule made of it", arguments: CacheKind.allCases)
  func replaced(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(item(1, Self.effect)), .item(item(2))])
    try expectItem1(cache, in: "noise", "builds")
    var again = makeItem(1, app: "ci", group: "other", sequence: 3)
    apply(Self.effect, to: &again.state)
    try cache.pull([.item(again)])
    try expectItem1(cache, in: "noise", "builds")
    #expect(try cache.reader.item(itemID(1))?.notification == again)
    // A rule whose values are the published ones changes no list.
    var same = AppliedEffect()
    same.app = "ci"
    same.tags = ["arm64"]
    try cache.pull([.item(makeItem(1, app: "ci", group: "main", sequence: 4))])
    try pullEffect(same, at: 5, content: 4, cache)
    try expectItem1(cache, in: "ci", "main")
  }

  @Test("search finds the tag that a rule added", arguments: CacheKind.allCases)
  func search(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(item(1)), .item(item(2))])
    try cache.indexEverything()
    #expect(try cache.titles(.search("flaky")).isEmpty)
    try pullEffect(Self.effect, at: 3, cache)
    // Before it is indexed, and after.
    for _ in 0..<2 {
      #expect(try cache.titles(.search("flaky")) == ["item 1"])
      #expect(try cache.titles(.search("noise builds")) == ["item 1"])
      #expect(try cache.titles(.search("main")) == ["item 2"])
      let filter = ListFilter(words: "flaky")
      #expect(try cache.titles(.narrowed(.tray, filter)) == ["item 1"])
      let found = try #require(try cache.reader.item(itemID(1)))
      #expect(filter.passes(found.notification, in: .tray))
      try cache.indexEverything()
    }
    try undo(cache)
    for _ in 0..<2 {
      #expect(try cache.titles(.search("flaky")).isEmpty)
      #expect(try cache.titles(.search("main")) == ["item 2", "item 1"])
      try cache.indexEverything()
    }
  }

  @Test(
    "an item rings by the settings of the app that lists it, and not if a rule silences it",
    arguments: CacheKind.allCases)
  func rings(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    var silent = AppliedEffect()
    silent.isSilent = true
    var urgent = AppliedEffect()
    urgent.app = "pager"
    urgent.level = .urgent
    let outcome = try cache.pull([
      .app(AppSettings(app: "noise", sequence: SequenceNumber(1), mute: .forever)),
      .item(makeItem(2, app: "ci") { apply(Self.effect, to: &$0.state) }),
      .item(makeItem(3, app: "ci") { apply(silent, to: &$0.state) }),
      .item(makeItem(4, app: "noise") { apply(urgent, to: &$0.state) }),
    ])
    #expect(outcome.arrivals.map(\.id) == [itemID(4)])
    #expect(outcome.arrivals.map(\.app) == ["pager"])
    #expect(outcome.arrivals.map(\.priority) == [.urgent])
    #expect(
      try cache.storage.claimTrayAnnouncements(limit: 10).map(\.id) == [itemID(4)])
    #expect(try cache.reader.totals().tray.count == 3)
  }

  @Test(
    "an item that a rule moved uses the categories of the app that published it",
    arguments: CacheKind.allCases)
  func categories(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    func settings(_ app: String, _ sequence: Int64, _ placeholder: String) -> Change {
      .app(
        AppSettings(
          app: app, sequence: SequenceNumber(sequence),
          categories: [Category(id: "build", hiddenPreviewsBodyPlaceholder: placeholder)]))
    }
    let moved = makeItem(3, app: "ci") { item in
      item.content.extras.category = "build"
      apply(Self.effect, to: &item.state)
    }
    try cache.pull([settings("ci", 1, "a build"), settings("noise", 2, "noise"), .item(moved)])
    let row = try #require(try cache.reader.row(itemID(3)))
    #expect(row.app == "noise" && row.publishedApp == "ci")
    #expect(try cache.reader.category(of: row)?.hiddenPreviewsBodyPlaceholder == "a build")
    #expect(try cache.reader.category(of: moved)?.hiddenPreviewsBodyPlaceholder == "a build")
  }

  @Test(
    "what remains of a deleted item says who published it, and where a rule moved it",
    arguments: CacheKind.allCases)
  func removed(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(item(1, Self.effect)), .item(item(2))])
    let log = try #require(cache.reader as? any ChangeReading)
    let position = try log.changePosition(at: .end)
    try cache.pull([1, 2].map { .removed(itemID($0), sequence: SequenceNumber(2 + $0)) })
    guard
      case .batch(let batch) = try log.changes(after: position, limit: 9, where: { _ in true })
    else {
      Issue.record("the log starts over")
      return
    }
    let items = batch.changes.compactMap { change -> RemovedItem? in
      if case .removed(let item) = change { item } else { nil }
    }
    #expect(items.map(\.app) == ["ci", "ci"])
    #expect(items.map(\.group) == ["main", "main"])
    #expect(items.map(\.movedApp) == ["noise", nil])
    #expect(items.map(\.movedGroup) == ["builds", nil])
  }
}
