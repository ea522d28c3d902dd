import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("History by day")
struct DayTests {
  private static let hour: Int64 = 3_600_000

  /// An item for each age in hours before now, the oldest first.
  private func desk(_ ages: [Int64], width: Int = 80, height: Int = 24) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    for (number, age) in ages.enumerated() {
      desk.shelf.publish(
        Content(app: "ci", visual: VisualContent(title: "build \(number)")),
        at: desk.now.advanced(by: .milliseconds(-age * Self.hour)))
    }
    desk.start()
    desk.press("2")
    return desk
  }

  private func lines(_ desk: InboxDesk) -> [ListLines.Line] {
    guard let pane = desk.state.layout.list(.history) else { return [] }
    return desk.state.lines(of: .history, height: pane.rows.height)
      .lines(from: desk.state[.history].top)
  }

  private func drawn(_ desk: InboxDesk) -> [String] {
    desk.frame.glyphs.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("each day has one heading above its items, with its name")
  func headings() {
    let desk = desk([24 * 400, 49, 30, 24, 3, 1])
    let headings = drawn(desk).filter { $0.contains(" of ") == false && $0.contains("▁") }
    let names = ["Today, Sat 21 November", "Yesterday, Fri 20 November", "Thu 19 November"]
    #expect(headings.count == 4)
    for (heading, name) in zip(headings, names) { #expect(heading.hasPrefix(" " + name)) }
    #expect(headings.last?.hasPrefix(" Fri 17 October 2025") == true)
    #expect(headings.map { $0.last { $0 != " " } } == ["2", "2", "1", "1"])
  }

  @Test("days have 23, 24 or 25 hours as clocks change, and begin at midnight")
  func changesOfClocks() {
    func span(_ month: Int, _ day: Int) -> DaySpan {
      DaySpan(CivilDate(year: 2026, month: month, day: day), in: BerlinZone.rules)
    }
    #expect(span(3, 29).hourCount == 23)
    #expect(span(10, 25).hourCount == 25)
    #expect(span(3, 30).hourCount == 24)
    #expect(span(3, 29).end == span(3, 30).start)
    #expect(BerlinZone.rules.local(span(10, 26).start).hour == 0)
  }

  @Test("a spark line has a cell per hour, and hours that have not begun are blank")
  func spark() {
    #expect(SparkLine.text([0, 1, 2, 4, 8, 3]) == "▁▂▃▅█▄")
    #expect(SparkLine.text([0, 0, 0]) == "▁▁▁")
    #expect(SparkLine.text([1, 1000, 0], begun: 2) == "▂█ ")
    #expect(SparkLine.text([1, 1, 0, 0, 3, 3, 1], step: 2) == "▄▁█▃")
    #expect(SparkLine.text([]).isEmpty)
  }

  @Test("a narrow heading drops the least useful part first, and never exceeds its width")
  func narrowHeading() {
    let date = CivilDate(year: 2026, month: 11, day: 20)
    let span = DaySpan(date, in: InboxDesk.cet)
    let heading = DayHeading(
      span: span, count: DayCount(date: date, hours: [Int](repeating: 1, count: 24)),
      shown: .exactly(3), time: TimeText(zone: InboxDesk.cet, now: InboxDesk.morning))
    func text(_ width: Int) -> String {
      heading.line(width: width).pieces.map(\.text.string).joined()
    }
    #expect(text(61) == "Yesterday, Fri 20 November  ████████████████████████  3 of 24")
    #expect(text(60) == "Yesterday, Fri 20 November             ████████████  3 of 24")
    #expect(text(48) == "Yesterday, 20 Nov          ████████████  3 of 24")
    #expect(text(39) == "Yesterday, Fri 20 November      3 of 24")
    #expect(text(34) == "Yesterday, 20 Nov          3 of 24")
    for width in 1...80 { #expect(heading.line(width: width).pieces[0].text.width <= width) }
  }

  @Test("cursor and marks go from item to item; a click on a heading does nothing")
  func cursor() throws {
    var desk = desk([49, 30, 24, 3, 1])
    #expect(desk.state.activeRow?.title == "build 4")
    desk.press("j j")
    #expect(desk.state.activeRow?.title == "build 2")
    let pane = try #require(desk.state.layout.list(.history))
    for (line, content) in lines(desk).enumerated() {
      desk.press("g g")
      desk.send(.mouse(MouseEvent(.press, at: Point(x: 20, y: pane.rows.y + line))))
      switch content {
      case .heading: #expect(desk.state.activeRow?.title == "build 4")
      case .row(let index):
        #expect(desk.state.activeRow?.key == desk.state[.history].rows[index].key)
      }
    }
    desk.press("g g v j j j")
    #expect(desk.state.marks.count == 4)
  }

  @Test("pages show every item on the way down and on the way up", arguments: [10, 17, 24, 50])
  func pages(height: Int) {
    var desk = desk((0..<120).map { Int64($0) * 7 }.reversed(), height: height)
    var seen: Set<Int> = []
    func look() {
      for line in lines(desk) { if case .row(let index) = line { seen.insert(number(index)) } }
    }
    func number(_ index: Int) -> Int {
      Int(desk.state[.history].rows[index].shortNumber)
    }
    look()
    for _ in 0..<120 {
      desk.press("PgDn")
      look()
    }
    #expect(desk.state.activeRow?.title == "build 0")
    #expect(seen.count == 120)
    seen = []
    look()
    for _ in 0..<120 {
      desk.press("PgUp")
      look()
    }
    #expect(desk.state.activeRow?.title == "build 119")
    #expect(seen.count == 120)
  }

  @Test("a visible item keeps its line while the cursor moves over it")
  func stillRows() {
    var desk = desk((0..<60).map { Int64($0) * 5 }.reversed())
    desk.press("G")
    for _ in 0..<4 {
      let before = lines(desk)
      desk.press("k")
      #expect(lines(desk) == before)
    }
  }

  @Test("only visible days are counted, once, and again after a change")
  func counting() {
    var desk = desk((0..<200).map { Int64($0) * 24 }.reversed())
    desk.isPrompt = false
    func asked(_ effects: [Effect]) -> [CivilDate] {
      effects.flatMap { effect -> [CivilDate] in
        if case .slow(.countDays(let spans, _, _, _)) = effect { spans.map(\.date) } else { [] }
      }
    }
    let headings = lines(desk).compactMap {
      if case .heading(.day(let date)) = $0 { date } else { nil }
    }
    #expect(asked(reduce(&desk.state, .person(.key(.character("k"))))).isEmpty)
    #expect(Set(asked(reduce(&desk.state, .dataChanged))) == Set(headings))
    #expect(headings.count < 12)
    #expect(asked(reduce(&desk.state, .dataChanged)).isEmpty, "one request at a time")
  }

  @Test("a search shows how many items of the day it found")
  func searching() {
    var desk = desk([30, 24, 3, 2, 1])
    desk.press("/")
    desk.type("build 4")
    #expect(drawn(desk).contains { $0.hasPrefix(" Today") && $0.contains("1 of 3") })
    desk.press("Esc U")
    #expect(drawn(desk).contains { $0.hasPrefix(" Today") && $0.contains("3 of 3") })
  }

  @Test("unread only is a term of the filter, and is toggled off the same way")
  func unreadOnly() {
    var desk = desk([5, 4, 3, 2, 1])
    desk.press("r j r")
    desk.press("U")
    #expect(desk.state.filter?.field.text == "is:unread")
    #expect(desk.state[.history].rows.map(\.title) == ["build 2", "build 1", "build 0"])
    desk.press("U")
    #expect(desk.state.filter == nil)
    #expect(desk.state[.history].rows.count == 5)
    desk.press("f")
    desk.type("is:unread \"build 1\"")
    desk.press("Enter U")
    #expect(desk.state.filter?.field.text == "\"build 1\"")
    #expect(!desk.state.isTyping)
    desk.press("U")
    #expect(desk.state.filter?.field.text == "\"build 1\" is:unread")
  }
}
