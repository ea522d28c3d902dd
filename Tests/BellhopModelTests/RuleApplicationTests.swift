import BellhopModel
import Testing

@Suite("A rule that is applied to items that are there")
struct RuleApplicationTests {
  private static let now = Sample.time(60)

  /// The operation that applies a rule to everything up to the content sequence 5.
  private static func operation(
    _ condition: RuleCondition = RuleSetTests.always, zone: String? = nil, through: Int64 = 5,
    at made: Timestamp = now, utcOffset: Int? = nil, _ set: (inout RuleActions) -> Void
  ) -> BellhopModel.Operation {
    let definition = RuleDefinition(
      name: "noise", condition: condition, actions: RuleSetTests.actions(set), timeZone: zone)
    let rule = RuleReference(id: Sample.id(20), revision: Sample.id(21), definition: definition)
    var operation = Operation(
      id: Sample.id(22), applying: rule, through: SequenceNumber(through), at: made)
    if let utcOffset { operation.occurrences = .through(made, utcOffset: utcOffset) }
    return operation
  }

  private static func applied(
    _ operation: BellhopModel.Operation, to item: UserNotification, at time: Timestamp = now
  ) -> UserNotification? {
    guard operation.means(item, at: time, on: RuleSetTests.clock) else { return nil }
    let outcome = operation.apply(
      to: item, by: Sample.author, at: time, on: RuleSetTests.clock)
    if case .applied(let after) = outcome { return after }
    return nil
  }

  private static func item(_ set: (inout UserNotification) -> Void = { _ in }) -> UserNotification {
    var item = Sample.item(
      Content(
        app: "ci", group: "main", tags: ["build"],
        visual: VisualContent(title: "build 412 passed")))
    set(&item)
    return item
  }

  /// A timer that is due every ten minutes.
  private static func timer() throws -> UserNotification {
    let trigger = try Trigger(.interval(seconds: 600), repeats: true)
    return item { $0.content.trigger = trigger }
  }

  private static func change(_ seconds: Int64) -> RegisterChange {
    RegisterChange(at: Sample.time(seconds), by: Sample.author, operation: Sample.id(30))
  }

