import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("The command palette")
struct PaletteTests {
  private func desk() -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24)
    desk.arrive("one")
    desk.arrive("two")
    desk.start()
    return desk
  }

  private func found(_ words: String, in desk: InboxDesk? = nil) -> [Command] {
    var desk = desk ?? self.desk()
    desk.press(":")
    desk.type(words)
    guard case .menu(let menu) = desk.state.overlay, let palette = menu as? PaletteState else {
      return []
    }
    return palette.entries.compactMap {
      if case .command(let command) = $0.target { command } else { nil }
    }
  }

  @Test("every command is found by its name, and comes first")
  func everyCommand() {
    let offered = found("")
    #expect(offered.count > 40)
    for command in offered {
      let title = command.title
      let first = found(title).first
      #expect(first?.title == title, "\(title)")
    }
  }

  @Test(
    "letters in order find a command, whole words its description, a key itself",
    arguments: [
      ("dnd", Command.doNotDisturb), ("undo", .undo), ("thm", .themes), ("dev", .devices),
      ("history keeps", .dismiss), ("gg", .moveToFirst), ("Ctrl-r", .redo), ("snz", .snooze),
    ])
  func words(typed: String, command: Command) {
    #expect(found(typed).first == command)
  }

  @Test("a text that matches nothing finds nothing")
  func nothing() {
    #expect(found("xyzzy").isEmpty)
    var desk = desk()
    desk.press(":")
    desk.type("xyzzy")
    #expect(desk.frame.glyphs.contains("No command matches."))
    #expect(!desk.frame.glyphs.contains("Enter run") && desk.frame.glyphs.contains("Esc close"))
    desk.press("Enter")
    #expect(!desk.state.overlay.isNone)
    desk.press("Esc")
    #expect(desk.state.overlay.isNone)
  }

  @Test("Enter runs the result, and the keys that follow have their usual meaning")
  func runs() {
    var desk = desk()
    desk.press(":")
    desk.type("dismiss")
    desk.press("Enter")
    #expect(desk.state.overlay.isNone)
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 1)
    desk.press("u")
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 2)
  }

  @Test("a command that is disabled here is not offered")
  func elsewhere() {
    let list = found("")
    for command in [
      Command.publishSample, .copyPublishLine, .palette, .nextAccount, .showAppItems,
      Command.views[0],
    ] {
      #expect(!list.contains(command), "\(command)")
    }
    #expect(list.contains(.dismiss) && list.contains(.undo))
    var apps = desk()
    apps.press("4")
    #expect(!found("", in: apps).contains(.dismiss))
    #expect(found("", in: apps).contains(.showAppItems))
    var empty = InboxDesk(width: 80, height: 24)
    empty.start()
    #expect(found("", in: empty).contains(.publishSample))
    #expect(!found("", in: empty).contains(.dismiss))
  }

  @Test("an arrival may disable an offered command, which then does nothing")
  func elsewhereMeanwhile() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.start()
    desk.press(":")
    desk.type("send a sample")
    desk.arrive("one")
    desk.press("Enter")
    #expect(!desk.acts.contains(.store(.publishSample)))
    #expect(
      desk.state.notice?.text == "send a sample is only available in an empty store.")
  }

  @Test("a click runs the command under it")
  func click() throws {
    var desk = desk()
    desk.press(":")
    desk.type("the history")
    guard case .menu(let menu) = desk.state.overlay else {
      Issue.record("no palette")
      return
    }
    let lines = menu.frame(in: desk.state.layout, of: desk.state).lines
    desk.send(.mouse(MouseEvent(.press, at: Point(x: 4, y: lines.y))))
    #expect(desk.state.tab == .history)
  }
}

@Suite("Devices and activity")
struct ActivityTests {
  private let device = DeviceSummary(
    account: ItemShelf.account, id: DeviceID("d2"), name: "work-laptop", platform: "linux",
    state: "registered", lastSeen: InboxDesk.morning, isThis: false)
  private let own = DeviceSummary(
    account: ItemShelf.account, id: DeviceID("d1"), name: "desktop", platform: "linux",
    state: "registered", lastSeen: InboxDesk.morning, isThis: true)

