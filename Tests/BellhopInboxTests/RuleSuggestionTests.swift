import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopInbox

@Suite("Conditions from an item")
struct RuleSuggestionTests {
  private static func item(_ content: Content) -> UserNotification {
    UserNotification(
      id: NotificationID(high: 1, low: 1), shortNumber: 1, created: InboxDesk.morning,
      arrival: InboxDesk.morning, content: content,
      state: ItemState(
        sequence: SequenceNumber(1), contentSequence: SequenceNumber(1),
        changed: InboxDesk.morning))
  }

  private static func matches(_ condition: RuleCondition, _ content: Content) -> Bool {
    var budget = RegularExpression.StepBudget()
    return condition.matches(content, budget: &budget) == .match
  }

  @Test("they are the narrowest first, match the item, and allow other numbers in its title")
  func order() throws {
    var content = Content(
      app: "ci", group: "night builds", tags: ["backup", "nas"],
      visual: VisualContent(title: "Build 1234 of nas.local (2/3) failed"))
    let conditions = RuleSuggestion.from(item: Self.item(content))
    #expect(
      conditions.map(\.phrase) == [
        #"app:ci title~/^Build \d+ of nas\.local \(\d+\/\d+\) failed$/"#,
        #"app:ci group:"night builds""#, "app:ci tag:backup", "app:ci tag:nas", "app:ci",
      ])
    #expect(conditions.allSatisfy { Self.matches($0, content) })
    let narrowest = try #require(conditions.first)
    content.visual?.title = "Build 1 of nas.local (10/20) failed"
    #expect(Self.matches(narrowest, content))
    content.visual?.title = "Build 1 of nas.local (10/20) failed twice"
    #expect(!Self.matches(narrowest, content))
  }

  @Test("a long title is tested by its beginning, and data by its app only")
  func longTitle() throws {
    for unit in ["x", ".", "12 ", "é"] {
      let title = String(repeating: unit, count: 400)
      let content = Content(app: "ci", visual: VisualContent(title: title))
      let pattern = RuleSuggestion.pattern(ofTitle: title)
      #expect(pattern.utf8.count <= RegularExpression.bytesMax && !pattern.hasSuffix("$"))
      let condition = try #require(RuleSuggestion.from(item: Self.item(content)).first)
      #expect(condition.terms.count == 2 && Self.matches(condition, content))
    }
    let data = Content(app: "ci", raw: "x")
    #expect(RuleSuggestion.from(item: Self.item(data)).map(\.phrase) == ["app:ci"])
  }
}
