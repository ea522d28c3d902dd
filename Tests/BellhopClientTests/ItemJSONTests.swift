import BellhopModel
import Foundation
import Testing

@testable import BellhopClient

@Suite("Items as JSON")
struct ItemJSONTests {
  /// A line, as far as these tests check it.
  private struct Line: Decodable, Equatable {
    struct Fields: Decodable, Equatable {
      var app: String
      var group: String?
      var priority: String
      var tags: [String]
    }

    struct Rule: Decodable, Equatable {
      var id: String
      var name: String
      var set: [String]
    }

    var app: String
    var group: String?
    var priority: String
    var tags: [String]
    var published: Fields?
    var rules: [Rule]?
    var repeatCount: Int?
    var repeatedFirst: String?
    var repeatedLast: String?
    var resolved: String?
  }

  private static let mark = RuleMark(
    id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed builds")
  private static let now = Timestamp(seconds: 1_790_000_000)

  private func line(
    _ effect: AppliedEffect?, change: (inout UserNotification) -> Void = { _ in }
  ) throws -> Line {
    var item = UserNotification(
      id: NotificationID(high: 1, low: 2), shortNumber: 12, created: Self.now, arrival: Self.now,
      content: Content(
        app: "ci", priority: .high, tags: ["arm64"],
        visual: VisualContent(title: "build 412 passed")),
      state: ItemState(
        sequence: SequenceNumber(1), contentSequence: SequenceNumber(1), changed: Self.now))
    if let effect {
      item.state.applied = item.state.applied.setting(
        effect, change: RegisterChange(at: Self.now, by: Author(rule: Self.mark), operation: nil))
    }
    change(&item)
    let json = ItemJSON(
      item, account: AccountName("home"), appName: nil, isWaiting: false, at: Self.now)
    return try JSONDecoder().decode(Line.self, from: Data(try JSONLine.encode(json).utf8))
  }

  @Test("an item that rules changed is as it is listed, with what was published and the rules")
  func rules() throws {
    var effect = AppliedEffect()
    effect.app = "noise"
    effect.group = "builds"
    effect.level = .low
    effect.tags = ["flaky"]
    effect.isSilent = true
    effect.rules = [
      AppliedEffect.Contribution(rule: Self.mark, parts: AppliedEffect.Part.allCases)
    ]
    #expect(
      try line(effect)
        == Line(
          app: "noise", group: "builds", priority: "low", tags: ["arm64", "flaky"],
          published: Line.Fields(app: "ci", priority: "high", tags: ["arm64"]),
          rules: [
            Line.Rule(
              id: Self.mark.id.description, name: "passed builds",
              set: ["priority", "groupName", "tags", "targetHostName", "silent"])
          ]))
  }

  @Test("an alert that repeated has its count and times, and the time of its resolution")
  func repeats() throws {
    let last = Self.now.advanced(by: .seconds(60))
    let line = try line(nil) { item in
      item.repeats = Repeats(firstAt: Self.now).repeated(at: last)
      item.state.resolved = last.advanced(by: .seconds(60))
    }
    #expect(line.repeatCount == 2)
    #expect(line.repeatedFirst == Self.now.description)
    #expect(line.repeatedLast == last.description)
    #expect(line.resolved == last.advanced(by: .seconds(60)).description)
  }

  @Test("an item that no rule changed has neither")
  func untouched() throws {
    let line = try line(nil)
    #expect(line == Line(app: "ci", priority: "high", tags: ["arm64"]))
    var silent = AppliedEffect()
    silent.isSilent = true
    silent.rules = [AppliedEffect.Contribution(rule: Self.mark, parts: [.silent])]
    let silenced = try self.line(silent)
    #expect(silenced.published == nil && silenced.rules?.map(\.set) == [["silent"]])
  }
}
