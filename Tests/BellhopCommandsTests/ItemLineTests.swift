import BellhopModel
import BellhopText
import Testing

@testable import BellhopCommands

@Suite("Items as lines of text")
struct ItemLineTests {
  @Test("an item's line fits the terminal, whatever its title")
  func lineFits() {
    let content = Content(
      app: "nas", visual: VisualContent(title: "磁盘 " + String(repeating: "x\u{301}", count: 500)))
    let item = UserNotification(
      id: .version7(at: .distantPast, random: (1, 1)), shortNumber: 12, created: .distantPast,
      arrival: .distantPast, content: content,
      state: ItemState(sequence: .zero, contentSequence: .zero, changed: .distantPast))
    for width in [10, 40, 80, 200] {
      let line = ItemLine.text(item, at: .distantPast, width: width)
      #expect(SafeText(line.string).width <= width)
    }
    #expect(ItemLine.text(item, at: .distantPast, width: nil).string.hasPrefix("#12 "))
  }

  @Test("lines and details use the user's name for an app")
  func displayNames() {
    let item = UserNotification(
      id: .version7(at: .distantPast, random: (1, 1)), shortNumber: 12, created: .distantPast,
      arrival: .distantPast,
      content: Content(app: "app1", visual: VisualContent(title: "Backup finished")),
      state: ItemState(sequence: .zero, contentSequence: .zero, changed: .distantPast))
    let line = ItemLine.text(item, appName: "My app", at: .distantPast, width: nil)
    #expect(line.string.contains("My app") && !line.string.contains("app1"))
    let details = ItemLine.details(item, appName: "My app", at: .distantPast)
    #expect(details.contains { $0.string.hasSuffix("My app (app1)") })
  }

  @Test("lines and details show an item as rules list it")
  func rules() {
    var item = UserNotification(
      id: .version7(at: .distantPast, random: (1, 1)), shortNumber: 12, created: .distantPast,
      arrival: .distantPast,
      content: Content(
        app: "ci", group: "main", priority: .urgent, tags: ["arm64"],
        visual: VisualContent(title: "build 412 passed")),
      state: ItemState(sequence: .zero, contentSequence: .zero, changed: .distantPast))
    item.state.applied.value.app = "noise"
    item.state.applied.value.group = "builds"
    item.state.applied.value.level = .low
    item.state.applied.value.tags = ["flaky"]
    let line = ItemLine.text(item, at: .distantPast, width: nil).string
    #expect(line.contains(" noise ") && line.contains("low") && !line.contains("urgent"))
    let details = ItemLine.details(item, at: .distantPast).map(\.string)
    for part in ["noise", "builds", "low", "arm64, flaky"] {
      #expect(details.contains { $0.hasSuffix(" " + part) }, "\(part)")
    }
    #expect(ChangeText.label(item, appName: nil).string.hasSuffix("(noise)"))
  }

  @Test("details name the rule of each effect, and those that took too many steps")
  func ruleNames() {
    func mark(_ number: UInt64, _ name: String) -> RuleMark {
      RuleMark(
        id: RuleID(high: 5, low: number), revision: OperationID(high: 1, low: number), name: name)
    }
    var item = UserNotification(
      id: .version7(at: .distantPast, random: (1, 1)), shortNumber: 12, created: .distantPast,
      arrival: .distantPast,
      content: Content(app: "ci", visual: VisualContent(title: "build 412 passed")),
      state: ItemState(sequence: .zero, contentSequence: .zero, changed: .distantPast))
    var first = RuleActions()
    first.level = .low
    first.tags = ["flaky"]
    var second = RuleActions()
    (second.group, second.app, second.isSilent) = ("builds", "noise", true)
    var effect = AppliedEffect.empty
    effect.add(first, of: mark(1, "passed builds"), to: item.content)
    effect.add(second, of: mark(2, "noise"), to: item.content)
    effect.exhausted = [mark(3, "long texts")]
    item.state.applied.value = effect
    let lines = ItemLine.details(item, at: .distantPast).map(\.string)
    #expect(
      lines.filter { $0.hasPrefix("rules ") } == [
        "rules      lowered to low, tagged flaky by the rule “passed builds”",
        "rules      put into the group builds, moved to noise, silenced by the rule “noise”",
        "rules      not evaluated: the rule “long texts” takes too many steps",
      ])
  }
}
