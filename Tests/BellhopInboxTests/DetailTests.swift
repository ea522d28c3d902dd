import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Repeats, resolutions and rules in details")
struct DetailTests {
  private static let mark = RuleMark(
    id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed builds")
  private static let slow = RuleMark(
    id: RuleID(high: 5, low: 3), revision: OperationID(high: 5, low: 4), name: "slow")

  private static func before(_ minutes: Int64) -> Timestamp {
    InboxDesk.morning.advanced(by: .seconds(-60 * minutes))
  }

  /// A desk whose only item is open.
  private func detail(
    _ content: Content, _ minutes: Int64 = 51, tab: String = "1",
    change: (inout ItemShelf, NotificationID) -> Void
  ) -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 100)
    let id = desk.shelf.publish(content, at: Self.before(minutes))
    change(&desk.shelf, id)
    desk.start()
    desk.press(tab + " Enter")
    return desk
  }

  private static let alert = Content(
    app: "grafana", visual: VisualContent(title: "p99 is over 200 ms"))

  @Test("a repeated item shows its count, times and spark line")
  func repeats() {
    let desk = detail(Self.alert) { shelf, id in
      for minutes in (1...36).reversed() {
        shelf.publishRepeat(of: id, body: "again", at: Self.before(Int64(minutes)))
      }
    }
    let text = desk.frame.glyphs
    #expect(text.contains("×37 · first 05:23 · last 06:13"), "\(text)")
    // One in the first minute, 14 minutes without, then one in each minute.
    #expect(text.contains("█" + String(repeating: "▁", count: 14) + "███"), "\(text)")
    #expect(!text.contains("earlier round"))
  }

  @Test("earlier rounds are listed with their counts and ends, the newest first")
  func rounds() {
    let friday = Self.before(12 * 60 + 12)
    let first = Repeats(firstAt: friday.advanced(by: .seconds(-86_400))).repeated(
      at: friday.advanced(by: .seconds(-86_400)))
    let second = (1..<12).reduce(first.newRound(at: friday)) { repeats, _ in
      repeats.repeated(at: friday)
    }
    let desk = detail(Self.alert) { shelf, id in
      shelf.setRepeats(second.newRound(at: Self.before(51)), of: id, at: Self.before(51))
    }
    let text = desk.frame.glyphs
    #expect(text.contains("2 earlier rounds: ×12 until Fri 18:02, ×2 until Thu 18:02"), "\(text)")
    #expect(!text.contains("· first"), "this round has one occurrence")
  }

  @Test("a resolved alert says by whom and after which time")
  func resolved() {
    let desk = detail(Self.alert, 20, tab: "2") { shelf, id in
      shelf.resolve(id, at: Self.before(8))
    }
    let text = desk.frame.glyphs
    #expect(text.contains("resolved by grafana · after 12 min · Sat 21 Nov 06:06 CET"), "\(text)")
    #expect(!text.contains("dismissed"))
    var began = Self.alert
    began.extras.startedDateTime = Self.before(68)
    let older = detail(began, 20, tab: "2") { shelf, id in
      shelf.resolve(id, at: Self.before(8))
    }
    #expect(older.frame.glyphs.contains("resolved by grafana · after 1 h · "))
  }

  @Test(
    "lengths of time are short",
    arguments: [
      (40, "40 s"), (60, "1 min"), (3599, "59 min"), (7200, "2 h"), (12_000, "3 h 20 min"),
      (5 * 86_400 + 60, "5 days"), (-5, "0 s"),
    ] as [(Int64, String)])
  func lengths(seconds: Int64, text: String) {
    let start = InboxDesk.morning
    let end = start.advanced(by: .seconds(seconds))
    #expect(TimeText.length(from: start, to: end).string == text)
  }

  /// A desk with an item that a rule has changed, and of which another was not evaluated.
  private func ruled() -> InboxDesk {
    let content = Content(
      app: "ci", group: "main", priority: .high, tags: ["arm64"],
      visual: VisualContent(title: "build 412 passed"))
    var actions = RuleActions()
    (actions.level, actions.app, actions.isSilent) = (.low, "noise", true)
    actions.tags = ["flaky"]
    var effect = AppliedEffect()
    effect.add(actions, of: Self.mark, to: content)
    effect.exhausted = [Self.slow]
    return detail(content) { shelf, id in
      let operation = Operation(
        id: OperationID(high: 9, low: 9), target: .item(id),
        mutation: .set(StateChange(applied: effect)))
      shelf.apply(operation, by: Author(rule: Self.mark), at: Self.before(51))
    }
  }

  @Test("an item says what each rule did to it, and which was not evaluated")
  func rules() {
    var desk = ruled()
    // The pane wraps the line.
    let text = desk.frame.glyphs.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    #expect(text.contains("lowered to low"), "\(text)")
    #expect(text.contains("moved to noise"), "\(text)")
    #expect(text.contains("by the rule “passed builds”"), "\(text)")
    #expect(text.contains("not evaluated: the rule “slow” takes too many steps"), "\(text)")
    desk.press("P")
    #expect(!desk.frame.glyphs.contains("passed builds"), "texts are hidden")
  }

  @Test("an inspection shows each field as published and as listed, with rule and revision")
  func inspection() {
    var desk = ruled()
    desk.press("i")
    for part in [
      "level         high → low", "app           ci → noise", "tags          added flaky",
      "silent        no → yes", "rule          passed builds (\(Self.mark.id))",
      "revision      \(Self.mark.revision)", "not evaluated it takes too many steps",
      "effect        level, tags, app, silent", "before        none",
      "by            passed builds (rule \(Self.mark.id))",
    ] {
      #expect(desk.frame.glyphs.contains(part), "\(part)\n\(desk.frame.glyphs)")
    }
  }

  @Test("an inspection shows repeats, the end of an alert, and the content that was repeated")
  func inspectedRepeats() {
    var desk = detail(Self.alert, 20, tab: "2") { shelf, id in
      shelf.publishRepeat(of: id, body: "again", at: Self.before(18))
      shelf.resolve(id, at: Self.before(8))
    }
    desk.press("i")
    for part in [
      "resolved      Sat 21 Nov 2026 06:06:20 CET", "count         2",
      "first         Sat 21 Nov 2026 05:54:20 CET", "last          Sat 21 Nov 2026 05:56:20 CET",
      "counts        1 0 1, each of 1 min", "last content  2", "last meaning  1",
    ] {
      #expect(desk.frame.glyphs.contains(part), "\(part)\n\(desk.frame.glyphs)")
    }
  }
}
