import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Saved views")
struct ViewTests {
  private static let nas = SavedView(name: "the nas", filter: "app:nas")
  private static let past = SavedView(name: "ci, all of it", filter: "app:ci", list: .history)

  private func desk(_ views: [SavedView] = [nas, past], width: Int = 100) -> InboxDesk {
    var desk = InboxDesk(width: width, height: 24)
    desk.state.use(views)
    desk.start()
    for number in 0..<6 {
      desk.arrive("build \(number)", app: number.isMultiple(of: 2) ? "ci" : "nas")
    }
    desk.forgetActs()
    return desk
  }

  private func titles(_ desk: InboxDesk) -> [String] {
    desk.state[desk.state.activeList].rows.map(\.title.string)
  }

  private func header(_ desk: InboxDesk) -> String {
    String(desk.frame.glyphs.split(separator: "\n", omittingEmptySubsequences: false)[0])
  }

  private func kept(_ desk: InboxDesk) -> [SavedView]? {
    for case .remember(.views(let views)) in desk.acts.reversed() { return views }
    return nil
  }

  @Test("a view's key shows what its filter matches, and the tab's key the whole list again")
  func shown() {
    var desk = desk()
    desk.press("5")
    #expect(titles(desk) == ["build 5", "build 3", "build 1"])
    #expect(desk.state.shownView == 0)
    desk.press("6")
    #expect(desk.state.tab == .history && titles(desk) == ["build 4", "build 2", "build 0"])
    desk.press("1")
    #expect(titles(desk).count == 6 && desk.state.filter == nil)
    desk.press("2")
    #expect(titles(desk).count == 6)
  }

  @Test("a filtered list is filtered again after leaving a view of it")
  func before() {
    var desk = desk()
    desk.press("f")
    desk.type("app:ci")
    desk.press("Enter 5")
    #expect(titles(desk).allSatisfy { ["build 1", "build 3", "build 5"].contains($0) })
    desk.press("1")
    #expect(desk.state.filter?.field.text == "app:ci")
    #expect(titles(desk) == ["build 4", "build 2", "build 0"])
  }

  @Test("the header shows views as tabs where it is wide enough, and always the current one")
  func header() {
    var desk = desk(width: 120)
    #expect(header(desk).contains("[1 Tray 6]"))
    #expect(header(desk).contains("5 the nas 3  6 ci, all of it 3"))
    desk.press("5")
    #expect(header(desk).contains("[5 the nas") && !header(desk).contains("[1 Tray"))
    desk.send(.resize(Size(width: 60, height: 24)))
    #expect(header(desk).contains("[5 the nas]") && !header(desk).contains("6 ci"))
    desk.send(.resize(Size(width: 20, height: 24)))
    #expect(header(desk).contains("[5 the nas]"))
  }

  @Test("counts of views follow arrivals and changes; a narrow header does not request them")
  func counts() {
    var desk = desk(width: 130)
    desk.arrive("disk", app: "nas")
    #expect(header(desk).contains("5 the nas 4  6 ci, all of it 3"))
    desk.press("g g d")
    #expect(header(desk).contains("5 the nas 3  6 ci, all of it 3"))
    desk.press("1 f")
    desk.type("app:none")
    desk.press("Enter V")
    desk.type("none")
    desk.press("Enter")
    #expect(desk.state.views.counts == [3, 3, 0])
    desk.send(.resize(Size(width: 60, height: 24)))
    desk.isPrompt = false
    desk.send(.dataChanged)
    #expect(desk.state.views.countsOutstanding == nil)
  }

  @Test("an outdated or unexpected answer for the views is ignored")
  func late() throws {
    var desk = desk([Self.nas, Self.past], width: 130)
    desk.isPrompt = false
    desk.answers = []
    desk.send(.dataChanged)
    let serial = try #require(desk.state.views.countsOutstanding)
    desk.state.use([Self.past, Self.nas])
    desk.send(.slow(.views(serial: serial, [71, 72])))
    #expect(desk.state.views.counts.isEmpty)
    let next = try #require(desk.state.views.countsOutstanding)
    desk.send(.slow(.views(serial: next, [nil, 7])))
    #expect(header(desk).contains("5 ci, all of it  6 the nas 7"))
  }

