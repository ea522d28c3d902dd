import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Moving the dividers between panes")
struct SplitTests {
  private func desk(_ width: Int, _ height: Int) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    desk.start()
    for number in 0..<30 { desk.arrive("build \(number)") }
    desk.forgetActs()
    return desk
  }

  private func kept(_ desk: InboxDesk) -> [Splits] {
    desk.acts.compactMap { if case .remember(.splits(let splits)) = $0 { splits } else { nil } }
  }

  private func drag(_ desk: inout InboxDesk, _ from: Point, _ to: [Point]) {
    desk.send(.mouse(MouseEvent(.press, at: from)))
    for point in to { desk.send(.mouse(MouseEvent(.drag, at: point))) }
    desk.send(.mouse(MouseEvent(.release, at: to.last ?? from)))
  }

  @Test("> and < move the divider beside the list two columns, + and - the one below it a row")
  func keys() throws {
    var desk = desk(120, 40)
    let item = try #require(desk.state.layout.splits[.item])
    let lower = try #require(desk.state.layout.splits[.lower])
    desk.press("> > >")
    #expect(desk.state.layout.splits[.item]?.x == item.x + 6)
    desk.press("<")
    #expect(desk.state.layout.splits[.item]?.x == item.x + 4)
    desk.press("+ +")
    #expect(desk.state.layout.splits[.lower]?.y == lower.y + 2)
    desk.press("- - -")
    #expect(desk.state.layout.splits[.lower]?.y == lower.y - 1)
    #expect(kept(desk).count == 9 && kept(desk).last == desk.state.splits.places)
  }

  @Test("on a narrow screen + and - move the divider above the preview; > moves nothing")
  func narrow() throws {
    var desk = desk(80, 24)
    let rule = try #require(desk.state.layout.splits[.preview])
    desk.press("-")
    #expect(desk.state.layout.splits[.preview]?.y == rule.y - 1)
    desk.press("+ +")
    #expect(desk.state.layout.splits[.preview]?.y == rule.y + 1)
    desk.forgetActs()
    desk.press(">")
    #expect(kept(desk).isEmpty)
    #expect(desk.state.notice?.text.string.contains("100 columns") == true)
  }

  @Test("a divider stops where a pane would get too small, with a message, and moves back at once")
  func bounds() throws {
    var desk = desk(100, 20)
    for _ in 0..<60 { desk.press("<") }
    let leftmost = try #require(desk.state.layout.splits[.item]).x
    #expect(leftmost == 30)
    #expect(desk.state.notice?.text.string.contains("cannot move further") == true)
    desk.press(">")
    #expect(desk.state.layout.splits[.item]?.x == leftmost + 2)
    for _ in 0..<60 { desk.press(">") }
    #expect(desk.state.layout.detail.map { $0.width >= 29 } == true)
    for _ in 0..<60 { desk.press("-") }
    #expect(desk.state.layout.list(.tray).map { $0.rows.height >= 3 } == true)
    for _ in 0..<60 { desk.press("+") }
    #expect(desk.state.layout.list(.handled).map { $0.rows.height >= 3 } == true)
  }

  @Test("the pointer drags a divider, which is stored on release; beside it nothing is dragged")
  func mouse() throws {
    var desk = desk(120, 40)
    let item = try #require(desk.state.layout.splits[.item])
    let before = desk.state[.tray].cursor
    drag(&desk, Point(x: item.x, y: 9), [Point(x: item.x + 3, y: 9), Point(x: 50, y: 10)])
    #expect(desk.state.layout.splits[.item]?.x == 50)
    let lower = try #require(desk.state.layout.splits[.lower])
    drag(&desk, Point(x: 5, y: lower.y), [Point(x: 5, y: 20)])
    #expect(desk.state.layout.splits[.lower]?.y == 20)
    #expect(kept(desk).count == 2)
    #expect(desk.state[.tray].cursor == before)
    let splits = desk.state.splits.places
    drag(&desk, Point(x: 10, y: 6), [Point(x: 80, y: 30)])
    #expect(desk.state.splits.places == splits && kept(desk).count == 2)
  }

  @Test(
    "for any stored dividers, every pane of every screen is inside the body and covers no other")
  func everySize() {
    for (list, lower, rows) in [(50, 50, 1), (950, 950, 500), (520, 350, nil), (700, 120, 9)] {
      let splits = Splits(listShare: list, lowerShare: lower, previewRows: rows)
      var desk = desk(100, 30)
      desk.state.splits.places = splits
      for width in [1, 19, 40, 80, 99, 100, 101, 130, 200, 500] {
        for height in [1, 5, 8, 12, 13, 14, 17, 18, 19, 24, 60, 200] {
          desk.send(.resize(Size(width: width, height: height)))
          let layout = desk.state.layout
          var panes = layout.lists.map(\.rows)
          panes += [layout.detail, layout.preview].compactMap { $0 }
          panes.removeAll(where: \.isEmpty)
          for pane in panes {
            #expect(layout.body.intersection(pane) == pane, "\(width)x\(height) \(splits)")
          }
          for (index, pane) in panes.enumerated() {
            for other in panes[(index + 1)...] {
              #expect(pane.intersection(other).isEmpty, "\(width)x\(height) \(splits)")
            }
          }
        }
      }
    }
  }
}
