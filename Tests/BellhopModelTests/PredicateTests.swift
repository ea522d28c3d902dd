import BellhopModel
import Foundation
import Testing

@Suite("Predicates")
struct PredicateTests {
  typealias Predicate = BellhopModel.Predicate

  @Test("the coded form says whether fields are effective, and without it they are published")
  func coding() throws {
    var predicate = Predicate()
    predicate.app = "ci"
    predicate.minimumPriority = .high
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func text() throws -> String { String(decoding: try encoder.encode(predicate), as: UTF8.self) }
    #expect(try text() == #"{"app":"ci","minimumPriority":4}"#)
    #expect(try JSONDecoder().decode(Predicate.self, from: Data(text().utf8)) == predicate)
    predicate.isEffective = true
    #expect(try text() == #"{"app":"ci","effective":true,"minimumPriority":4}"#)
    #expect(try JSONDecoder().decode(Predicate.self, from: Data(text().utf8)) == predicate)
  }

  @Test("every part survives its coded form")
  func parts() throws {
    var predicate = Predicate()
    predicate.isEffective = true
    predicate.app = "ci"
    predicate.group = "main"
    predicate.readState = .unread
    predicate.userActionState = .snoozed
    predicate.minimumPriority = .low
    predicate.arrivedBefore = Sample.time(60)
    predicate.arrivedSince = Sample.time(0)
    let data = try JSONEncoder().encode(predicate)
    #expect(try JSONDecoder().decode(Predicate.self, from: data) == predicate)
  }

  @Test("effective fields are compared with what rules made of an item")
  func matching() {
    var item = Sample.item()
    item.content.app = "ci"
    item.content.group = "main"
    item.content.priority = .high
    item.state.applied.value.app = "noise"
    item.state.applied.value.group = "builds"
    item.state.applied.value.level = .low
    let narrowings: [(String, (inout Predicate) -> Void, Bool)] = [
      ("ci", { $0.app = "ci" }, true), ("noise", { $0.app = "noise" }, false),
      ("main", { $0.group = "main" }, true), ("builds", { $0.group = "builds" }, false),
      ("high", { $0.minimumPriority = .high }, true),
    ]
    for (name, narrow, isPublished) in narrowings {
      var predicate = Predicate()
      narrow(&predicate)
      #expect(predicate.matches(item) == isPublished, "\(name)")
      predicate.isEffective = true
      #expect(predicate.matches(item) == !isPublished, "\(name)")
    }
  }
}
