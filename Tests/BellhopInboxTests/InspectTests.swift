import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Inspecting an item")
struct InspectTests {
  private static let raw = #"{"t":21.5,"parts":[{"a":{"b":[1,2,{"c":"\u001b[2J"}]}}],"empty":{}}"#

  private func desk(width: Int = 80, height: Int = 40) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    desk.shelf.publish(
      Content(
        app: "ci", appNotificationID: "build-412", group: "main", tags: ["arm64"],
        visual: VisualContent(title: "build 412 \u{1B}[31mfailed", body: "one\ntwo"),
        raw: Self.raw, clickURL: "https://ci.example.com/412"),
      at: desk.now.advanced(by: .seconds(-60)))
    desk.start()
    return desk
  }

  private func lines(_ desk: InboxDesk) -> [String] {
    desk.frame.glyphs.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func inspect(_ desk: InboxDesk) -> InspectState? {
    if case .inspect(let inspect) = desk.state.overlay { inspect } else { nil }
  }

  @Test("it shows names, times with their zone, registers with their history, and the payload")
  func whole() throws {
    var desk = desk(height: 100)
    let id = try #require(desk.state.activeRow?.key.id)
    desk.elsewhere(id, .read, on: "phone")
    desk.press("i")
    let text = lines(desk).joined(separator: "\n")
    for part in [
      "Inspect #1 · build 412", "app item id   build-412", "Sat 21 Nov 2026 06:13:20 CET",
      "read state    read", "before        unread", "by            phone (device phone)",
      "last change", "\"targetHostName\": \"ci\"", "\"t\": 21.5",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(!text.contains("\u{1B}"))
    desk.elsewhere(id, .dismiss, on: "phone")
    #expect(lines(desk).contains { $0.contains("action        dismissed") })
  }

  @Test("deep values are folded, and a key or a click on the mark opens them")
  func folding() throws {
    var desk = desk(height: 100)
    desk.press("i")
    let folded = try #require(lines(desk).firstIndex { $0.contains("▸ \"a\": {… 1}") })
    #expect(!lines(desk).contains { $0.contains("\"b\"") })
    let body = desk.state.layout.body
    let mark = try #require(Array(lines(desk)[folded]).firstIndex(of: "▸"))
    desk.send(.mouse(MouseEvent(.press, at: Point(x: mark, y: folded))))
    #expect(lines(desk).contains { $0.contains("\"b\"") })
    #expect(lines(desk)[folded].contains("▾"))
    #expect(inspect(desk)?.cursor == folded - body.y + (inspect(desk)?.scroll ?? 0))
    desk.press("z")
    #expect(!lines(desk).contains { $0.contains("\"b\"") })
    desk.press("Z")
    #expect(lines(desk).contains { $0.contains("\"c\"") })
    desk.press("Z")
    #expect(lines(desk).filter { !$0.allSatisfy { $0 == " " } }.count < 14)
  }

  @Test(
    "it scrolls with its cursor, and q, Esc, h and i close it",
    arguments: ["q", "Esc", "h", "i"])
  func keys(closing: String) {
    var desk = desk(width: 40, height: 10)
    desk.press("i")
    desk.press("G")
    let end = inspect(desk)?.cursor ?? 0
    #expect(end > 10)
    desk.press("k PgUp PgDn j")
    #expect(inspect(desk)?.cursor == end)
    desk.press("g")
    #expect(inspect(desk)?.scroll == 0)
    desk.press(closing)
    #expect(desk.state.overlay.isNone)
    #expect(desk.acts.isEmpty)
  }

  @Test("an item that disappears stays readable, with a note")
  func gone() throws {
    var desk = desk()
    desk.press("i")
    desk.elsewhere(try #require(desk.state.activeRow?.key.id), .delete)
    #expect(lines(desk)[0].contains("no longer in the store"))
    #expect(lines(desk).contains { $0.contains("build-412") })
  }

  @Test("every size from 1×1 on is drawn")
  func sizes() {
    var desk = desk()
    desk.press("i")
    for width in [1, 2, 5, 9, 17, 40, 200] {
      for height in [1, 2, 3, 4, 7, 8, 24, 50] {
        desk.send(.resize(Size(width: width, height: height)))
        desk.press("j z Z G")
        #expect(desk.frame.size == desk.state.size)
      }
    }
  }

  @Test("a fold hides what is inside, and a closing bracket belongs to its opening one")
  func outline() {
    var outline = Outline([
      Outline.Line("a {"), Outline.Line("b", indent: 1),
      Outline.Line(indent: 0, text: styled("}"), isClosing: true), Outline.Line("c"),
    ])
    #expect(outline.toggle(3) == nil)
    #expect(outline.toggle(1) == 0)
    #expect(outline.drawn(width: 20).map(\.index) == [0, 3])
    #expect(outline.toggle(0) == 0)
    #expect(outline.drawn(width: 20).map(\.index) == [0, 1, 2, 3])
    #expect(outline.toggle(2) == 0)
  }

  private func styled(_ text: SafeText) -> StyledText {
    var styled = StyledText()
    styled.append(text, .dim)
    return styled
  }
}
