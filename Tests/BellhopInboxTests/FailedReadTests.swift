import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Failed reads")
struct FailedReadTests {
  private func desk() -> InboxDesk {
    var desk = InboxDesk(width: 120, height: 30)
    desk.start()
    desk.arrive("build 1")
    return desk
  }

  private func titles(_ desk: InboxDesk) -> [String] { desk.state.tray.rows.map(\.title.string) }

  @Test("a failed read is repeated a moment later, and then shown")
  func again() {
    var desk = desk()
    desk.failingReads = 3
    desk.arrive("build 2")
    #expect(titles(desk) == ["build 1"])
    #expect(desk.state.notice?.text == "The disk failed.")
    let failed = desk.failedReads
    #expect(failed > 0)
    desk.failingReads = 0
    desk.wait(ReadPause.length)
    #expect(titles(desk) == ["build 2", "build 1"])
    #expect(desk.frame.glyphs.contains("build 2"))
  }

  @Test("while a disk keeps failing it is read once per pause, whatever else happens")
  func pauses() {
    var desk = desk()
    desk.failingReads = .max
    desk.arrive("build 2")
    for _ in 0..<5 {
      let before = desk.failedReads
      desk.press("j k")
      desk.send(.dataChanged)
      desk.wait(.milliseconds(999))
      #expect(desk.failedReads == before)
      #expect(desk.state.nextWake == desk.now.advanced(by: .milliseconds(1)))
      desk.wait(.milliseconds(1))
      #expect(desk.failedReads > before)
      #expect(!desk.isRunaway)
    }
    desk.failingReads = 0
    desk.wait(ReadPause.length)
    #expect(titles(desk) == ["build 2", "build 1"])
    #expect(desk.state.nextWake != desk.now.advanced(by: ReadPause.length))
  }

  @Test("an item, and counts, that could not be read come with the next attempt")
  func detail() {
    var desk = desk()
    desk.arrive("build 2")
    desk.failingReads = .max
    desk.press("k")
    #expect(desk.state.detail.value?.row.title != "build 2")
    desk.failingReads = 0
    desk.wait(ReadPause.length)
    #expect(desk.state.detail.value?.row.title == "build 2")
    #expect(desk.state.counts.tray == 2)
  }

  @Test("a clock that is set back does not lengthen the pause")
  func clockSetBack() {
    var desk = desk()
    desk.failingReads = .max
    desk.arrive("build 2")
    desk.failingReads = 0
    desk.wait(.seconds(-3600))
    #expect(titles(desk) == ["build 2", "build 1"])
  }
}