  private func desk() -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24)
    desk.arrive("one")
    desk.start()
    return desk
  }

  private func serial(_ desk: InboxDesk) -> Int {
    if case .devices(let menu) = desk.state.overlay { menu.serial } else { -1 }
  }

  private func revoked(_ desk: InboxDesk) -> [DeviceSummary] {
    desk.acts.compactMap {
      if case .activity(.revokeDevice(let device, _, _)) = $0 { device } else { nil }
    }
  }

  @Test("a device is signed out after a question, and only a key for yes confirms")
  func revoke() {
    var desk = desk()
    desk.press("g d")
    #expect(desk.frame.glyphs.contains("Asking the store"))
    desk.send(.activity(.devices(serial: serial(desk), [own, device], problem: nil)))
    desk.press("j x")
    #expect(desk.frame.glyphs.contains("Sign work-laptop out?"))
    desk.press("n")
    #expect(revoked(desk).isEmpty)
    desk.press("x y")
    #expect(revoked(desk) == [device])
  }

  @Test("this device is not signed out here")
  func ownDevice() {
    var desk = desk()
    desk.press("g d")
    desk.send(.activity(.devices(serial: serial(desk), [own, device], problem: nil)))
    desk.press("x y")
    #expect(revoked(desk).isEmpty)
  }

  @Test("a question about a device that is gone meanwhile is closed")
  func goneMeanwhile() {
    var desk = desk()
    desk.press("g d")
    desk.send(.activity(.devices(serial: serial(desk), [own, device], problem: nil)))
    desk.press("j x")
    desk.send(.activity(.devices(serial: serial(desk), [own], problem: nil)))
    desk.press("y")
    #expect(revoked(desk).isEmpty)
  }

  @Test("without an answer the reason is shown, and a late one changes nothing")
  func offline() {
    var desk = desk()
    desk.press("g d")
    let first = serial(desk)
    desk.send(.activity(.devices(serial: first, [], problem: "the store cannot be reached")))
    #expect(desk.frame.glyphs.contains("the store cannot be reached"))
    desk.press("R")
    desk.send(.activity(.devices(serial: first, [device], problem: nil)))
    #expect(desk.frame.glyphs.contains("Asking the store"))
  }

  @Test("activity is requested for a day, then for a week, and only the last answer is shown")
  func activity() {
    var desk = desk()
    desk.press("g a Tab")
    let asked = desk.acts.compactMap { effect -> (serial: Int, hours: Int)? in
      if case .activity(.loadActivity(let serial, let hours, _)) = effect {
        (serial, hours)
      } else {
        nil
      }
    }
    #expect(asked.map(\.hours) == [24, 168])
    let report = ActivityReport(
      hours: [Int](repeating: 1, count: 168), apps: [.init(name: "ci", count: 168)], notes: [],
      waiting: [], waitingCount: 0)
    desk.send(.activity(.report(serial: asked[0].serial, report)))
    #expect(desk.frame.glyphs.contains("Counting"))
    desk.send(.activity(.report(serial: asked[1].serial, report)))
    #expect(desk.frame.glyphs.contains("168 notifications"))
    desk.press("q")
    #expect(desk.state.overlay.isNone)
  }

  @Test("one hour's items are visible, however many came in another")
  func smallBar() {
    var desk = desk()
    desk.press("g a")
    var hours = [Int](repeating: 0, count: 24)
    (hours[3], hours[20]) = (1, 1_000_000)
    let serial = desk.acts.compactMap { effect -> Int? in
      if case .activity(.loadActivity(let serial, _, _)) = effect { serial } else { nil }
    }
    desk.send(
      .activity(
        .report(
          serial: serial[0],
          ActivityReport(hours: hours, apps: [], notes: [], waiting: [], waitingCount: 0))))
    #expect(desk.frame.glyphs.contains("▁"))
    #expect(desk.frame.glyphs.contains("█"))
  }
}
