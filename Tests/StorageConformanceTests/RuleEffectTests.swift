import BellhopModel
import BellhopStore
import Testing

@Suite("Rules and publications")
struct RuleEffectTests {
  private func undo(
    _ change: StateChange, of operation: OperationID, on item: UserNotification,
    _ store: StoreUnderTest
  ) -> BellhopModel.Operation {
    Operation(
      id: store.newID(), target: .item(item.id), mutation: .set(change), expect: operation)
  }

  @Test(
    "a rule lowers, silences, tags, groups and moves, and what the publisher wrote stays",
    arguments: BackendKind.allCases)
  func effect(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let rule = try await store.addRule("passed builds", app: "ci") {
      $0.level = .low
      $0.isSilent = true
      $0.tags = ["build", "noise"]
      $0.group = "builds"
      $0.app = "noise.example.com"
    }
    let published = try await store.publish("passed", app: "ci") {
      $0.priority = .high
      $0.group = "main"
      $0.tags = ["build"]
    }
    let item = try await store.stored(published.item)
    #expect(item == published.item)
    #expect(item.effectivePriority == .low && item.isSilenced)
    #expect(item.effectiveTags == ["build", "noise"])
    #expect(item.effectiveGroup == "builds" && item.effectiveApp == "noise.example.com")
    #expect(item.content.priority == .high && item.content.tags == ["build"])
    #expect(item.content.group == "main" && item.content.app == "ci")
    let change = try #require(item.state.applied.change)
    #expect(change.by == Author(rule: rule.mark) && change.operation == rule.operation(on: item))
    #expect(item.state.applied.previous == .empty)
    #expect(item.state.registerChanges.count == 1)
    #expect(try await store.publish("other app").item.state.registerChanges.isEmpty)
  }

  @Test(
    "a rule marks as read, dismisses, snoozes and pins, and each can be taken back",
    arguments: BackendKind.allCases)
  func registers(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let rule = try await store.addRule("later") {
      $0.marksRead = true
      $0.snooze = .for(.seconds(3600))
      $0.pins = true
    }
    let item = try await store.publish("done").item
    let end = store.clock.now.advanced(by: .seconds(3600))
    #expect(item.state.readState.value == .read && item.state.pinned.value)
    #expect(item.state.userActionState.value == .snoozed(until: end))
    let operation = rule.operation(on: item)
    #expect(item.state.registerChanges.count == 3)
    for change in item.state.registerChanges {
      #expect(change.by == Author(rule: rule.mark) && change.operation == operation)
    }
    let changes = [
      StateChange(readState: .unread), StateChange(userActionState: .noInteraction),
      StateChange(pinned: false),
    ]
    let results = try await store.send(
      changes.map { undo($0, of: operation, on: item, store) }
    ).results
    #expect(results == [.applied, .applied, .applied])
    let back = try await store.stored(item)
    #expect(back.state.registers.haveSameValues(as: ItemRegisters()))
    let again = undo(StateChange(readState: .unread), of: operation, on: item, store)
    #expect(try await store.send([again], from: 4).results == [.superseded])

    try await store.addRule("never", app: "spam") { $0.dismisses = true }
    let spam = try await store.publish("buy", app: "spam").item
    #expect(spam.state.userActionState.value == .dismissed)
    #expect(spam.state.readState.value == .unread)
  }

  @Test("what a rule did with an item is undone as one", arguments: BackendKind.allCases)
  func undoneAsOne(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let rule = try await store.addRule("noise") {
      $0.level = .low
      $0.marksRead = true
      $0.dismisses = true
    }
    let (item, other) = (
      try await store.publish("one").item, try await store.publish("two").item
    )
    let undo = BellhopModel.Operation(
      id: store.newID(), target: .setBy(rule.operation(on: item)), mutation: .restorePrevious)
    #expect(try await store.send([undo]).results == [.applied])
    let back = try await store.stored(item)
    #expect(back.state.registers.haveSameValues(as: ItemRegisters()))
    #expect(back.state.registerChanges.allSatisfy { $0.operation == undo.id })
    #expect(try await store.stored(other) == other)
  }

