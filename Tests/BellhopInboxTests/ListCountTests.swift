import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Item counts of lists")
struct ListCountTests {
  /// Items of `ci` and `nas` in turns, more than a screen reads at once.
  private func desk(_ count: Int = 2400, width: Int = 120) -> InboxDesk {
    var shelf = ItemShelf()
    for number in 0..<count {
      shelf.publish(
        Content(
          app: number.isMultiple(of: 2) ? "ci" : "nas",
          visual: VisualContent(title: "build \(number)")),
        at: InboxDesk.morning.advanced(by: .seconds(Int64(number - count))))
    }
    var desk = InboxDesk(width: width, height: 24, shelf: shelf)
    desk.start()
    return desk
  }

  @Test("a filtered list shows its count beside that of the whole list, and the cursor's position")
  func filtered() {
    var desk = desk()
    desk.press("f")
    desk.type("app:nas")
    desk.press("Enter")
    #expect(desk.frame.glyphs.contains("1,200 of 2,400"))
    #expect(desk.frame.glyphs.contains(" 1 of 1,200 "))
    desk.press("d")
    #expect(desk.frame.glyphs.contains("1,199 of 2,399"))
    desk.press("G")
    #expect(desk.frame.glyphs.contains(" 1,199 of 1,199 "))
  }

  @Test("a search shows how many items it found, and how many of each visible day")
  func search() {
    var desk = desk()
    desk.press("/")
    desk.type("build 2")
    desk.press("Enter")
    let found = desk.shelf.rows(of: .search("build 2"), at: desk.now).count
    #expect(found == 942)
    #expect(desk.frame.glyphs.contains("/ build 2"))
    #expect(desk.frame.glyphs.contains("\(found.grouped) of 2,400"))
    #expect(desk.frame.glyphs.contains(" 1 of \(found.grouped) "))
  }

  @Test("while a long list is counted, the count so far is shown with a plus sign")
  func counting() throws {
    var desk = desk()
    desk.isPrompt = false
    desk.press("f")
    desk.type("app:nas")
    var order: ListCountOrder?
    while !desk.answers.isEmpty {
      let answer = desk.answers.removeFirst()
      guard case .slow(.list(let serial, _)) = answer else {
        desk.send(answer)
        continue
      }
      order = desk.state.tray.counting.outstanding
      #expect(order?.serial == serial)
    }
    let serial = try #require(order?.serial)
    desk.press("Enter")
    #expect(desk.frame.glyphs.contains("… of 2,400"))
    desk.send(.slow(.list(serial: serial, ListCount(total: MatchCount(1000, isExact: false)))))
    #expect(desk.frame.glyphs.contains("1,000+ of 2,400"))
    #expect(desk.frame.glyphs.contains(" 1 of 1,000+ "))
    desk.send(.slow(.list(serial: serial + 1, ListCount(total: MatchCount(7)))))
    #expect(desk.frame.glyphs.contains("1,000+ of 2,400"), "an answer to another order")
    desk.send(.slow(.list(serial: serial, ListCount(total: MatchCount(1200)))))
    #expect(desk.frame.glyphs.contains("1,200 of 2,400"))
  }

  @Test("a short list is counted again after every change, a very long one once a minute")
  func counts() {
    func recounts(_ total: Int, after pause: Duration) -> Bool {
      var list = ListState(.narrowed(.tray, ListFilter(words: "x")))
      list.isLoaded = true
      list.reachesEnd = false
      list.countAbove = 0
      list.rows = desk(1).state.tray.rows
      let now = InboxDesk.morning
      guard let order = list.counting.order(of: list, serial: 1, at: now) else { return false }
      list.accept(ListCount(total: MatchCount(total)), serial: order.serial, at: now)
      #expect(list.counting.order(of: list, serial: 2, at: now) == nil, "nothing has changed")
      list.counting.markStale()
      return list.counting.order(of: list, serial: 3, at: now.advanced(by: pause)) != nil
    }
    #expect(recounts(10_000, after: .zero))
    #expect(!recounts(10_001, after: .seconds(59)))
    #expect(recounts(10_001, after: .seconds(60)))
    #expect(recounts(10_001, after: .seconds(-1)), "the store's clock was set back")
  }
}
