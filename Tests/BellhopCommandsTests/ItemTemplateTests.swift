import BellhopClient
import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopCommands

@Suite("Item templates")
struct ItemTemplateTests {
  private func line() -> ItemJSON {
    let arrival = Timestamp(seconds: 1_790_000_000)
    let item = UserNotification(
      id: NotificationID(high: 1, low: 2), shortNumber: 12, created: arrival, arrival: arrival,
      content: Content(
        app: "nas", tags: ["disk", "raid"],
        visual: VisualContent(title: "disk\u{1B}[31m full")),
      state: ItemState(
        sequence: SequenceNumber(1), contentSequence: SequenceNumber(1), changed: arrival))
    return ItemJSON(
      item, account: AccountName("home"), appName: nil, isWaiting: false, at: arrival)
  }

  @Test(
    "keys in braces become values, and escapes work",
    arguments: [
      ("{app}", "nas"), ("{number} {app}", "12 nas"), ("{tags}", "disk,raid"),
      ("{read}", "false"), ("{url}", ""), ("{{app}}", "{app}"), ("a\\tb\\nc", "a\tb\nc"),
      ("\\\\n", "\\n"), ("", ""),
    ])
  func values(template: String, expected: String) throws {
    #expect(try ItemTemplate(template).text(line()) == expected)
  }

  @Test("a value contains nothing that a terminal interprets")
  func safe() throws {
    let text = try ItemTemplate("{title}").text(line())
    #expect(text.contains("full") && !text.contains("\u{1B}"), "\(text)")
  }

  @Test(
    "an invalid template is an error with its reason",
    arguments: [
      ("{titel}", "did you mean {title}?"), ("{", "a { is not closed"),
      ("}", "a } has no opening {"),
    ])
  func errors(template: String, words: String) {
    let error = #expect(throws: ClientError.self) { try ItemTemplate(template) }
    #expect(error?.exitCode == .usage)
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
  }
}
