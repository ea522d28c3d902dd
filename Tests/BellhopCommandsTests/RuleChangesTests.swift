import BellhopClient
import BellhopInbox
import BellhopModel
import Testing

@testable import BellhopCommands

@Suite("Changes of rules by commands")
struct RuleChangesTests {
  /// Returns a source of ids that ascend from 1.
  private static func ids() -> () -> OperationID {
    var number: UInt64 = 0
    return {
      number += 1
      return OperationID(high: 9, low: number)
    }
  }

  private static func id(_ number: UInt64) -> RuleID { RuleID(high: 5, low: number) }

  private static func definition(
    _ name: String, level: Priority = .low
  ) throws -> RuleDefinition {
    var actions = RuleActions()
    actions.level = level
    return RuleDefinition(
      name: name, condition: try RulePhrase().condition("app:ci").get(), actions: actions)
  }

  /// Rules with these names, in this order.
  private static func rules(_ names: String...) throws -> [Rule] {
    try zip(names, RuleOrder.evenly(names.count)).enumerated().map { index, pair in
      Rule(
        id: id(UInt64(index)), definition: try definition(pair.0), order: pair.1,
        revision: OperationID(high: 1, low: UInt64(index)), sequence: SequenceNumber(7))
    }
  }

  /// Returns the rules after operations, as the store applies them.
  private static func applying(
    _ operations: [BellhopModel.Operation], to rules: [Rule]
  ) throws -> [Rule] {
    var rules = rules
    for operation in operations {
      let id = try #require(operation.rule)
      guard case .changeRule(let change) = operation.mutation else { continue }
      let known = rules.first { $0.id == id }
      if let expected = operation.expect { #expect(known?.revision == expected) }
      let last = rules.map(\.order).max()
      rules.removeAll { $0.id == id }
      let after = change.applied(to: known, id: id, by: operation.id, after: last)
      if let after { rules.append(after) }
    }
    return rules.inOrder()
  }

  private static func names(_ rules: [Rule]) -> [String] { rules.map(\.definition.name) }

  @Test("an edit is for the revision that was shown, a move for any, and both are undone")
  func edits() throws {
    let rules = try Self.rules("a", "b")
    var changes = RuleChanges(Self.ids())
    changes.edit(rules[0], definition: try Self.definition("a", level: .high))
    changes.edit(rules[1], order: RuleOrder(rawValue: "b"), isEnabled: false)
    #expect(changes.operations.map(\.expect) == [rules[0].revision, nil])
    #expect(changes.undo.map(\.expect) == [changes.operations[0].id, nil])
    let after = try Self.applying(changes.operations, to: rules)
    #expect(Self.names(after) == ["b", "a"])
    #expect(after.map(\.isEnabled) == [false, true])
    #expect(after.map(\.definition.actions.level) == [.low, .high])
    let back = try Self.applying(changes.undo, to: after)
    #expect(back.map(\.definition) == rules.map(\.definition))
    #expect(back.map(\.order) == rules.map(\.order) && back.allSatisfy(\.isEnabled))
  }

  @Test("an edit that changes nothing makes no operation")
  func unchanged() throws {
    let rules = try Self.rules("a")
    var changes = RuleChanges(Self.ids())
    let isChanged = changes.edit(
      rules[0], definition: rules[0].definition, order: rules[0].order, isEnabled: true)
    #expect(!isChanged)
    #expect(changes.isEmpty && changes.undo == [])
  }

  @Test("an added rule is removed by the undo, and a removed one is added, in its place")
  func additions() throws {
    let rules = try Self.rules("a", "b")
    var changes = RuleChanges(Self.ids())
    changes.remove(rules[0])
    changes.add(try Self.definition("c"), at: nil, isEnabled: false)
    let after = try Self.applying(changes.operations, to: rules)
    #expect(Self.names(after) == ["b", "c"])
    #expect(after.map(\.isEnabled) == [true, false])
    let back = try Self.applying(changes.undo, to: after)
    #expect(Self.names(back) == ["a", "b"])
    #expect(back[0].id != rules[0].id && back[0].order == rules[0].order)
  }

  @Test("a rule is added and applied by two operations, and the undo takes back both")
  func application() throws {
    let time = Timestamp(seconds: 1_790_000_000)
    var changes = RuleChanges(Self.ids())
    let rule = changes.add(try Self.definition("a"), at: nil)
    changes.apply(rule, through: SequenceNumber(900), at: time)
    try #require(changes.operations.count == 2 && changes.undo.count == 2)
    let (added, applied) = (changes.operations[0], changes.operations[1])
    let known = try #require(try Self.applying([added], to: []).first)
    #expect(rule == RuleReference(known))
    #expect(applied.target == .matchingRule(rule, through: SequenceNumber(900)))
    #expect(applied.mutation == .applyRule(at: time))
    #expect(changes.undo[0].target == .rule(rule.id) && changes.undo[0].expect == added.id)
    #expect(changes.undo[1].target == .setBy(applied.id))
    #expect(changes.undo[1].mutation == .restorePrevious)
    #expect(Set((changes.operations + changes.undo).map(\.id)).count == 4)
  }

  @Test("known orders stay, and all are new only if there is no room")
  func orders() throws {
    let known = ["b", "n"].map { RuleOrder(rawValue: $0) }
    let filled = RuleOrder.filling([nil, known[0], nil, nil, known[1], nil])
    #expect(filled == filled.sorted() && Set(filled).count == 6)
    #expect(filled[1] == known[0] && filled[4] == known[1])
    #expect(RuleOrder.filling([known[1], known[0]]) == RuleOrder.evenly(2))
    #expect(RuleOrder.filling([known[0], nil, known[0]]) == RuleOrder.evenly(3))
    #expect(RuleOrder.filling([nil, nil]) == RuleOrder.evenly(2))
    #expect(RuleOrder.filling([]) == [])
  }

  @Test("a rule is named in any case or by its id, and its neighbours' places follow")
  func named() throws {
    let rules = try Self.rules("Passed builds", "spam", "Spam")
    #expect(try rules.named("passed BUILDS").id == Self.id(0))
    #expect(try rules.named(Self.id(2).description).id == Self.id(2))
    #expect(try rules.index(for: .before("passed builds")) == 0)
    #expect(try rules.index(for: .after("passed builds")) == 1)
    #expect(try rules.index(for: .first) == 0 && rules.index(for: .last) == 3)
    var error = #expect(throws: ClientError.self) { try rules.named("spam") }
    #expect(error?.exitCode == .usage)
    for number: UInt64 in [1, 2] {
      #expect(error?.next?.contains(Self.id(number).description) == true)
    }
    error = #expect(throws: ClientError.self) { try rules.named("pased builds") }
    #expect(error?.exitCode == .noSuchItem)
    #expect(error?.what.contains("Did you mean “Passed builds”?") == true)
    #expect(error?.next == "Nothing was changed. bellhop rules lists the rules.")
  }

  @Test(
    "a refused change has an exit code of its own",
    arguments: [
      (OperationResult.superseded, ExitCode.tryLater), (.gone, .noSuchItem),
      (.unacceptable(.tooManyRules), .badData), (.outcomeUnknown, .tryLater),
    ])
  func refusals(_ result: OperationResult, _ code: ExitCode) throws {
    let error = try #require(Commands.refusal(result, of: "The rule “a”"))
    #expect(error.exitCode == code)
    #expect(Commands.refusal(.applied, of: "The rule “a”") == nil)
  }

  // MARK: - Import

  private static func entry(
    _ name: String, id: RuleID? = nil, level: Priority = .low
  ) throws -> RuleFile.Entry {
    RuleFile.Entry(id: id, definition: try definition(name, level: level))
  }

  @Test("a table is the rule with its id, or with its name, or a new one at the end")
  func imports() throws {
    let rules = try Self.rules("a", "b", "c")
    let entries = try [
      Self.entry("new"), Self.entry("B", level: .high), Self.entry("renamed", id: Self.id(0)),
    ]
    let plan = try RuleImport(entries, into: rules, replaces: false, newID: Self.ids())
    #expect(plan.words == "1 added, 2 changed")
    let after = try Self.applying(plan.changes.operations, to: rules)
    #expect(Self.names(after) == ["renamed", "B", "c", "new"])
    #expect(after.prefix(3).map(\.order) == rules.map(\.order))
    let again = try RuleImport(entries, into: after, replaces: false, newID: Self.ids())
    #expect(again.changes.isEmpty)
    let back = try Self.applying(plan.changes.undo, to: after)
    #expect(back.map(\.definition) == rules.map(\.definition))
  }

  @Test("with --replace the rules are those of the file, in its order")
  func replacing() throws {
    let rules = try Self.rules("a", "b", "c")
    let entries = try [Self.entry("c"), Self.entry("new"), Self.entry("a")]
    let plan = try RuleImport(entries, into: rules, replaces: true, newID: Self.ids())
    #expect(plan.words == "1 added, 2 changed, 1 removed")
    let after = try Self.applying(plan.changes.operations, to: rules)
    #expect(Self.names(after) == ["c", "new", "a"])
    #expect(after.first?.id == Self.id(2) && after.last?.id == Self.id(0))
    #expect(try RuleImport(entries, into: after, replaces: true, newID: Self.ids()).changes.isEmpty)
    let back = try Self.applying(plan.changes.undo, to: after)
    #expect(Self.names(back) == ["a", "b", "c"])
  }

  @Test("a file that does not say which rule it means, or has too many, changes none")
  func refusedImports() throws {
    let rules = try Self.rules("a", "A")
    var error = #expect(throws: ClientError.self) {
      try RuleImport([Self.entry("a")], into: rules, replaces: true, newID: Self.ids())
    }
    #expect(error?.exitCode == .badData)
    #expect(error?.next?.contains(Self.id(1).description) == true)
    error = #expect(throws: ClientError.self) {
      try RuleImport(
        (0..<199).map { try Self.entry("rule \($0)") }, into: rules, replaces: false,
        newID: Self.ids())
    }
    #expect(error?.what == "There would be 201 rules, and the store allows 200.")
  }
}
