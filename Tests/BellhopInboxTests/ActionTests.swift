import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Acting on items")
struct ActionTests {
  private func desk() -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24)
    desk.start()
    desk.arrive("build 1")
    desk.arrive("build 2")
    return desk
  }

  private func operation(_ desk: InboxDesk) throws -> Operation {
    guard case .change(.perform(_, let operations, _))? = desk.acts.last else {
      throw Missing()
    }
    return try #require(operations.last)
  }

  private struct Missing: Error {}

  @Test("a key's effect is on the screen, and in the counts, before any answer")
  func optimism() {
    var desk = desk()
    desk.isPrompt = false
    desk.press("d")
    #expect(desk.state.tray.rows.map(\.title) == ["build 1"] || desk.state.tray.rows.count == 1)
    #expect(desk.state.counts.tray == 1)
    #expect(desk.state.counts.trayUnread == 1)
  }

  @Test("every operation names the content that the user saw")
  func seen() throws {
    var desk = desk()
    let sequence = try #require(desk.state.activeRow?.contentSequence)
    for keys in ["r", "*", "s 1", "2 b"] {
      desk.press(keys)
      #expect(try operation(desk).seen != nil)
    }
    #expect(try operation(desk).seen == sequence)
  }

  @Test("r is absolute: read, then unread")
  func toggles() throws {
    var desk = desk()
    desk.press("r")
    #expect(try operation(desk).mutation == ItemCommand.read.mutation)
    desk.press("r")
    #expect(try operation(desk).mutation == ItemCommand.unread.mutation)
  }

  @Test("Enter marks read, and does not count as opened")
  func enter() throws {
    var desk = desk()
    desk.press("Enter")
    #expect(try operation(desk).mutation == ItemCommand.read.mutation)
    #expect(desk.state.focus == .detail)
    desk.press("Esc")
    #expect(desk.state.focus == .list)
  }

  @Test("undo goes back step by step, whatever was done in between")
  func undo() {
    var desk = desk()
    let before = desk.shelf.rows(of: .history, at: desk.now)
    desk.press("r r * d j r b s 2 2 d b r")
    let steps = desk.state.steps.done.count
    #expect(steps > 5)
    for _ in 0..<steps { desk.press("u") }
    let after = desk.shelf.rows(of: .history, at: desk.now)
    #expect(after.map(\.readState) == before.map(\.readState))
    #expect(after.map(\.action) == before.map(\.action))
    #expect(after.map(\.isPinned) == before.map(\.isPinned))
    desk.press("u")
    #expect(desk.state.notice?.text == "Nothing to undo.")
  }

  @Test("undo puts the cursor back on the item")
  func undoCursor() {
    var desk = desk()
    let key = desk.state.tray.cursor?.key
    desk.press("d u")
    #expect(desk.state.tray.cursor?.key == key)
    #expect(desk.state.counts.tray == 2)
  }

  @Test("a delete is sealed after 5 s, and can be undone until then")
  func deleteInTime() {
    var desk = desk()
    desk.press("x")
    guard case .change(.perform(_, let operations, .seconds(5)))? = desk.acts.last else {
      Issue.record("no deferred delete: \(desk.acts)")
      return
    }
    #expect(operations.map(\.mutation) == [.delete])
    #expect(desk.state.tray.rows.count == 1)
    desk.wait(.seconds(4))
    desk.press("u")
    #expect(
      desk.acts.last
        == .change(.cancelDelete(account: ItemShelf.account, operation: operations[0].id)))
    #expect(desk.state.tray.rows.count == 2)
    #expect(desk.state.counts.tray == 2)
    #expect(desk.state.tray.ghost == nil)
  }

  @Test("a delete older than 5 s cannot be undone")
  func deleteTooLate() {
    var desk = desk()
    desk.press("x")
    desk.wait(.seconds(6))
    desk.shelf.sealDeletes()
    desk.forgetActs()
    desk.press("u")
    #expect(desk.acts.isEmpty)
    #expect(desk.state.notice?.text == "Too late: it was deleted for good after 5 s.")
  }

  @Test("an answer from before the transaction does not bring a dismissed item back")
  func lateAnswers() {
    var desk = desk()
    desk.isPrompt = false
    desk.send(.dataChanged)
    // The reader has answered already, without the dismissal.
    desk.press("d")
    #expect(desk.state.tray.rows.count == 1)
    desk.isPrompt = true
    desk.send(.tick(desk.now))
    #expect(desk.state.tray.rows.count == 1)
    #expect(desk.state.counts.tray == 1)
    #expect(desk.state.pending.changes.isEmpty)
  }

  @Test("a change that could not be stored is reverted, with a message")
  func failures() throws {
    var desk = desk()
    desk.isPrompt = false
    desk.press("d")
    let id = try operation(desk).id
    desk.answers = []
    var copy = InboxDesk(width: 80, height: 24)
    copy.arrive("build 1")
    copy.arrive("build 2")
    desk.shelf = copy.shelf
    desk.isPrompt = true
    desk.send(.change(.failed([id], "The disk is full. Nothing was lost.")))
    #expect(desk.state.tray.rows.count == 2)
    #expect(desk.state.notice?.kind == .error)
    #expect(desk.state.steps.done.isEmpty)
  }

  @Test("a link is opened only if it is plain, and that counts as opened")
  func links() throws {
    var desk = InboxDesk(width: 80, height: 24)
    func publish(_ url: String?) {
      desk.shelf.publish(
        Content(app: "ci", visual: VisualContent(title: "t"), clickURL: url), at: desk.now)
    }
    publish("javascript:alert(1)")
    publish("https://ci.example.com/412")
    desk.start()
    desk.press("o")
    #expect(desk.acts.first?.openedURL == "https://ci.example.com/412")
    #expect(try operation(desk).mutation == ItemCommand.activate.mutation)
    #expect(desk.state.notice?.text == "Opened the link.")
    desk.forgetActs()
    desk.press("o")
    #expect(desk.acts.isEmpty)
    #expect(desk.state.notice?.kind == .error)
  }

  @Test("a link without a program to open it is copied, and the item stays unchanged")
  func noBrowser() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.hasBrowser = false
    desk.shelf.publish(
      Content(app: "ci", visual: VisualContent(title: "t"), clickURL: "https://ci.example.com/412"),
      at: desk.now)
    desk.start()
    desk.press("o")
    #expect(
      desk.acts.count == 2 && desk.acts.last == .terminal(.copy("https://ci.example.com/412")))
    #expect(desk.state.notice?.text == "No browser here; the link is copied.")
    #expect(desk.state.counts.tray == 1 && desk.state.tray.rows.first?.readState == .unread)
  }

  @Test("opening a link again changes nothing")
  func openedAgain() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.shelf.publish(
      Content(app: "ci", visual: VisualContent(title: "t"), clickURL: "https://ci.example.com/412"),
      at: desk.now)
    desk.start()
    desk.press("2 o")
    desk.forgetActs()
    desk.press("o")
    #expect(desk.acts.count == 1 && desk.acts.first?.openedURL != nil)
  }

  @Test(
    "deceptive links are refused",
    arguments: [
      "https://user@example.com/", "https://example.com/\u{202E}gpj", "http:// example.com",
      "https://-x", "file:///etc/passwd", "mailto:", "https:///x", "http://a\nb", "--help",
    ])
  func badLinks(_ text: String) {
    #expect(Link(text) == nil)
  }

  @Test("plain links are accepted unchanged")
  func goodLinks() {
    for text in ["https://example.com/a?b=c#d", "http://127.0.0.1:80/", "mailto:a@example.com"] {
      #expect(Link(text)?.url == text)
    }
  }

  @Test("Esc returns from a search to the same item; Enter keeps its results to walk through")
  func search() {
    var desk = desk()
    desk.arrive("disk full", app: "nas")
    desk.press("G")
    let key = desk.state.tray.cursor?.key
    desk.press("/")
    desk.type("disk")
    #expect(desk.state.search?.list.rows.map(\.title) == ["disk full"])
    desk.press("Esc")
    #expect(desk.state.search == nil)
    #expect(desk.state.tray.cursor?.key == key)
    desk.press("n")
    #expect(desk.state.activeRow?.title == "disk full")
    desk.press("d")
    #expect(desk.acts.count { if case .change(.perform) = $0 { true } else { false } } == 1)
    desk.press("q")
    #expect(desk.state.search == nil)
    #expect(desk.acts.last == .slow(.cancelSearch))
  }

  @Test("typing a word never acts on items, whatever its letters")
  func typing() {
    var desk = desk()
    desk.press("/")
    desk.type("dxrsbu*oyqQR")
    #expect(desk.acts.isEmpty)
    #expect(desk.state.search?.field.text == "dxrsbu*oyqQR")
  }

  @Test("quitting with pending changes shows how many")
  func farewell() {
    var desk = desk()
    desk.send(.account(.connection(ConnectionStatus(.offline(since: nil), waiting: 4))))
    desk.press("q")
    #expect(
      desk.acts.last
        == .terminal(.quit(farewell: "4 changes are saved and will be sent next time."))
    )
  }
}
