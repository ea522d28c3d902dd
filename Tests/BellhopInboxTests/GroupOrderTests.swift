import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Items of a group are shown by level")
struct GroupOrderTests {
  /// From the top: four items of the shop, and a letter.
  private func desk(foldsGroups: Bool = true) -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24, foldsGroups: foldsGroups)
    desk.start()
    // The cursor stays on it, so that the group is not opened around the cursor.
    desk.arrive("letter", app: "mail")
    arrive("urgent", .urgent, &desk)
    arrive("normal 1", .normal, &desk)
    arrive("normal 2", .normal, &desk)
    arrive("low", .low, &desk)
    desk.press("g g")
    return desk
  }

  private func arrive(_ title: String, _ level: Priority, _ desk: inout InboxDesk) {
    desk.arrive(title, app: "shop", group: "orders", priority: level)
  }

  /// The rows as text: `▸4 urgent` is a folded group of four.
  private func rows(_ desk: InboxDesk) -> [String] {
    desk.state.tray.rows.map { row in
      switch row.fold {
      case .closed(let extent): "▸\(extent.count) \(row.title)"
      case .open(let extent): "▾\(extent.count) \(row.title)"
      case .member: "│ \(row.title)"
      case nil: row.title.string
      }
    }
  }

  private func cursor(_ desk: InboxDesk) -> String {
    desk.state.tray.cursorIndex.map { rows(desk)[$0] } ?? "nowhere"
  }

  @Test("an open group lists the highest level first, and the newest first within a level")
  func open() {
    #expect(
      rows(desk(foldsGroups: false)) == [
        "▾4 urgent", "│ urgent", "│ normal 2", "│ normal 1", "│ low", "letter",
      ])
  }

  @Test("a folded group shows its first item, where the newest one arrived")
  func folded() {
    var desk = desk()
    #expect(rows(desk) == ["▸4 urgent", "letter"])
    #expect(desk.frame.glyphs.contains("‼ ▸ shop 4     urgent"))
    desk.arrive("letter 2", app: "mail")
    arrive("min", .min, &desk)
    #expect(rows(desk) == ["▸5 urgent", "letter 2", "letter"])
    arrive("urgent 2", .urgent, &desk)
    #expect(rows(desk).first == "▸6 urgent 2")
  }

  @Test("a folded group has the time of the item that it shows, and the mark of a new arrival")
  func times() throws {
    var desk = desk()
    desk.wait(.seconds(2 * 3600))
    arrive("normal 3", .normal, &desk)
    func line() throws -> RowLine {
      RowLine(row: try #require(desk.state.tray.rows.first), list: .tray, time: desk.state.timeText)
    }
    #expect(rows(desk).first == "▸5 urgent")
    #expect(try line().timeLabel == "2h")
    #expect(try line().stateRole == .new)
    #expect(desk.state.nextWake == desk.now.advanced(by: .seconds(60)))
    desk.press("z")
    #expect(try line().timeLabel == "now")
    desk.press("z")
    desk.wait(.seconds(60))
    #expect(try line().stateRole == .unread)
  }

  @Test("the cursor stays on its item while one of a higher level arrives above it")
  func arrival() {
    var desk = desk(foldsGroups: false)
    desk.press("j j")
    #expect(cursor(desk) == "│ normal 2")
    arrive("high", .high, &desk)
    #expect(cursor(desk) == "│ normal 2")
    #expect(rows(desk).prefix(4) == ["▾5 urgent", "│ urgent", "│ high", "│ normal 2"])
    arrive("normal 3", .normal, &desk)
    #expect(cursor(desk) == "│ normal 2")
    desk.press("k")
    #expect(cursor(desk) == "│ normal 3")
  }

  @Test("undo puts an item back at its level before any answer")
  func undo() {
    var desk = desk(foldsGroups: false)
    let all = rows(desk)
    desk.press("j j d")
    #expect(rows(desk) == ["▾3 urgent", "│ urgent", "│ normal 1", "│ low", "letter"])
    desk.isPrompt = false
    desk.press("u")
    #expect(rows(desk) == all)
    #expect(cursor(desk) == "│ normal 2")
  }

  @Test("a range marks the items between its ends as they are shown")
  func marks() {
    var desk = desk(foldsGroups: false)
    desk.press("j j v j")
    #expect(desk.state.marks.all.map(\.title.string) == ["normal 2", "normal 1"])
    arrive("high", .high, &desk)
    #expect(desk.state.marks.all.map(\.title.string) == ["normal 2", "normal 1"])
    arrive("normal 3", .normal, &desk)
    desk.press("j")
    #expect(desk.state.marks.all.map(\.title.string) == ["normal 2", "normal 1", "low"])
  }

  @Test("an item of a lower level that joins between the question and the answer stays")
  func arrivalBetween() {
    var desk = desk()
    desk.press("d")
    arrive("min", .min, &desk)
    desk.isPrompt = false
    desk.press("y")
    #expect(rows(desk).first == "▸5 urgent")
    desk.isPrompt = true
    desk.send(.tick(desk.now))
    #expect(rows(desk) == ["min", "letter"])
  }
}
