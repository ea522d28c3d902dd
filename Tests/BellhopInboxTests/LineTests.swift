import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Header, footer and headings")
struct LineTests {
  private func desk(width: Int, _ titles: [String] = ["disk full", "build failed"]) -> InboxDesk {
    var desk = InboxDesk(width: width, height: 12)
    for title in titles {
      desk.shelf.publish(
        Content(app: "nas", visual: VisualContent(title: title, body: "")),
        at: desk.now.advanced(by: .seconds(-60)))
    }
    desk.start()
    return desk
  }

  private func lastLine(_ desk: InboxDesk) -> String {
    let lines = desk.frame.glyphs.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.last.map(String.init) ?? ""
  }

  @Test("the key that leaves a search is shown at any width", arguments: [40, 50, 60, 80])
  func wayOut(width: Int) {
    var desk = desk(width: width)
    desk.press("/")
    desk.type("disk")
    #expect(lastLine(desk).contains("Enter keep the results"))
    #expect(lastLine(desk).contains("Esc back"))
    desk.press("Esc f")
    desk.type("app:nas")
    #expect(lastLine(desk).contains("Esc back"))
    desk.press("Esc a")
    // The first key's effect comes before it, and the counts at the right take their space.
    #expect(lastLine(desk).contains("d dismiss"))
    if width >= 60 { #expect(lastLine(desk).contains("Esc unmark")) }
  }

  @Test("empty results are not offered for keeping")
  func noResults() {
    var desk = desk(width: 80)
    desk.press("/")
    desk.type("absent")
    #expect(!lastLine(desk).contains("keep"))
    #expect(lastLine(desk).contains("Esc back"))
  }

  @Test("arrows are words where the terminal has no arrow characters")
  func arrows() {
    var desk = desk(width: 80)
    desk.press("/")
    desk.type("disk")
    #expect(lastLine(desk).contains("↓ ↑ move"))
    desk.state.isASCII = true
    #expect(lastLine(desk).contains("Down Up move"))
    desk.press("Esc s")
    #expect(lastLine(desk).contains("1-6 at once") || lastLine(desk).contains("1-5 at once"))
  }

  @Test("a key that would type a letter is not offered in a text field")
  func lettersAreTyped() {
    var desk = desk(width: 80)
    desk.send(.account(.connection(ConnectionStatus(.offline(since: nil)))))
    #expect(desk.frame.glyphs.contains("R try now"))
    for keys in ["/", "f", "?", ":", "s", "i"] {
      desk.press(keys)
      #expect(desk.frame.glyphs.contains("saved"), "\(keys)")
      #expect(!desk.frame.glyphs.contains("R try now"), "\(keys)")
      desk.press("Esc")
    }
    #expect(desk.frame.glyphs.contains("R try now"))
  }

  @Test(
    "a private store that the user stopped is shown so, with the key and the command",
    arguments: [
      (120, "The private store is stopped. Changes are saved and sent later.  R starts it, or "),
      (80, "Store stopped. Changes are saved.  R starts it, or "), (40, "Stopped: "),
    ])
  func stoppedStore(width: Int, text: String) {
    var desk = desk(width: width)
    let status = ConnectionStatus(.offline(since: nil), waiting: 1, isStoreStopped: true)
    desk.send(.account(.connection(status)))
    #expect(desk.frame.glyphs.contains(text + "bellhop store start"), "\(desk.frame.glyphs)")
    desk.press("/")
    #expect(desk.frame.glyphs.contains("bellhop store start"))
    #expect(!desk.frame.glyphs.contains("R starts it"))
    desk.send(.account(.connection(ConnectionStatus(.live))))
    #expect(!desk.frame.glyphs.contains("bellhop store start"))
  }

  @Test("when an error is cut its last sentence stays")
  func safety() {
    var desk = desk(width: 40)
    desk.send(.notice(Notice(.error, "Not kept: the disk is full. Nothing was changed.")))
    #expect(lastLine(desk).hasPrefix(" Not kept: the "))
    #expect(lastLine(desk).contains("… Nothing was changed."))
    desk.send(.notice(Notice(.error, "One sentence of many words and without any reassurance")))
    #expect(lastLine(desk).hasPrefix(" One sentence of many words and"))
  }

  @Test("the tabs work while the store is empty, and the first one shows how to begin")
  func emptyTabs() {
    var desk = desk(width: 80, [])
    #expect(desk.state.isFirstRun)
    for (key, tab, text) in [
      ("2", Tab.history, "All items stay here"), ("3", .later, "snooze with s"),
      ("4", .apps, "[4 Apps]"), ("1", .tray, "p   send yourself"), ("]", .history, "[2 History]"),
      ("[", .tray, "[1 Tray]"), ("Tab", .history, "[2 History]"),
    ] {
      desk.press(key)
      #expect(desk.state.tab == tab, "\(key)")
      #expect(desk.frame.glyphs.contains(text), "\(key)\n\(desk.frame.glyphs)")
      #expect(desk.state.isFirstRun == (tab == .tray))
    }
  }

  @Test("spark lines below each other have one scale")
  func scale() {
    let dates = [CivilDate(daysSince1970: 20_778), CivilDate(daysSince1970: 20_777)]
    let headings = dates.map { date in
      DayHeading(
        span: DaySpan(date, in: InboxDesk.cet),
        count: DayCount(date: date, hours: Array(repeating: 1, count: 24)), shown: .exactly(3),
        time: TimeText(zone: InboxDesk.cet, now: InboxDesk.morning))
    }
    let widths = 10...80
    for width in widths {
      let step = headings.map { $0.finestStep(width: width) }.max() ?? 1
      let cells = headings.map { heading in
        heading.drawn(inSteps: step).line(width: width).pieces.dropFirst().reduce(into: 0) {
          $0 += $1.text.string.count { "▁▂▃▄▅▆▇█".contains($0) }
        }
      }
      // Today's line shows only the hours that have begun.
      #expect(cells[1] == 0 || cells[1] == 24 / step, "\(width)")
    }
    #expect(headings[0].finestStep(width: 80) == 1)
  }

  @Test("the palette offers the existing views")
  func views() {
    var desk = desk(width: 80)
    desk.press(":")
    desk.type("view 1")
    #expect(!desk.frame.glyphs.contains("your saved view 1"))
    desk.press("Esc")
    desk.state.use([SavedView(name: "disks", filter: "app:nas")])
    desk.press(":")
    desk.type("view 1")
    #expect(desk.frame.glyphs.contains("your saved view 1"))
    #expect(!desk.frame.glyphs.contains("your saved view 2"))
  }
}
