import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

@Suite("Rules that are applied to items")
struct AppliedRuleTests {
  /// Chunks of three items.
  private static var limits: StoreLimits {
    var limits = StoreLimits()
    limits.bulkChunkItemsMax = 3
    return limits
  }

  /// The operation that applies a rule to everything published up to now.
  private func application(
    of rule: Rule, _ store: StoreUnderTest
  ) async throws -> BellhopModel.Operation {
    let position = try await store.service.position(of: store.user)
    return Operation(
      id: store.newID(), applying: RuleReference(rule), through: position.sequence,
      at: store.clock.now)
  }

  /// All items, however many of them a page may hold.
  private func items(_ store: StoreUnderTest) async throws -> [UserNotification] {
    var (items, request) = ([UserNotification](), ListRequest(rows: 1000))
    repeat {
      let page = try await store.service.list(request, for: store.user)
      items += page.items
      request.page = page.next
    } while request.page != nil
    return items
  }

  /// Publishes items of the app `backups`, a hundred in a transaction.
  private func publish(_ count: Int, _ store: StoreUnderTest) async throws {
    for start in stride(from: 0, to: count, by: 100) {
      store.clock.advance(by: .milliseconds(1))
      let requests = (start..<min(start + 100, count)).map { number in
        PublishRequest(
          Content(app: "backups", group: "g", visual: VisualContent(title: "\(number)")))
      }
      let results = try await store.service.publish(requests, for: store.user)
      for result in results { _ = try result.get() }
    }
  }

  @Test(
    "a rule is applied to 1,200 items in chunks and undone as one",
    arguments: BackendKind.allCases)
  func undoneAsOne(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await publish(1200, store)
    let other = try await store.publish("other app", app: "nas").item
    let rule = try await store.addRule("old backups") {
      $0.level = .low
      $0.group = "old"
      $0.marksRead = true
      $0.dismisses = true
    }
    let before = try await items(store)
    let operation = try await application(of: rule, store)
    let answer = try await store.send([operation])
    #expect(answer.results == [.applied])
    // 1,201 publications, the rule, and one change of each item.
    #expect(answer.sequence == SequenceNumber(1202 + 1200))
    let changed = try await items(store).filter { $0.content.app == "backups" }
    #expect(changed.count == 1200)
    for item in changed {
      #expect(item.effectivePriority == .low && item.effectiveGroup == "old")
      #expect(item.state.readState.value == .read)
      #expect(item.state.userActionState.value == .dismissed)
      #expect(item.state.registerChanges.allSatisfy { $0.operation == operation.id })
      #expect(item.state.registerChanges.allSatisfy { $0.by == store.device.author })
    }
    #expect(
      changed.first?.state.applied.value.rules == [
        AppliedEffect.Contribution(rule: rule.mark, parts: [.priority, .groupName])
      ])
    #expect(try await store.stored(other) == other)
    let again = try await store.send([operation])
    #expect(again.results == [.alreadyApplied] && !again.hasEffects)