  @Test("it sets what the rule says, as its user's own change, and its undo takes all of it back")
  func everything() throws {
    let operation = Self.operation {
      $0.level = .low
      $0.isSilent = true
      $0.tags = ["build", "noise"]
      $0.marksRead = true
      $0.dismisses = true
      $0.pins = true
    }
    let item = Self.item()
    let after = try #require(Self.applied(operation, to: item))
    #expect(after.effectivePriority == .low && after.isSilenced && after.content == item.content)
    #expect(after.effectiveTags == ["build", "noise"])
    #expect(after.state.readState.value == .read && after.state.pinned.value)
    #expect(after.state.userActionState.value == .dismissed)
    let mark = try #require(operation.appliedRule).mark
    #expect(
      after.state.applied.value.rules == [
        AppliedEffect.Contribution(rule: mark, parts: [.priority, .tags, .silent])
      ])
    #expect(after.state.registerChanges.count == 4)
    for change in after.state.registerChanges {
      #expect(change.by == Sample.author && change.operation == operation.id)
    }
    #expect(Self.applied(operation, to: after) == nil, "the second time, nothing changes")
    #expect(operation.undo(id: Sample.id(23), before: item) == nil)
    let undo = Operation(
      id: Sample.id(23), target: .setBy(operation.id), mutation: .restorePrevious)
    let back = try #require(Self.applied(undo, to: after))
    #expect(back.state.registers.haveSameValues(as: item.state.registers))
  }

  @Test("it selects by published content up to its bound, repeats included")
  func selection() throws {
    func means(
      _ operation: BellhopModel.Operation, _ set: (inout UserNotification) -> Void = { _ in }
    ) -> Bool {
      let item = Self.item(set)
      let isMeant = operation.means(item, at: Self.now, on: .utc)
      #expect(operation.mayMean(item) || !isMeant)
      return isMeant
    }
    let tests: [RuleCondition.Test] = [
      .app([ListFilter.NamePattern("CI")]), .group([ListFilter.NamePattern("ma*")]),
      .level(.equal, .normal), .tag([ListFilter.NamePattern("build")]),
      .pattern(.title, try RegularExpression("passed$")),
    ]
    for test in tests {
      let condition = RuleCondition([.init(test)])
      let operation = Self.operation(condition) { $0.level = .low }
      #expect(means(operation), "\(test)")
      let negated = RuleCondition([.init(test, isNegated: true)])
      #expect(!means(Self.operation(negated) { $0.level = .low }), "\(test)")
      var effect = AppliedEffect()
      effect.app = "moved"
      effect.group = "moved"
      effect.level = .urgent
      let moved = effect
      #expect(means(operation) { $0.state.applied = Register(moved) }, "\(test)")
    }
    let older = Self.operation(through: 4) { $0.level = .low }
    #expect(!means(older))
    #expect(means(older) { $0.state.meaning = SequenceNumber(4) })
  }

  @Test("the effect is added to that of other rules")
  func added() throws {
    let other = RuleMark(id: Sample.id(40), revision: Sample.id(41), name: "other")
    var effect = AppliedEffect()
    effect.level = .high
    effect.group = "builds"
    effect.rules = [AppliedEffect.Contribution(rule: other, parts: [.priority, .groupName])]
    let before = effect
    let item = Self.item { $0.state.applied = Register(before) }
    let operation = Self.operation { $0.level = .low }
    let after = try #require(Self.applied(operation, to: item)).state.applied.value
    #expect(after.level == .low && after.group == "builds")
    #expect(after.rules.map(\.rule.name) == ["other", "noise"])
    #expect(after.rules.map(\.parts) == [[.groupName], [.priority]])
    #expect(Self.applied(Self.operation { $0.stops = true }, to: item) == nil)
  }

  @Test("an item that was opened or dismissed stays handled as it is, and data is only listed")
  func leftOut() throws {
    let states: [UserActionState] = [
      .activated, .dismissed, .snoozed(until: Sample.time(9)), .noInteraction,
    ]
    let later = Self.operation { $0.snooze = .for(.seconds(3600)) }
    let away = Self.operation { $0.dismisses = true }
    for state in states {
      let item = Self.item { $0.state.userActionState = Register(state) }
      let isOpen = state != .activated && state != .dismissed
      let snoozed = Self.applied(later, to: item)?.state.userActionState.value
      #expect(snoozed == (isOpen ? .snoozed(until: Sample.time(3660)) : nil), "\(state)")
      #expect(
        Self.applied(away, to: item)?.state.userActionState.value == (isOpen ? .dismissed : nil),
        "\(state)")
    }
    let data = Self.item { $0.content.visual = nil }
    let both = Self.operation {
      $0.group = "data"
      $0.pins = true
      $0.marksRead = true
    }
    let listed = try #require(Self.applied(both, to: data))
    #expect(listed.effectiveGroup == "data" && listed.state.registerChanges.count == 1)
  }

  @Test("a snooze counts from the user's change, and is left out past the expiration")
  func snooze() throws {
    let seconds: [(Int64, Bool, Timestamp?)] = [
      (3659, false, nil), (3660, false, Sample.time(3660)), (3659, true, Sample.time(3660)),
    ]
    for (expires, isPinned, end) in seconds {
      let item = Self.item {
        $0.content.expiration = Sample.time(expires)
        $0.state.pinned = Register(isPinned)
      }
      let operation = Self.operation { $0.snooze = .for(.seconds(3600)) }
      let after = Self.applied(operation, to: item, at: Sample.time(600))
      #expect(after?.state.userActionState.value.snoozedUntil == end, "\(expires)")
    }
    // The clock of the device was ahead.
    let ahead = Self.operation(at: Sample.time(9000)) { $0.snooze = .for(.seconds(3600)) }
    #expect(
      Self.applied(ahead, to: Self.item())?.state.userActionState.value
        == .snoozed(until: Sample.time(3660)))
    let noon = try #require(LocalTime("12:00"))
    func end(_ zone: String?, _ offset: Int?) -> String? {
      let operation = Self.operation(zone: zone, utcOffset: offset) { $0.snooze = .until(noon) }
      let until = Self.applied(operation, to: Self.item())?.state.userActionState.value.snoozedUntil
      return until.map { String($0.description.prefix(16)) }
    }
    #expect(end(nil, nil) == "2026-11-21T12:00")
    #expect(end("Europe/Berlin", nil) == "2026-11-21T11:00")
    #expect(end(nil, 7200) == "2026-11-21T10:00", "in the zone of the device")
    #expect(end("Europe/Berlin", 7200) == "2026-11-21T11:00")
  }

  @Test("an item with a trigger is handled for the occurrence that was shown, and not before one")
  func triggered() throws {
    let timer = try Self.timer()
    func operation(at seconds: Int64) -> BellhopModel.Operation {
      Self.operation(at: Sample.time(seconds)) {
        $0.level = .low
        $0.dismisses = true
      }
    }
    let early = try #require(Self.applied(operation(at: 60), to: timer, at: Sample.time(1300)))
    #expect(early.effectivePriority == .low && early.state.userActionState.change == nil)
    let shown = try #require(Self.applied(operation(at: 700), to: timer, at: Sample.time(1300)))
    #expect(shown.state.userActionState.value == .dismissed)
    #expect(shown.state.userActionState.change?.occurrence == .number(1))
    // What a user did with an earlier occurrence says nothing about the one that was shown.
    var opened = Self.change(700)
    opened.occurrence = .number(1)
    var item = timer
    item.state.userActionState = Register(.noInteraction).setting(.activated, change: opened)
    let first = try #require(Self.applied(operation(at: 700), to: item, at: Sample.time(1300)))
    #expect(first.state.userActionState.value == .activated)
    let second = try #require(Self.applied(operation(at: 1250), to: item, at: Sample.time(1300)))
    #expect(second.state.userActionState.value == .dismissed)
    #expect(second.state.userActionState.change?.occurrence == .number(2))
  }
}
