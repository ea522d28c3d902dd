import BellhopCache
import BellhopModel
import Testing

@Suite("Reports on noise")
struct NoiseTests {
  private static let device = Author(kind: .device, id: "d1", name: "desk")

  private func handle(
    _ item: inout UserNotification, _ action: UserActionState, after seconds: Int64,
    by author: Author = NoiseTests.device, choice: ActionChoice? = nil
  ) {
    let change = RegisterChange(
      at: item.arrival.advanced(by: .seconds(seconds)), by: author, operation: operationID(1),
      choice: choice)
    item.state.userActionState = item.state.userActionState.setting(action, change: change)
  }

  private func read(_ item: inout UserNotification) {
    let change = RegisterChange(at: item.arrival, by: Self.device, operation: operationID(2))
    item.state.readState = item.state.readState.setting(.read, change: change)
  }

  private func lines(
    _ kind: CacheKind, _ items: [UserNotification], since: Timestamp = .distantPast
  ) throws -> [NoiseReport.Line] {
    let cache = try CacheFixture(kind)
    try cache.pull(items.map { .item($0) })
    return try cache.reader.noise(since: since, limit: 100).lines
  }

  /// Items 1, 2, … with titles that differ in a number.
  private func builds(
    _ count: Int64, _ change: (inout UserNotification, Int64) -> Void = { _, _ in }
  ) -> [UserNotification] {
    (1...count).map { number in
      makeItem(number, "build \(number) passed") { change(&$0, number) }
    }
  }

  @Test(
    "opened, answered and median time are those of the items", arguments: CacheKind.allCases)
  func numbers(kind: CacheKind) throws {
    let rule = Author(kind: .rule, id: "r", name: "passed builds")
    let items = builds(8) { item, number in
      switch number {
      case 1: handle(&item, .dismissed, after: 10)
      case 2: handle(&item, .dismissed, after: 40)
      case 3: handle(&item, .activated, after: 30)
      case 4: handle(&item, .activated, after: 100, choice: ActionChoice(id: "rerun"))
      // Neither a rule nor a snooze says what the user did with it.
      case 5: handle(&item, .dismissed, after: 0, by: rule)
      case 6: handle(&item, .snoozed(until: item.arrival.advanced(by: .seconds(9_000))), after: 1)
      default: break  // open: Int64
      }
    }
    let line = try #require(try lines(kind, items).first)
    #expect(line.title == "build # passed" && line.exampleTitle == "build 8 passed")
    #expect(line.count == 8 && line.items == 8)
    #expect(line.handled == 4 && line.opened == 1 && line.answered == 1)
    // The mean of the two in the middle: 30 and 40 seconds.
    #expect(line.medianToHandle == .seconds(35))
    #expect(try lines(kind, [makeItem(1)]).first?.medianToHandle == nil)
  }