    let undo = BellhopModel.Operation(
      id: store.newID(), target: .setBy(operation.id), mutation: .restorePrevious)
    #expect(try await store.send([undo], from: 2).results == [.applied])
    let after = try await items(store)
    #expect(after.map(\.id) == before.map(\.id))
    #expect(
      zip(after, before).allSatisfy { $0.state.registers.haveSameValues(as: $1.state.registers) })
  }

  @Test(
    "a rule that was edited before the store began is superseded, one edited meanwhile goes on as confirmed",
    arguments: BackendKind.allCases, [false, true])
  func edited(kind: BackendKind, isRemoved: Bool) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    try await publish(10, store)
    let rule = try await store.addRule("noise") { $0.level = .low }
    let early = try await application(of: rule, store)
    let edit = RuleChange(definition: RuleTests.definition("noise") { $0.level = .min })
    let current = try await store.service.change(
      rule.id,
      RuleChange(definition: RuleTests.definition("noise", app: "backups") { $0.level = .high }),
      for: store.user)
    let refused = try await store.send([early])
    #expect(refused.results == [.superseded] && !refused.hasEffects)
    #expect(try await items(store).allSatisfy(\.state.registers.isUntouched))
    let again = try await store.send([early])
    #expect(again.results == [.superseded] && !again.hasEffects)

    let operation = try await application(of: current, store)
    let between = BetweenWrites(store.backend)
    let service = try await StoreService.open(
      .joining, on: between, environment: store.environment, limits: store.limits)
    between.afterEach { [service = store.service, user = store.user] in
      guard try await service.rules(of: user).first?.revision == current.revision else { return }
      _ = try await service.change(current.id, isRemoved ? .removal : edit, for: user)
    }
    let batch = OperationBatch(
      device: store.device.id, lineage: Lineage("l1"),
      operations: [NumberedOperation(number: 2, operation: operation)])
    #expect(try await service.apply(batch, for: store.user).results == [.applied])
    #expect(between.writes >= 4)
    #expect(try await store.service.rules(of: store.user).first?.revision != current.revision)
    for item in try await items(store) {
      #expect(item.effectivePriority == .high)
      #expect(item.state.applied.value.rules.map(\.rule) == [current.mark])
    }
  }

  @Test(
    "an unknown and a removed rule are superseded, and a disabled one is applied",
    arguments: BackendKind.allCases)
  func states(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    try await publish(4, store)
    let rule = try await store.addRule("noise") { $0.level = .low }
    let unknown = Rule(
      id: store.newID(), definition: rule.definition, order: rule.order, revision: rule.revision)
    let disabled = try await store.service.change(
      rule.id, RuleChange(isEnabled: false), for: store.user)
    #expect(disabled.revision == rule.revision)
    let applied = try await application(of: rule, store)
    let others = [
      try await application(of: unknown, store), applied,
      Operation(id: store.newID(), target: .rule(rule.id), mutation: .changeRule(.removal)),
      try await application(of: rule, store),
    ]
    #expect(
      try await store.send(others).results == [.superseded, .applied, .applied, .superseded])
    let items = try await items(store)
    #expect(items.allSatisfy { $0.state.applied.change?.operation == applied.id })
  }

  @Test(
    "a rule that the same batch makes is applied to what was there",
    arguments: BackendKind.allCases)
  func sameBatch(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    try await publish(7, store)
    let rule = Rule(
      id: store.newID(),
      definition: RuleTests.definition("noise", app: "back*") { $0.level = .low }, order: .first,
      revision: store.newID())
    let made = BellhopModel.Operation(
      id: rule.revision, target: .rule(rule.id),
      mutation: .changeRule(RuleChange(definition: rule.definition)))
    let operations = [made, try await application(of: rule, store)]
    #expect(try await store.send(operations).results == [.applied, .applied])
    #expect(try await items(store).allSatisfy { $0.effectivePriority == .low })
    #expect(
      try await store.send(operations).results == [.alreadyApplied, .alreadyApplied])
  }

  @Test(
    "after a crash the work goes on with the definition with which it began",
    arguments: BackendKind.allCases)
  func crash(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    try await publish(10, store)
    let rule = try await store.addRule("noise") { $0.level = .low }
    // The device does not decide what the revision says.
    var confirmed = rule
    confirmed.definition.actions.level = .urgent
    let operation = try await application(of: confirmed, store)
    try await store.crash(sending: [operation], afterWrites: 2)
    let edit = RuleChange(definition: RuleTests.definition("edited") { $0.isSilent = true })
    _ = try await store.service.change(rule.id, edit, for: store.user)
    let restarted = try await store.restarted()
    #expect(try await restarted.sweep().operationsFinished == 1)
    let items = try await items(store)
    #expect(items.allSatisfy { $0.effectivePriority == .low && !$0.isSilenced })
    #expect(
      items.allSatisfy { $0.state.applied.value.rules.map(\.rule) == [rule.mark] })
    let again = try await restarted.apply(store.batch([operation]), for: store.user)
    #expect(again.results == [.alreadyApplied])
  }

  @Test(
    "it reaches what was published by then, and leaves later content and handled items as they are",
    arguments: BackendKind.allCases)
  func bound(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    let opened = try await store.publish("opened").item
    _ = try await store.change(opened, StateChange(userActionState: .activated))
    let open = try await store.publish("open", appID: "open").item
    let replaced = try await store.publish("replaced", appID: "replaced").item
    let data = try await store.publish("data") {
      $0.visual = nil
      $0.raw = "{}"
    }.item
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    let timer = try await store.publish("timer") { $0.trigger = hourly }.item
    // Another rule has moved it, and its publisher still is the same.
    var moved = AppliedEffect()
    moved.app = "moved"
    _ = try await store.change(open, StateChange(applied: moved))
    store.clock.advance(by: .seconds(3600))
    let waiting = try await store.publish("waiting") { $0.trigger = hourly }.item
    let rule = try await store.addRule("away") {
      $0.level = .low
      $0.dismisses = true
    }
    let operation = try await application(of: rule, store)
    try await store.publish("replaced again", appID: "replaced")
    let late = try await store.publish("late").item
    // The rule has acted on both as they were published.
    for item in [replaced, late] {
      _ = try await store.change(
        item, StateChange(userActionState: .noInteraction, applied: .empty))
    }
    #expect(try await store.send([operation]).results == [.applied])
    func action(_ item: UserNotification) async throws -> UserActionState {
      try await store.stored(item).state.userActionState.value
    }
    #expect(try await action(opened) == .activated)
    #expect(try await action(open) == .dismissed)
    #expect(try await action(replaced) == .noInteraction)
    #expect(try await action(late) == .noInteraction)
    #expect(try await action(data) == .noInteraction)
    #expect(try await action(timer) == .dismissed)
    #expect(try await action(waiting) == .noInteraction)
    for item in [opened, open, data, timer, waiting] {
      #expect(try await store.stored(item).effectivePriority == .low)
    }
    for item in [replaced, late] {
      #expect(try await store.stored(item).effectivePriority == .normal)
    }
  }

  @Test(
    "a snooze until a time of day ends in the user's zone, unless the device names its own",
    arguments: BackendKind.allCases)
  func timeOfDay(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(
      kind,
      wallClock: WallClock { _, zone in
        switch zone {
        case nil: 0
        case "Test/West": -3 * 3600
        default: nil  // open: String?
        }
      })
    try await publish(1, store)
    var west = AppSettingsChange()
    west.timeZone = .set("Test/West")
    _ = try await store.service.configure(AppSettings.everyApp, west, for: store.user)
    let afternoon = try #require(LocalTime("14:00"))
    let rule = try await store.addRule("later") { $0.snooze = .until(afternoon) }
    var number: Int64 = 0
    func end(offset: Int?) async throws -> String? {
      var operation = try await application(of: rule, store)
      operation.occurrences = .through(store.clock.now, utcOffset: offset)
      number += 1
      #expect(try await store.send([operation], from: number).results == [.applied])
      let item = try await items(store).first
      return item?.state.userActionState.value.snoozedUntil.map {
        String($0.description.prefix(16))
      }
    }
    #expect(try await end(offset: nil) == "2026-03-01T17:00")
    #expect(try await end(offset: 3600) == "2026-03-01T13:00")
  }

  @Test(
    "random rules are applied to the items that they match, in every backend",
    arguments: 1...4 as ClosedRange<UInt64>)
  func sameItems(seed: UInt64) async throws {
    var limits = Self.limits
    limits.listScanMax = 5
    for kind in BackendKind.allCases {
      let store = try await StoreUnderTest(kind, limits: limits)
      let generator = ConditionGenerator(seed: seed)
      for _ in 0..<40 {
        store.clock.advance(by: .milliseconds(1))
        let request = PublishRequest(generator.content())
        _ = try await store.service.publish(request, for: store.user)
      }
      var hits = 0
      for number in 1...25 {
        let condition = try Self.condition(generator)
        let definition = RuleDefinition(
          name: "\(number)", condition: condition, actions: Self.silence)
        let rule = try await store.service.change(
          store.newID(), RuleChange(definition: definition), for: store.user)
        let operation = try await application(of: rule, store)
        let expected = try await items(store).filter { condition.isMet(by: $0.content) }
        #expect(
          try await store.send([operation], from: Int64(number)).results == [.applied])
        let changed = try await items(store).filter {
          $0.state.applied.change?.operation == operation.id
        }
        #expect(
          changed.map(\.id) == expected.map(\.id), "seed \(seed), \(kind): \(condition)")
        hits += changed.count
        _ = try await store.service.change(rule.id, .removal, for: store.user)
      }
      #expect(hits > 50, "the rules match too little to say anything")
    }
  }

  private static var silence: RuleActions {
    var actions = RuleActions()
    actions.isSilent = true
    return actions
  }

  /// A condition of one or two terms on the content that the generator makes.
  private static func condition(_ generator: ConditionGenerator) throws -> RuleCondition {
    func names(_ patterns: [String]) -> [ListFilter.NamePattern] {
      (0...generator.below(2)).map { _ in ListFilter.NamePattern(generator.pick(patterns)) }
    }
    func test() throws -> RuleCondition.Test {
      switch generator.below(6) {
      case 0: return .app(names(["A", "AB", "a*", "CI.x", "ci*", "z", "none"]))
      case 1: return .group(names(["*", "it's", "ä*", "Ä", "%_", "A B", "a*"]))
      case 2: return .tag(names(["*", "a", "AB", "''", "日本*"]))
      case 3:
        return .level(
          generator.pick(ListFilter.Comparison.allCases), generator.pick(Priority.allCases))
      case 4:
        return .pattern(
          generator.pick(RuleCondition.Part.allCases), try RegularExpression("^(a|t)"))
      default: return .phrase(try #require(RuleCondition.Phrase("a")))
      }
    }
    return RuleCondition(
      try (0...generator.below(2)).map { _ in
        RuleCondition.Term(try test(), isNegated: generator.below(3) == 0)
      })
  }
}
