import BellhopModel
import Foundation
import Testing

@Suite("Changes of rules")
struct RuleChangeTests {
  private static let id: RuleID = Sample.id(1)
  private static let operation: OperationID = Sample.id(7)

  private func applied(
    _ change: RuleChange, to rule: Rule? = nil, after last: RuleOrder? = nil
  ) -> Rule? {
    change.applied(to: rule, id: Self.id, by: Self.operation, after: last)
  }

  @Test("a definition makes a rule after the last one, unless the change has an order")
  func added() throws {
    let definition = try RuleSetTests.rule(1) { $0.stops = true }.definition
    let first = try #require(applied(RuleChange(definition: definition)))
    #expect(
      first
        == Rule(id: Self.id, definition: definition, order: .first, revision: Self.operation))
    #expect(first.isEnabled && first.sequence == .zero)
    let next = applied(RuleChange(definition: definition), after: first.order)
    #expect(try #require(next).order > first.order)
    let moved = applied(
      RuleChange(definition: definition, order: .first, isEnabled: false), after: next?.order)
    #expect(moved?.order == .first && moved?.isEnabled == false)
    // Without room after the last one, the ids decide.
    let last = RuleOrder(rawValue: String(repeating: "z", count: RuleOrder.bytesMax))
    #expect(applied(RuleChange(definition: definition), after: last)?.order == last)
    #expect(applied(RuleChange(order: .first)) == nil)
    #expect(applied(.removal) == nil)
  }

  @Test("each part changes alone, and only another definition is a new revision")
  func changed() throws {
    let rule = try RuleSetTests.rule(1) { $0.stops = true }
    let order = try #require(RuleOrder(rawValue: "b"))
    var wanted = rule
    wanted.order = order
    #expect(applied(RuleChange(order: order), to: rule, after: rule.order) == wanted)
    wanted.isEnabled = false
    #expect(applied(RuleChange(order: order, isEnabled: false), to: rule) == wanted)
    #expect(applied(RuleChange(definition: rule.definition), to: rule) == rule)
    var definition = rule.definition
    definition.name = "renamed"
    let edited = try #require(applied(RuleChange(definition: definition), to: rule))
    #expect(edited.definition == definition && edited.revision == Self.operation)
    #expect(edited.order == rule.order && edited.sequence == rule.sequence)
    #expect(applied(.removal, to: rule) == nil)
  }

  @Test("the coded form of a change is read back unchanged, and a removal has no other part")
  func coding() throws {
    let rule = try RuleSetTests.rule(1) { $0.stops = true }
    let changes = [
      RuleChange(definition: rule.definition), RuleChange(order: .first),
      RuleChange(isEnabled: false), RuleChange(isEnabled: true), .removal, RuleChange(),
    ]
    for change in changes {
      let data = try JSONEncoder().encode(change)
      #expect(try JSONDecoder().decode(RuleChange.self, from: data) == change)
    }
    #expect(changes.filter(\.isEmpty).count == 1)
    let data = try JSONEncoder().encode(RuleChange.removal)
    #expect(String(decoding: data, as: UTF8.self) == #"{"remove":true}"#)
    let both = Data(#"{"remove":true,"order":"n"}"#.utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(RuleChange.self, from: both)
    }
  }
}