  @Test(
    "lines are those of repeated titles and of groups, and repeats that collapsed count too",
    arguments: CacheKind.allCases)
  func grouping(kind: CacheKind) throws {
    let start = CacheFixture.start
    let items = [
      makeItem(1, "disk 1 full", app: "nas", group: "disks"),
      makeItem(2, "disk 22 full", app: "nas", group: "disks"),
      makeItem(3, "fan stopped", app: "nas", group: "disks"),
      makeItem(4, "backup", app: "nas") { item in
        item.repeats = Repeats(firstAt: start).repeated(at: start).repeated(at: start)
      },
      makeItem(5, "hello", app: "chat"), makeItem(6, "bye", app: "chat"),
      makeItem(7, "data", app: "chat", group: "raw") { item in
        item.content.visual = nil
        item.content.raw = "{}"
      },
    ]
    let lines = try lines(kind, items)
    let texts = lines.map { line in
      "\(line.app)/\(line.group ?? "")/\(line.title ?? ""): \(line.count) of \(line.items)"
    }
    #expect(
      texts == [
        "nas//backup: 3 of 1", "nas/disks/: 3 of 3", "chat//: 2 of 2",
        "nas/disks/disk # full: 2 of 2", "chat/raw/: 1 of 1",
      ])
    #expect(lines.allSatisfy { $0.hasOtherGroups })
  }

  @Test(
    "a report counts everything since its start, and lists the groups as published",
    arguments: CacheKind.allCases)
  func extent(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let moved = makeItem(3, "one", app: "ci", group: "main") { item in
      var effect = AppliedEffect()
      (effect.app, effect.group) = ("noise", "builds")
      item.state.applied = item.state.applied.setting(
        effect, change: makeRuleChange(at: item.arrival))
    }
    let scheduled = makeItem(4) { item in
      item.content.deliverAt = CacheFixture.start.advanced(by: .seconds(1_000_000))
    }
    try cache.pull([.item(makeItem(1)), .item(makeItem(2)), .item(moved), .item(scheduled)])
    let report = try cache.reader.noise(
      since: CacheFixture.start.advanced(by: .seconds(120)), limit: 1)
    #expect(report.count == 2 && report.items == 2)
    #expect(report.lines.map(\.app) == ["ci"])
    let lines = try cache.reader.noise(since: .distantPast, limit: 10).lines
    #expect(lines.map(\.group) == [nil, "main"])
  }

  // MARK: Advice

  private func advice(_ kind: CacheKind, _ items: [UserNotification]) throws -> NoiseAdvice? {
    try #require(try lines(kind, items).first).advice
  }

  @Test(
    "equal items that are never opened are to collapse, from twenty on",
    arguments: CacheKind.allCases)
  func collapse(kind: CacheKind) throws {
    #expect(try advice(kind, builds(20)) == .collapse)
    #expect(try advice(kind, builds(19)) == nil)
    let opened = builds(20) { item, number in
      if number == 1 { handle(&item, .activated, after: 9_000) }
    }
    #expect(try advice(kind, opened) == nil)
    // Items with different titles do not become one.
    let words = (1...20).map { number in
      makeItem(number, String(repeating: "a", count: Int(number)))
    }
    #expect(try advice(kind, words) == nil)
    // They have collapsed already.
    let collapsed = makeItem(1) { item in
      item.repeats = (1..<40).reduce(Repeats(firstAt: item.arrival)) { repeats, _ in
        repeats.repeated(at: CacheFixture.start)
      }
    }
    #expect(try advice(kind, [collapsed]) == nil)
  }

  @Test(
    "items that are dismissed at once and hardly ever opened are to be lowered",
    arguments: CacheKind.allCases)
  func lower(kind: CacheKind) throws {
    func items(
      _ count: Int64, after seconds: Int64, opened: Int64 = 0, level: Priority = .normal
    ) -> [UserNotification] {
      builds(count) { item, number in
        handle(&item, number <= opened ? .activated : .dismissed, after: seconds)
        item.content.priority = level
      }
    }
    #expect(try advice(kind, items(5, after: 60)) == .lower)
    #expect(try advice(kind, items(4, after: 60)) == nil)
    #expect(try advice(kind, items(5, after: 61)) == nil)
    #expect(try advice(kind, items(21, after: 5, opened: 1)) == .lower)
    #expect(try advice(kind, items(20, after: 5, opened: 1)) == nil)
    #expect(try advice(kind, items(5, after: 5, level: .low)) == nil)
  }

  @Test(
    "items that are all read and never opened are to be silent", arguments: CacheKind.allCases)
  func silence(kind: CacheKind) throws {
    #expect(try advice(kind, builds(5) { item, _ in read(&item) }) == .silence)
    #expect(
      try advice(kind, builds(5) { item, number in if number > 1 { read(&item) } }) == nil)
    #expect(try advice(kind, builds(4) { item, _ in read(&item) }) == nil)
    let silent = builds(5) { item, _ in
      read(&item)
      var effect = AppliedEffect()
      effect.isSilent = true
      item.state.applied = item.state.applied.setting(
        effect, change: makeRuleChange(at: item.arrival))
    }
    #expect(try advice(kind, silent) == nil)
  }
}
