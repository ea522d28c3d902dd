import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Items that rules have changed on the screen")
struct EffectiveRowTests {
  private static let effect: AppliedEffect = {
    var effect = AppliedEffect()
    effect.app = "noise"
    effect.group = "builds"
    effect.level = .low
    effect.tags = ["flaky"]
    return effect
  }()

  private static let mark = RuleMark(
    id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed builds")

  /// A desk with an item that a rule has moved to another app.
  private func desk(category: String? = nil) throws -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 100)
    var content = Content(
      app: "ci", group: "main", priority: .high, tags: ["arm64"],
      visual: VisualContent(title: "build 412 passed"))
    content.extras.category = category
    let id = desk.shelf.publish(content, at: desk.now)
    desk.shelf.apply(
      Operation(
        id: OperationID(high: 9, low: 9), target: .item(id),
        mutation: .set(StateChange(applied: Self.effect))),
      by: Author(rule: Self.mark), at: desk.now)
    desk.start()
    return desk
  }

  @Test("a row and its detail show the item as the rule lists it")
  func row() throws {
    var desk = try desk()
    let row = try #require(desk.state.activeRow)
    #expect(row.app == "noise" && row.appHost == "noise" && row.publishedApp == "ci")
    #expect(row.group == "builds" && row.priority == .low)
    #expect(row.groupKey == GroupKey(account: row.key.account, app: "noise", name: "builds"))
    desk.press("Enter")
    #expect(desk.frame.glyphs.contains("flaky"))
  }

  @Test("an inspection shows the names as listed, and the payload as published")
  func inspection() throws {
    var desk = try desk()
    desk.press("i")
    for part in [
      "app           noise", "group         builds", "level         low",
      "tags          arm64, flaky", "\"targetHostName\": \"ci\"", "\"groupName\": \"main\"",
    ] {
      #expect(desk.frame.glyphs.contains(part), "\(part)")
    }
  }

  @Test("a category of the app to which a rule moved an item does not show its hidden title")
  func hidden() throws {
    var desk = try desk(category: "build")
    let show = Category(
      id: "build", options: [Category.Option.hiddenPreviewsShowTitle.rawValue])
    desk.shelf.settings["noise"] = AppSettings(app: "noise", categories: [show])
    desk.send(desk.shelf.appsConfigured)
    desk.press("P")
    #expect(!desk.frame.glyphs.contains("build 412 passed"))
    desk.shelf.settings["ci"] = AppSettings(app: "ci", categories: [show])
    desk.send(desk.shelf.appsConfigured)
    #expect(desk.frame.glyphs.contains("build 412 passed"))
  }
}
