import BellhopCache
import BellhopClient
import BellhopInbox
import BellhopModel
import Testing

@Suite("Rules against noise")
struct SuggestedRuleTests {
  private func rule(
    _ advice: NoiseAdvice?, _ line: NoiseReport.Line, _ change: (inout NoiseReport.Line) -> Void
  ) -> RuleDefinition? {
    var line = line
    line.advice = advice
    change(&line)
    return line.suggestedRule
  }

  @Test("each kind of advice is a rule with one action")
  func eachAdvice() {
    func actions(_ advice: NoiseAdvice?) -> RuleActions? {
      rule(advice, NoiseReport.Line(app: "ci")) { _ in }?.actions
    }
    #expect(actions(.collapse)?.collapse == .ignoringNumbers)
    #expect(actions(.lower)?.level == .low)
    #expect(actions(.silence)?.isSilent == true)
    #expect(actions(nil) == nil)
  }

  @Test("the condition is that of the title, or else of the group, and its text parses back")
  func conditions() throws {
    func phrase(
      _ line: NoiseReport.Line, _ change: (inout NoiseReport.Line) -> Void = { _ in }
    ) throws -> String? {
      guard let condition = rule(.silence, line, change)?.condition else { return nil }
      #expect(try RulePhrase().condition(condition.phrase).get() == condition)
      return condition.phrase
    }
    let title = NoiseReport.Line(app: "nas", group: "disks", title: "disk # (full)")
    #expect(
      try phrase(title) { $0.exampleTitle = "disk 12 (full)" }
        == "app:nas title~/^disk \\d+ \\(full\\)$/")
    let group = NoiseReport.Line(app: "nas", group: "my disks")
    #expect(try phrase(group) == "app:nas group:\"my disks\"")
    let rest = NoiseReport.Line(app: "nas")
    #expect(try phrase(rest) == "app:nas")
    #expect(try phrase(rest) { $0.hasOtherGroups = true } == "app:nas -group:*")
    let long = String(repeating: "g", count: RuleCondition.valueBytesMax + 1)
    #expect(try phrase(NoiseReport.Line(app: "nas", group: long)) == nil)
  }

  @Test("the name says what the rule does, in one visible line that is short enough")
  func names() throws {
    let title = String(repeating: "é\n", count: 100)
    let line = NoiseReport.Line(app: "nas", title: title)
    let name = try #require(rule(.lower, line) { $0.exampleTitle = title }?.name)
    #expect(name.hasPrefix("lower nas: é"))
    #expect((1...RuleDefinition.nameBytesMax).contains(name.utf8.count))
    #expect(!name.contains("\n"))
    let group = NoiseReport.Line(app: "nas", group: "disks")
    #expect(rule(.silence, group) { _ in }?.name == "silence nas disks")
  }
}