  @Test(
    "rules act in their order, and none acts after one that stops",
    arguments: BackendKind.allCases)
  func order(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.addRule("first", id: RuleID(high: 2, low: 1)) {
      $0.level = .low
      $0.group = "builds"
    }
    let second = try await store.addRule("second", id: RuleID(high: 1, low: 1)) {
      $0.level = .high
      $0.stops = true
    }
    try await store.addRule("third") { $0.isSilent = true }
    let item = try await store.publish("passed").item
    #expect(item.effectivePriority == .high && item.effectiveGroup == "builds")
    #expect(!item.isSilenced)
    #expect(
      item.state.applied.value.rules == [
        AppliedEffect.Contribution(rule: first.mark, parts: [.groupName]),
        AppliedEffect.Contribution(rule: second.mark, parts: [.priority]),
      ])
    #expect(item.state.applied.change?.by == Author(rule: second.mark))
  }

  @Test(
    "a quiet update runs the effect again, and neither reads, dismisses nor pins",
    arguments: BackendKind.allCases)
  func quietUpdate(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    func define(_ level: Priority) -> RuleChange {
      RuleChange(
        definition: RuleTests.definition("noise", app: "backups") {
          $0.level = level
          $0.marksRead = true
          $0.dismisses = true
          $0.pins = true
        })
    }
    let id: RuleID = store.newID()
    _ = try await store.service.change(id, define(.low), for: store.user)
    let item = try await store.publish("1", appID: "job").item
    let change = StateChange(readState: .unread, userActionState: .noInteraction, pinned: false)
    _ = try await store.change(item, change)
    let edited = try await store.service.change(id, define(.min), for: store.user)
    let quiet = try await store.publish("2", appID: "job", quiet: true).item
    #expect(quiet.effectivePriority == .min)
    #expect(quiet.state.applied.change?.operation == edited.operation(on: quiet))
    #expect(quiet.state.readState.value == .unread && !quiet.state.pinned.value)
    #expect(quiet.state.userActionState.value == .noInteraction)
    let loud = try await store.publish("3", appID: "job").item
    #expect(loud.state.readState.value == .read && loud.state.pinned.value)
    #expect(loud.state.userActionState.value == .dismissed)
  }

  @Test(
    "an effect that a user took back stays so until the item is published again",
    arguments: BackendKind.allCases)
  func takenBack(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let rule = try await store.addRule("noise") { $0.level = .low }
    let item = try await store.publish("1", appID: "job").item
    let back = undo(StateChange(applied: .empty), of: rule.operation(on: item), on: item, store)
    #expect(try await store.send([back]).results == [.applied])
    let quiet = try await store.publish("2", appID: "job", quiet: true).item
    #expect(quiet.effectivePriority == .normal)
    #expect(quiet.state.applied.change?.operation == back.id)
    let loud = try await store.publish("3", appID: "job").item
    #expect(loud.effectivePriority == .low)
    #expect(loud.state.applied.change?.operation == rule.operation(on: loud))
  }

  @Test(
    "a rule that was changed, disabled or removed decides about the next publication",
    arguments: BackendKind.allCases)
  func edited(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let rule = try await store.addRule("noise") { $0.level = .low }
    func level() async throws -> Priority {
      // Several, because the rules are kept in memory after the first ones.
      for number in 0..<2 { try await store.publish("\(number)", appID: "job", quiet: true) }
      return try await store.publish("last", appID: "job", quiet: true).item.effectivePriority
    }
    func change(_ change: RuleChange) async throws {
      _ = try await store.service.change(rule.id, change, for: store.user)
    }
    #expect(try await level() == .low)
    try await change(
      RuleChange(definition: RuleTests.definition("noise", app: "backups") { $0.level = .high }))
    #expect(try await level() == .high)
    try await change(RuleChange(isEnabled: false))
    #expect(try await level() == .normal)
    let item = try await store.publish("quiet", appID: "job", quiet: true).item
    #expect(item.state.applied.change?.by.kind == .publisher)
    try await change(RuleChange(isEnabled: true))
    #expect(try await level() == .high)
    try await change(.removal)
    #expect(try await level() == .normal)
  }

  @Test(
    "a snooze past the expiration is left out, unless a rule pins the item",
    arguments: BackendKind.allCases)
  func pastExpiration(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.defaultExpiration = .seconds(7200)
    let store = try await StoreUnderTest(kind, limits: limits)
    try await store.addRule("later") { $0.snooze = .for(.seconds(3600)) }
    /// The length of the snooze of an item that expires after this time.
    func snooze(ofItemFor seconds: Int64?) async throws -> Duration? {
      let item = try await store.publish("disk") {
        $0.expiration = seconds.map { store.clock.now.advanced(by: .seconds($0)) }
      }.item
      return item.state.userActionState.value.snoozedUntil?.duration(since: store.clock.now)
    }
    #expect(try await snooze(ofItemFor: 3599) == nil)
    #expect(try await snooze(ofItemFor: 3600) == .seconds(3600))
    #expect(try await snooze(ofItemFor: nil) == .seconds(3600))
    // It ends after the expiration of the store, so the snooze of the rule before it stays.
    try await store.addRule("much later") { $0.snooze = .for(.seconds(7201)) }
    #expect(try await snooze(ofItemFor: nil) == .seconds(3600))
    try await store.addRule("pinned") {
      $0.pins = true
      $0.snooze = .for(.seconds(7201))
    }
    #expect(try await snooze(ofItemFor: nil) == .seconds(7201))
  }

  @Test(
    "a snooze until a time of day ends in the rule's zone, or else in the user's",
    arguments: BackendKind.allCases)
  func timeOfDay(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(
      kind,
      wallClock: WallClock { _, zone in
        switch zone {
        case nil: 0
        case "Test/East": 3 * 3600
        case "Test/West": -3 * 3600
        default: nil
        }
      })
    let afternoon = try #require(LocalTime("14:00"))
    try await store.addRule("own zone") { $0.snooze = .until(afternoon) }
    try await store.addRule("east", app: "ci", timeZone: "Test/East") {
      $0.snooze = .until(afternoon)
    }
    func end(_ app: String) async throws -> String? {
      try await store.publish("x", app: app).item.state.userActionState.value.snoozedUntil
        .map { String($0.description.prefix(16)) }
    }
    #expect(try await end("backups") == "2026-03-01T14:00")
    #expect(try await end("ci") == "2026-03-02T11:00")
    var west = AppSettingsChange()
    west.timeZone = .set("Test/West")
    _ = try await store.service.configure(AppSettings.everyApp, west, for: store.user)
    #expect(try await end("backups") == "2026-03-01T17:00")
    #expect(try await end("ci") == "2026-03-02T11:00")
  }

  @Test(
    "rules only list data elsewhere, and do not handle an item with a trigger",
    arguments: BackendKind.allCases)
  func dataAndTriggers(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.addRule("everything") {
      $0.level = .low
      $0.marksRead = true
      $0.dismisses = true
      $0.pins = true
    }
    let data = try await store.publish("data") {
      $0.visual = nil
      $0.raw = "{}"
    }.item
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    let timer = try await store.publish("stretch", appID: "stretch") { $0.trigger = hourly }.item
    for item in [data, timer] {
      #expect(item.effectivePriority == .low)
      #expect(item.state.readState.change == nil && item.state.userActionState.change == nil)
    }
    #expect(!data.state.pinned.value && timer.state.pinned.value)
  }

  @Test("an idempotent repeat is evaluated once", arguments: BackendKind.allCases)
  func idempotency(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.addRule("noise") { $0.level = .low }
    let key = IdempotencyKey(token: store.token.token.id, key: "k", bodyHash: [1])
    let request = PublishRequest(
      Content(app: "backups", visual: VisualContent(title: "x")), idempotency: key)
    let first = try await store.service.publish(request, for: store.user)
    let changed = try await store.change(first.item, StateChange(applied: .empty))
    store.clock.advance(by: .seconds(1))
    let again = try await store.service.publish(request, for: store.user)
    #expect(again.isRepeat && again.answer == first.answer)
    #expect(try await store.stored(first.item) == changed)
  }

  @Test("a publication through an outbox meets the rules, also that of its own batch")
  func outbox() async throws {
    let store = try await StoreUnderTest(.memory)
    let made = BellhopModel.Operation(
      id: store.newID(), target: .rule(store.newID()),
      mutation: .changeRule(
        RuleChange(definition: RuleTests.definition("noise") { $0.level = .low })))
    let publication = BellhopModel.Operation(
      id: store.newID(), publishing: Content(app: "ci", visual: VisualContent(title: "x")),
      at: store.clock.now)
    #expect(try await store.send([made, publication]).results == [.applied, .applied])
    let item = try await store.service.item(
      NotificationID(sameAs: publication.id), of: store.user)
    #expect(item.effectivePriority == .low && item.state.applied.change?.by.kind == .rule)
  }

  @Test("what a publisher is answered does not depend on rules", arguments: BackendKind.allCases)
  func answers(kind: BackendKind) async throws {
    var answers: [[UserNotification]] = []
    // Both stores have one rule, so that ids and sequences are the same.
    for app in ["backups", "elsewhere"] {
      let store = try await StoreUnderTest(kind)
      try await store.addRule("all", app: app) {
        $0.level = .low
        $0.isSilent = true
        $0.marksRead = true
        $0.dismisses = true
        $0.pins = true
        $0.tags = ["noise"]
        $0.group = "noise"
        $0.app = "noise"
      }
      answers.append([])
      for quiet in [false, false, true] {
        let published = try await store.publish("x", appID: "job", quiet: quiet)
        answers[answers.count - 1].append(published.answer)
      }
    }
    #expect(answers.first == answers.last)
  }
}
