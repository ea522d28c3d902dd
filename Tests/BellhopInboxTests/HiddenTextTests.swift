import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Hidden texts")
struct HiddenTextTests {
  private static let secret = "salary of Alice"

  /// A desk with an item that must not be seen, and one whose category says more.
  private static func desk(_ width: Int, _ height: Int) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    desk.shelf.settings["pay"] = AppSettings(
      app: "pay",
      categories: [
        Category(
          id: "message", options: [Category.Option.hiddenPreviewsShowTitle.rawValue],
          hiddenPreviewsBodyPlaceholder: "a new message")
      ])
    var letter = Content(
      app: "hr", visual: VisualContent(title: secret, subtitle: secret, body: "\(secret): 5,000"),
      clickURL: "https://hr.example.com/5,000")
    letter.extras.attachments = [.init(name: "5,000.pdf", url: "https://hr.example.com/a")]
    _ = desk.shelf.publish(letter, at: desk.now)
    var message = Content(app: "pay", visual: VisualContent(title: "From Bob", body: secret))
    message.extras.category = "message"
    _ = desk.shelf.publish(message, at: desk.now)
    desk.start()
    desk.send(desk.shelf.appsConfigured)
    desk.forgetActs()
    return desk
  }

  @Test(
    "one key hides titles and texts on every pane, and shows them again", arguments: [80, 100, 200])
  func hides(width: Int) {
    var desk = Self.desk(width, 30)
    let before = desk.frame.glyphs
    #expect(before.contains(Self.secret))
    desk.press("P")
    for keys in [
      "", "j", "Enter", "Esc", "2", "j", "1", "/ a l i c e", "Esc", "s", "Esc", "d", "u",
    ] {
      desk.press(keys)
      #expect(!desk.frame.glyphs.contains(Self.secret), "after \(keys)")
      #expect(!desk.frame.glyphs.contains("5,000"), "after \(keys)")
    }
    #expect(desk.frame.glyphs.contains("Notification"))
    #expect(desk.frame.glyphs.contains("From Bob"), "its category shows the title")
    #expect(desk.frame.glyphs.contains("hidden"))
    desk.press("P")
    #expect(desk.frame.glyphs.contains(Self.secret))
  }

  @Test("the text that a category has for hidden bodies is shown instead of the body")
  func placeholder() {
    var desk = Self.desk(100, 30)
    desk.press("P g g Enter")
    #expect(desk.state.detail.row?.appHost == "pay")
    #expect(desk.frame.glyphs.contains("a new message"))
  }

  @Test(
    "commands that would show or copy texts do nothing, and say which key shows them",
    arguments: [Command.inspect, .copyText, .pipe, .attachments, .previewAttachment])
  func refuses(command: Command) {
    var desk = Self.desk(100, 30)
    desk.press("P")
    desk.forgetActs()
    #expect(command.disabledReason(desk.state)?.text == "Texts are hidden. P shows them.")
    desk.press(command.defaultKeys[0])
    #expect(desk.acts.isEmpty)
    #expect(desk.state.overlay.isNone)
  }

  @Test("an open menu, whose heading is a title, is closed")
  func menu() {
    var desk = Self.desk(100, 30)
    desk.press("G i")
    desk.send(.key(.character("P")))
    if !desk.state.hidesTexts { desk.press("Esc P") }
    #expect(desk.state.overlay.isNone)
    #expect(!desk.frame.glyphs.contains(Self.secret))
  }

  @Test("what rings while texts are hidden has no title either")
  func rings() {
    var desk = Self.desk(100, 30)
    desk.press("P")
    desk.send(.focusChanged(false))
    desk.forgetActs()
    let news = Announcement(
      app: "hr", name: "hr", title: SafeText(Self.secret), priority: .urgent)
    desk.send(.account(.announced([news], of: ItemShelf.account, isReturn: false)))
    let notes = desk.acts.flatMap { effect -> [RingNote] in
      if case .terminal(.ring(let ring)) = effect {
        ring.notes + [ring.sound].compactMap(\.self)
      } else {
        []
      }
    }
    #expect(notes.map(\.body) == ["Notification", "Notification"])
    #expect(!desk.frame.glyphs.contains(Self.secret))
  }

  @Test("a line about an item has no words of it, also if it came before the key")
  func notice() {
    var desk = Self.desk(100, 30)
    let line = Notice(
      .information, SafeText("Your choice '\(Self.secret)' did not apply."),
      brief: "\(Self.secret)",
      hidden: "Your choice of an action did not apply.")
    desk.send(.notice(line))
    #expect(desk.frame.glyphs.contains("Your choice '\(Self.secret)' did not apply."))
    desk.press("P")
    #expect(!desk.frame.glyphs.contains(Self.secret))
    desk.send(.notice(line))
    #expect(desk.frame.glyphs.contains("Your choice of an action did not apply."))
    #expect(!desk.frame.glyphs.contains(Self.secret))
  }

  @Test("waiting changes have no titles of items", arguments: [80, 200])
  func waiting(width: Int) throws {
    var desk = Self.desk(width, 30)
    desk.press("g a")
    let serials = desk.acts.compactMap { effect -> Int? in
      if case .activity(.loadActivity(let serial, _, _)) = effect { serial } else { nil }
    }
    let report = ActivityReport(
      hours: [Int](repeating: 1, count: 24), apps: [], notes: [],
      waiting: [
        PrivateText(SafeText("dismiss #7 '\(Self.secret)'"), hidden: "dismiss #7 · being sent")
      ], waitingCount: 1)
    desk.send(.activity(.report(serial: try #require(serials.last), report)))
    #expect(desk.frame.glyphs.contains("dismiss #7 '\(Self.secret)'"))
    desk.press("Esc P g a")
    let again = desk.acts.compactMap { effect -> Int? in
      if case .activity(.loadActivity(let serial, _, _)) = effect { serial } else { nil }
    }
    desk.send(.activity(.report(serial: try #require(again.last), report)))
    #expect(desk.frame.glyphs.contains("dismiss #7 · being sent"))
    #expect(!desk.frame.glyphs.contains(Self.secret))
  }
}
