import BellhopModel
import Testing

@Suite("The effect of rules on an item")
struct AppliedRegisterTests {
  private static let mark = RuleMark(
    id: Sample.id(7), revision: Sample.id(8), name: "passed builds")

  private static let effect: AppliedEffect = {
    var effect = AppliedEffect()
    effect.level = .low
    effect.group = "noise"
    effect.app = "later"
    effect.tags = ["passed", "arm64"]
    effect.isSilent = true
    return effect
  }()

  /// An item whose effect a rule has set at its publication.
  private static func item() -> UserNotification {
    var item = Sample.item(
      Content(
        app: "ci", group: "main", priority: .high, tags: ["arm64"],
        visual: VisualContent(title: "build 412 passed")))
    item.state.applied = item.state.applied.setting(
      effect,
      change: RegisterChange(at: Sample.start, by: Author(rule: mark), operation: Sample.id(9)))
    return item
  }

  private static func operation(
    _ number: UInt64, _ effect: AppliedEffect, expect: OperationID? = nil
  ) -> Operation {
    Operation(
      id: Sample.id(number), target: .item(Sample.id(1)),
      mutation: .set(StateChange(applied: effect)), expect: expect)
  }

  private static func result(
    of operation: Operation, on item: UserNotification
  ) -> OperationOutcome {
    operation.apply(to: item, by: Sample.author, at: Sample.time(60), on: .utc)
  }

  @Test("it changes app, group, level and tags as they are listed, and leaves the content")
  func effective() {
    var item = Self.item()
    #expect(item.effectiveApp == "later" && item.content.app == "ci")
    #expect(item.effectiveGroup == "noise" && item.content.group == "main")
    #expect(item.effectivePriority == .low && item.content.priority == .high)
    #expect(item.effectiveTags == ["arm64", "passed"] && item.content.tags == ["arm64"])
    #expect(item.isSilenced)
    item.state.applied = Register(.empty)
    #expect(item.effectiveApp == "ci" && item.effectiveGroup == "main")
    #expect(item.effectivePriority == .high && item.effectiveTags == ["arm64"])
    #expect(!item.isSilenced)
  }

  @Test("a device takes it back, an undo of that restores it, and a guarded undo is superseded")
  func undo() throws {
    let item = Self.item()
    let back = Self.operation(20, .empty)
    guard case .applied(let freed) = Self.result(of: back, on: item) else {
      Issue.record("nothing was set")
      return
    }
    #expect(freed.state.applied.value == .empty)
    #expect(freed.state.applied.previous == Self.effect)
    #expect(freed.state.readState == item.state.readState && freed.content == item.content)
    let undo = try #require(back.undo(id: Sample.id(21), before: item))
    guard case .applied(let again) = Self.result(of: undo, on: freed) else {
      Issue.record("nothing was restored")
      return
    }
    #expect(again.state.applied.value == Self.effect)
    let late = Self.operation(22, .empty, expect: Sample.id(9))
    #expect(Self.result(of: late, on: again) == .superseded)
  }

  @Test("a device may undo what the rule set, by the operation that follows from the rule")
  func undoOfRule() {
    let undo = Self.operation(20, .empty, expect: Sample.id(9))
    guard case .applied(let freed) = Self.result(of: undo, on: Self.item()) else {
      Issue.record("nothing was set")
      return
    }
    #expect(freed.state.applied.change?.by == Sample.author)
  }

  @Test("an equal effect is not a change")
  func equal() {
    #expect(Self.result(of: Self.operation(20, Self.effect), on: Self.item()) == .unchanged)
  }

  @Test("it has the form of a document, and only that form keeps the value itself")
  func form() throws {
    let documents = ItemRegister.all.filter { $0.form == .document }
    #expect(documents.map(\.id) == [.applied])
    let register = try #require(documents.first)
    let item = Self.item()
    #expect(register.value(item.state.registers) == CodedValue(document: Self.effect))
    #expect(register.value(ItemRegisters()) == CodedValue(document: .empty))
    #expect(register.isInitial(ItemRegisters()) && !register.isInitial(item.state.registers))
    var change = StateChange()
    let isAccepted = register.want(CodedValue(code: 1), &change)
    #expect(!isAccepted, "the document is missing")
    for other in ItemRegister.all where other.form != .document {
      #expect(other.value(item.state.registers).document == nil, "\(other.name)")
    }
  }
}
