import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Rows printed outside the screen")
struct PrintedRowTests {
  private static let now = Timestamp(milliseconds: 1_763_700_000_000)

  private func rows(isOfTray: Bool = true) -> [PrintedRow] {
    [
      ("ci.example.com", "build 412 failed: unit tests", "2 of 1,204 tests failed", 1175),
      ("nas", "Scrub finished", "", 7),
    ].enumerated().map { index, row in
      let (app, title, body, number) = row
      let summary = RowSummary(
        key: ItemKey(
          account: AccountName("home"), id: NotificationID(high: UInt64(number), low: 1)),
        order: Int64(index), shortNumber: Int64(number), app: SafeText(app),
        title: SafeText(title), preview: SafeText(body), priority: index == 0 ? .urgent : .normal,
        facts: PlacementFacts(arrival: Self.now.advanced(by: .seconds(-600))), placement: .tray,
        contentSequence: SequenceNumber(1))
      return PrintedRow(
        summary, account: .empty, isOfTray: isOfTray, zone: .utc, now: Self.now)
    }
  }

  private func lines(width: Int, isOfTray: Bool = true) -> [String] {
    let rows = rows(isOfTray: isOfTray)
    let columns = PrintedRow.columns(of: rows, width: width)
    return rows.map { row in
      row.frame(columns).row(0).filter { !$0.isContinuation }.map(\.text).joined()
    }
  }

  @Test(
    "a line has exactly the width of the terminal, from 40 cells on", arguments: [40, 60, 80, 200])
  func width(cells: Int) {
    for line in lines(width: cells) {
      #expect(SafeText(line).width == cells, "\(line)")
    }
  }

  @Test("state, level, time, app, title, excerpt and number come in this order")
  func order() {
    let first = lines(width: 100)[0]
    #expect(first.hasPrefix("●‼ "))
    var rest = first[...]
    for part in [
      "ci.example", "build 412 failed: unit tests", " · 2 of 1,204 tests failed", "#1175",
    ] {
      guard let range = rest.firstRange(of: part) else {
        Issue.record("\(part) is not in \(first)")
        return
      }
      rest = rest[range.upperBound...]
    }
    #expect(rest.isEmpty, "the number stands at the right edge: \(first)")
  }

  @Test("apps and numbers are in columns")
  func columns() {
    let lines = lines(width: 60)
    let starts = zip(lines, ["ci.ex", "nas"]).map { line, app in
      line.firstRange(of: app).map { SafeText(String(line[..<$0.lowerBound])).width }
    }
    #expect(starts[0] != nil && starts[0] == starts[1], "\(lines)")
  }

  @Test("below 40 cells the app is dropped first, and everything else stays")
  func narrow() {
    let lines = lines(width: 30)
    #expect(lines.allSatisfy { SafeText($0).width == 30 && $0.contains("#") }, "\(lines)")
    #expect(!lines[0].contains("ci.e"))
    #expect(lines[0].contains("build"))
  }

  @Test("outside the tray's own list a wide line shows that an item is in the tray")
  func place() {
    #expect(lines(width: 120, isOfTray: false)[0].contains("in the tray"))
    #expect(!lines(width: 120)[0].contains("in the tray"))
  }
}
