import BellhopClient
import BellhopModel
import BellhopText
import Testing

@testable import BellhopCommands

@Suite("Composed emoji in printed output")
struct ComposedEmojiTests {
  private let title = "at home 👨‍👩‍👧‍👦 🇩🇪"
  private let body = "first line 👍🏽\n🇯🇵 won 1️⃣"
  private let now = Timestamp(seconds: 1_800_000_100)

  private var item: UserNotification {
    UserNotification(
      id: .version7(at: now, random: (1, 2)), shortNumber: 12, created: now, arrival: now,
      content: Content(app: "nas", visual: VisualContent(title: title, body: body)),
      state: ItemState(sequence: .zero, contentSequence: .zero, changed: now))
  }

  @Test("show prints title and body with every emoji whole")
  func details() {
    let lines = ItemLine.details(item, at: now).map(\.string)
    #expect(lines.contains("title      " + title))
    #expect(lines.suffix(2) == ["first line 👍🏽", "🇯🇵 won 1️⃣"])
  }

  @Test("a line in a pipe has them whole; on a terminal it has what all terminals draw alike")
  func lines() {
    #expect(
      ItemLine.text(item, at: now, width: nil).string
        .hasSuffix(title + " · first line 👍🏽 🇯🇵 won 1️⃣"))
    #expect(
      ItemLine.text(item, at: now, width: 200).string
        .hasSuffix("at home 👨 [DE] · first line 👍 [JP] won 1"))
  }

  @Test("a template has them whole")
  func template() throws {
    let json = ItemJSON(
      item, account: AccountName("home"), appName: nil, isWaiting: false, at: now)
    #expect(
      try ItemTemplate("{title}: {body}").text(json) == title + ": first line 👍🏽 🇯🇵 won 1️⃣")
  }
}
