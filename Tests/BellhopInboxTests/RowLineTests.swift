import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Repeats and resolutions in rows")
struct RowLineTests {
  private static let title = "p99 of db-7.example.com is over 200 ms since the last deployment"

  private static func before(_ minutes: Int64) -> Timestamp {
    InboxDesk.morning.advanced(by: .seconds(-60 * minutes))
  }

  /// A desk with an alert that came 37 times, and one that its publisher resolved.
  private func desk(width: Int) throws -> (desk: InboxDesk, resolved: NotificationID) {
    var desk = InboxDesk(width: width, height: 24)
    func alert(_ title: String, _ minutes: Int64) -> NotificationID {
      desk.shelf.publish(
        Content(app: "grafana", visual: VisualContent(title: title)), at: Self.before(minutes))
    }
    let resolved = alert("disk full", 90)
    desk.shelf.resolve(resolved, at: Self.before(78))
    let repeated = alert(Self.title, 51)
    for minutes in (1...36).reversed() {
      desk.shelf.publishRepeat(of: repeated, body: "again", at: Self.before(Int64(minutes)))
    }
    desk.start()
    return (desk, resolved)
  }

  private func roles(of text: String, in frame: Frame) -> Set<StyleRole> {
    Set(
      (0..<frame.size.height).flatMap { y in
        frame.row(y).filter { $0.text == text }.map(\.role)
      })
  }

  @Test("the count survives a narrow line", arguments: [40, 60, 80, 120, 200])
  func count(width: Int) throws {
    let (desk, _) = try self.desk(width: width)
    let line = try #require(
      desk.frame.glyphs.split(separator: "\n").first { $0.contains("×37") }, "\(desk.frame.glyphs)")
    #expect(line.contains(" ×37 51m"), "the age is that of the first occurrence: \(line)")
  }

  @Test("a resolved alert has its mark in a role of its own, and the word beside it")
  func resolved() throws {
    var (desk, id) = try self.desk(width: 80)
    desk.press("2")
    #expect(roles(of: "✓", in: desk.frame) == [.resolved])
    #expect(desk.frame.glyphs.contains("resolved"))
    desk.elsewhere(id, .restore)
    #expect(roles(of: "✓", in: desk.frame) == [])
    desk.elsewhere(id, .dismiss)
    #expect(roles(of: "✓", in: desk.frame) == [.dismissed], "the user has handled it since")
    #expect(!desk.frame.glyphs.contains("resolved"))
  }

  @Test("an alert that is resolved while the cursor is on it says so")
  func ghost() throws {
    var (desk, _) = try self.desk(width: 80)
    let id = try #require(desk.state.activeRow?.key.id)
    desk.shelf.resolve(id, at: desk.now)
    desk.send(.dataChanged)
    #expect(desk.frame.glyphs.contains("resolved by grafana"))
    desk.press("d")
    #expect(desk.state.notice?.text == "Resolved 06:14 by grafana. Nothing was done.")
  }

  @Test(
    "a printed row has the count after its title, also where that is cut", arguments: [40, 100])
  func printed(width: Int) throws {
    let (desk, _) = try self.desk(width: 80)
    let row = try #require(desk.state.activeRow)
    let printed = PrintedRow(row, account: .empty, isOfTray: true, zone: .utc, now: desk.now)
    let frame = printed.frame(PrintedRow.columns(of: [printed], width: width))
    let line = frame.row(0).filter { !$0.isContinuation }.map(\.text).joined()
    #expect(line.contains(" ×37"), "\(line)")
    #expect(SafeText(line).width == width, "\(line)")
  }
}
