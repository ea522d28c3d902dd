import BellhopModel
import Testing

@Suite("Taking back what rules did to an item")
struct RuleTakeBackTests {
  private static let first = RuleMark(id: Sample.id(1), revision: Sample.id(11), name: "first")
  private static let second = RuleMark(id: Sample.id(2), revision: Sample.id(12), name: "second")

  private static func change(by rule: RuleMark) -> RegisterChange {
    RegisterChange(
      at: Sample.start, by: Author(rule: rule),
      operation: OperationID(of: rule, on: Sample.id(1), content: SequenceNumber(5)))
  }

  private static func effect(of rule: RuleMark) -> AppliedEffect {
    var actions = RuleActions()
    actions.level = .low
    var effect = AppliedEffect.empty
    effect.add(actions, of: rule, to: Sample.item().content)
    return effect
  }

  /// Takes back what rules did, as the store does.
  private static func takenBack(_ item: UserNotification) -> UserNotification {
    var number: UInt64 = 500
    let operations = item.operationsTakingBackRules {
      number += 1
      return Sample.id(number)
    }
    return operations.reduce(item) { item, operation in
      let outcome = operation.apply(
        to: item, by: Sample.author, at: Sample.time(60), on: .utc)
      guard case .applied(let after) = outcome else { return item }
      return after
    }
  }

  @Test("each register that a rule set has the value of publication again")
  func all() {
    var item = Sample.item()
    item.state.applied = Register(
      Self.effect(of: Self.first), previous: .empty, change: Self.change(by: Self.first))
    item.state.readState = Register(
      .read, previous: .unread, change: Self.change(by: Self.second))
    item.state.userActionState = Register(
      .dismissed, previous: .noInteraction, change: Self.change(by: Self.first))
    item.state.pinned = Register(true, previous: false, change: Self.change(by: Self.second))
    #expect(item.operationsTakingBackRules { Sample.id(7) }.count == 2)
    let after = Self.takenBack(item)
    #expect(after.state.registers.haveSameValues(as: ItemRegisters()))
    #expect(after.operationsTakingBackRules { Sample.id(7) } == [])
  }

  @Test("a register that a device set since stays as it is")
  func changedSince() {
    var item = Sample.item()
    item.state.applied = Register(
      Self.effect(of: Self.first), previous: .empty, change: Self.change(by: Self.first))
    item.state.userActionState = Register(
      .dismissed, previous: .noInteraction,
      change: RegisterChange(at: Sample.start, by: Sample.author, operation: Sample.id(90)))
    let after = Self.takenBack(item)
    #expect(after.effectivePriority == .normal)
    #expect(after.state.userActionState.value == .dismissed)
  }

  @Test("a rule that its user applied is taken back with all that it set")
  func appliedByDevice() {
    let change = RegisterChange(at: Sample.start, by: Sample.author, operation: Sample.id(90))
    var item = Sample.item()
    item.state.applied = Register(
      Self.effect(of: Self.first), previous: .empty, change: change)
    item.state.readState = Register(.read, previous: .unread, change: change)
    let operations = item.operationsTakingBackRules { Sample.id(7) }
    #expect(operations.map(\.expect) == [Sample.id(90)])
    #expect(Self.takenBack(item).state.registers.haveSameValues(as: ItemRegisters()))
  }

  @Test("an item without an effect of rules needs no operation")
  func untouched() {
    #expect(Sample.item().operationsTakingBackRules { Sample.id(7) } == [])
  }
}
