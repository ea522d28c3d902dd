import BellhopCache
import Testing

@testable import BellhopCommands

@Suite("Previews of rules as text")
struct RulePreviewTextTests {
  private func sentence(
    _ matched: Int, stopped: Int = 0, days: Int = 30, listing shown: Int = 0
  ) -> String {
    var preview = RulePreview()
    (preview.matched, preview.stopped, preview.days) = (matched, stopped, days)
    return RulePreviewText(preview: preview, subject: "The rule “ci”").sentence(listing: shown)
  }

  @Test("the number is that of 30 days, with the rate over the days that have items")
  func numbers() {
    #expect(
      sentence(1_214)
        == "The rule “ci” would have matched 1,214 items of the last 30 days (40 a day).")
    #expect(
      sentence(14, days: 4)
        == "The rule “ci” would have matched 14 items of the last 30 days (4 a day).")
    #expect(sentence(1) == "The rule “ci” would have matched 1 item of the last 30 days.")
    #expect(
      sentence(12, days: 1) == "The rule “ci” would have matched 12 items of the last 30 days.")
    #expect(
      sentence(0, days: 0) == "The rule “ci” would have matched no items of the last 30 days.")
  }

  @Test(
    "the end says which items follow",
    arguments: [
      (2, 0, 2, " of the last 30 days:"), (40, 0, 20, " (1 a day). The newest 20:"),
      (3, 1, 2, ". For 1 of them, an earlier rule stops. The others:"),
      (30, 3, 20, ". For 3 of them, an earlier rule stops. The newest 20 of the others:"),
      (3, 3, 0, ". For 3 of them, an earlier rule stops."),
    ])
  func lists(matched: Int, stopped: Int, shown: Int, end: String) {
    #expect(sentence(matched, stopped: stopped, listing: shown).hasSuffix(end))
  }
}