  @Test("a saved view is removed by its key after a question, and those behind it move up")
  func removed() {
    let mine = SavedView(name: "mine", filter: "app:ci", isOwn: true)
    let other = SavedView(name: "other", filter: "app:nas", list: .history, isOwn: true)
    var desk = desk([Self.nas, mine, other], width: 130)
    desk.press("6 X")
    #expect(desk.frame.glyphs.contains("Remove the view “mine”"))
    #expect(desk.frame.glyphs.contains("Remove the view? Its items stay.  y yes  n no"))
    desk.press("n")
    #expect(desk.state.views.all.count == 3 && desk.acts.isEmpty)
    desk.press("X y")
    #expect(desk.acts == [.remember(.removeView(named: "mine"))])
    #expect(desk.state.views.all == [Self.nas, other])
    #expect(desk.state.filter == nil && titles(desk).count == 6)
    #expect(header(desk).contains("6 other 3") && !header(desk).contains("mine"))
    desk.press("6")
    #expect(titles(desk) == ["build 5", "build 3", "build 1"])
  }

  @Test("a view of config.toml cannot be removed, and without a view nothing is")
  func notRemoved() {
    var desk = desk()
    desk.press("X")
    #expect(desk.state.overlay.isNone)
    #expect(desk.state.notice?.text.string.hasPrefix("Show a view first") == true)
    desk.press("5 X")
    #expect(desk.state.overlay.isNone && desk.acts.isEmpty)
    #expect(
      desk.state.notice?.text.string == "“the nas” is defined in config.toml: remove it there.")
    // A view that was filtered further is not the saved one.
    desk.press("f")
    desk.type(" is:unread")
    desk.press("Enter X")
    #expect(desk.state.overlay.isNone && desk.state.views.all.count == 2)
  }

  @Test("a key without a view shows how to save one")
  func missing() {
    var desk = desk()
    desk.press("8")
    #expect(desk.state.notice?.text.string.contains("V saves that as a view") == true)
    #expect(titles(desk).count == 6)
  }

  @Test("an invalid filter is shown with a mark at the character, and opens nothing")
  func wrong() {
    var desk = desk([SavedView(name: "late", filter: "app:ci prio:soon")])
    desk.press("5")
    #expect(desk.state.notice?.kind == .error)
    #expect(desk.state.notice?.text.string.contains("app:ci prio:▸soon") == true)
    #expect(desk.state.filter == nil)
  }

  @Test("a filtered list is saved under a name, and shown by the next key from then on")
  func saved() {
    var desk = desk()
    desk.press("f")
    desk.type("app:ci is:unread")
    desk.press("Enter V")
    #expect(desk.frame.glyphs.contains("Save as a view · app:ci is:unread"))
    desk.type("new  builds ")
    desk.press("Enter")
    let view = SavedView(name: "new builds", filter: "app:ci is:unread", isOwn: true)
    #expect(kept(desk) == [view])
    #expect(desk.state.shownView == 2 && desk.state.overlay.isNone)
    desk.press("1")
    #expect(titles(desk).count == 6)
    desk.press("7")
    #expect(titles(desk) == ["build 4", "build 2", "build 0"])
  }

  @Test("a changed view is saved again under its name; one from config.toml is not")
  func replaced() {
    var desk = desk([Self.nas, SavedView(name: "mine", filter: "app:ci", isOwn: true)])
    desk.press("6 f")
    desk.type(" is:read")
    desk.press("Enter V Enter")
    #expect(kept(desk) == [SavedView(name: "mine", filter: "app:ci is:read", isOwn: true)])
    desk.forgetActs()
    desk.press("V Ctrl-u")
    desk.type("the nas")
    desk.press("Enter")
    #expect(kept(desk) == nil)
    #expect(desk.state.notice?.text.string.contains("config.toml") == true)
  }

  @Test("there are five keys: a sixth view is not saved, and nothing without a filter")
  func limits() {
    let five = (1...5).map { SavedView(name: "view \($0)", filter: "app:ci", isOwn: true) }
    var desk = desk(five + [Self.nas])
    #expect(desk.state.views.all == five)
    desk.press("V")
    #expect(desk.state.overlay.isNone && desk.state.notice != nil)
    desk.press("f")
    desk.type("app:nas")
    desk.press("Enter V")
    desk.type("sixth")
    desk.press("Enter")
    #expect(kept(desk) == nil)
    #expect(desk.state.notice?.text.string.contains("five keys") == true)
  }

  @Test("help names the existing views")
  func help() {
    var desk = desk()
    desk.press("?")
    desk.type("view")
    let text = desk.frame.glyphs
    #expect(text.contains("the view “the nas”") && text.contains("the view “ci, all of it”"))
    #expect(!text.contains("saved view 3"))
  }
}
