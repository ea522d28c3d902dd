import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

/// Rows that are changed in place, compared with lists that are read again.
@Suite("Changes from elsewhere, applied to single rows")
struct LineChangeTests {
  private func desk(_ count: Int, width: Int = 120, height: Int = 30) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    for number in 0..<count {
      desk.shelf.publish(
        Content(
          app: ["ci", "nas"][number % 2], group: number % 7 == 3 ? "night" : nil,
          visual: VisualContent(title: "build \(number)", body: "a body")),
        at: desk.now.advanced(by: .seconds(Int64(number - count) * 4000)))
    }
    desk.start()
    return desk
  }

  private func id(_ title: String, _ desk: InboxDesk) throws -> NotificationID {
    try #require(
      desk.shelf.items.first { $0.value.item.content.visual?.title == title }?.key)
  }

  @Test("a dismissal of a row off the cursor is shown without reading a list")
  func dismissal() throws {
    var desk = desk(20)
    desk.press("j j")
    let (read, tray) = (desk.windowsRead, desk.state.counts.tray)
    desk.elsewhere(try id("build 19", desk), .dismiss, byLine: true)
    #expect(desk.windowsRead == read)
    #expect(!desk.state.tray.rows.contains { $0.title == "build 19" })
    #expect(desk.state[.handled].rows.first?.title == "build 19")
    #expect(desk.state.counts.tray == tray - 1)
    #expect(desk.frame.glyphs.contains("[1 Tray \(tray - 1)]"))
  }

  @Test("a change that only the lists can show reads them", arguments: 0..<7)
  func lists(which: Int) throws {
    var desk = desk(20)
    desk.press("j j")
    switch which {
    // The item under the cursor becomes a ghost.
    case 0: desk.elsewhere(try id("build 18", desk), .dismiss, byLine: true)
    // A group shows it.
    case 1: desk.elsewhere(try id("build 3", desk), .dismiss, byLine: true)
    // A new item that no list has yet.
    case 2:
      let new = desk.shelf.publish(
        Content(app: "ci", visual: VisualContent(title: "new")), at: desk.now)
      desk.send(.itemsChanged([desk.shelf.key(new)]))
    // An item is marked.
    case 3:
      desk.press("Space")
      desk.elsewhere(try id("build 19", desk), .dismiss, byLine: true)
    // It has other content.
    case 4:
      desk.shelf.publish(
        Content(app: "ci", appNotificationID: "1", visual: VisualContent(title: "first")),
        at: desk.now)
      desk.send(.dataChanged)
      desk.press("G")
      let again = desk.shelf.publish(
        Content(app: "ci", appNotificationID: "1", visual: VisualContent(title: "second")),
        at: desk.now)
      desk.send(.itemsChanged([desk.shelf.key(again)]))
    // It enters the tray.
    case 5:
      desk.elsewhere(try id("build 19", desk), .dismiss)
      desk.elsewhere(try id("build 19", desk), .restore, byLine: true)
    // The user's own change has no answer yet.
    default:
      desk.isPrompt = false
      desk.press("d")
      desk.elsewhere(try id("build 19", desk), .dismiss, byLine: true)
      desk.isPrompt = true
      desk.send(.tick(desk.now))
    }
    let read = desk.windowsRead
    let frame = desk.frame
    desk.send(.dataChanged)
    #expect(desk.windowsRead > read)
    #expect(desk.frame == frame, "\(which)")
  }

  @Test("the screen is the same as when all lists are read, whatever happens", arguments: 1...8)
  func twins(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let (width, height) = [(80, 24), (120, 30), (200, 50)].randomElement(using: &random)!
    var desk = desk(Int.random(in: 10...60, using: &random), width: width, height: height)
    let keys = [
      "j", "k", "G", "g g", "Ctrl-d", "1", "2", "3", "Tab", "Enter", "Esc", "d", "r", "z",
    ]
    let commands: [ItemCommand] = [
      .dismiss, .dismiss, .read, .unread, .delete, .restore, .activate, .pin,
      .snooze(until: desk.now.advanced(by: .seconds(5000))),
    ]
    var byLine = 0
    for step in 0..<100 {
      desk.press(keys.randomElement(using: &random)!)
      guard let id = desk.shelf.items.keys.sorted().randomElement(using: &random) else { break }
      let command = commands.randomElement(using: &random)!
      var twin = desk
      let read = desk.windowsRead
      desk.elsewhere(id, command, byLine: true)
      if desk.windowsRead == read { byLine += 1 }
      twin.elsewhere(id, command)
      let place = "seed \(seed), step \(step): \(command)"
      #expect(difference(desk, twin) == nil, "\(place)")
      desk.send(.dataChanged)
      #expect(difference(desk, twin) == nil, "\(place), read again")
    }
    #expect(byLine > 5, "seed \(seed): the lists were read for nearly everything")
  }

  /// The first line in which two screens differ, as each has it.
  private func difference(_ one: InboxDesk, _ other: InboxDesk) -> String? {
    let (one, other) = (one.frame, other.frame)
    guard one != other else { return nil }
    for (left, right) in zip(one.glyphs.split(separator: "\n"), other.glyphs.split(separator: "\n"))
    where left != right {
      return "\(left)\n\(right)"
    }
    return "other styles, title or cursor"
  }
}
