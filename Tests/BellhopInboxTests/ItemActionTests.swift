import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Actions of items")
struct ItemActionTests {
  private static let rerun = ContentExtras.Action(
    id: "rerun", title: "Rerun", kind: .http, url: "https://ci.example.com/412/rerun")
  private static let assign = ContentExtras.Action(
    id: "assign", title: "Assign", kind: .reply, url: "https://ci.example.com/412/owner",
    method: "PUT", placeholder: "to whom?")
  private static let log = ContentExtras.Action(
    id: "log", title: "Log", kind: .open, options: ["clear"], url: "https://ci.example.com/412")
  private static let command = ContentExtras.Action(
    id: "command", title: "Command", kind: .copy, text: "make \u{1b}[31mtest\u{202e}\n")
  private static let approve = ContentExtras.Action(id: "approve", title: "Approve")
  private static let note = ContentExtras.Action(id: "note", title: "Note", kind: .reply)
  private static let drop = ContentExtras.Action(
    id: "drop", title: "Drop", kind: .report, options: ["destructive"])

  private func desk(
    _ actions: ContentExtras.Action..., width: Int = 80, height: Int = 24
  ) -> InboxDesk {
    var shelf = ItemShelf()
    for number in 1...2 {
      var content = Content(
        app: "ci", appNotificationID: "\(number)",
        visual: VisualContent(title: "build \(number)"))
      content.extras.actions = actions.isEmpty ? nil : actions
      shelf.publish(content, at: InboxDesk.morning)
    }
    var desk = InboxDesk(width: width, height: height, shelf: shelf)
    desk.start()
    desk.forgetActs()
    return desk
  }

  private struct Missing: Error {}

  private func menu(_ desk: InboxDesk) throws -> ActionMenu {
    guard case .menu(let menu as ActionMenu) = desk.state.overlay else { throw Missing() }
    return menu
  }

  private func operation(_ desk: InboxDesk) throws -> BellhopModel.Operation {
    for effect in desk.acts.reversed() {
      if case .change(.perform(_, let operations, _)) = effect {
        return try #require(operations.last)
      }
    }
    throw Missing()
  }

  private func run(_ desk: InboxDesk) throws -> ActionRun {
    for effect in desk.acts.reversed() {
      if case .item(.runAction(let run)) = effect { return run }
    }
    throw Missing()
  }

  private func notice(_ desk: InboxDesk) -> String { desk.state.notice?.text.string ?? "" }

  // MARK: - Options of categories

  @Test("an action that needs authentication is performed only after it")
  func authentication() throws {
    var action = Self.approve
    action.options = ["authenticationRequired"]
    var desk = desk(action)
    desk.press(". Enter")
    guard case .terminal(.authenticate(let order))? = desk.acts.last else { throw Missing() }
    #expect(order.action.id == "approve")
    #expect(throws: Missing.self) { try operation(desk) }
    desk.send(.terminal(.authenticated(order, failure: "you were not authenticated")))
    #expect(notice(desk) == "Approve: you were not authenticated. Nothing was done.")
    #expect(throws: Missing.self) { try operation(desk) }
    desk.send(.terminal(.authenticated(order, failure: nil)))
    guard case .set(let change) = try operation(desk).mutation else { throw Missing() }
    #expect(change.choice?.id == "approve")
  }

  @Test("a foreground action opens the item")
  func foreground() throws {
    var action = Self.approve
    action.options = ["foreground"]
    var desk = desk(action)
    desk.press(". Enter")
    #expect(desk.state.focus == .detail)
    #expect(try operation(desk).notificationIDs.count == 1)
  }

  // MARK: - The list

  @Test("the key shows them; digits, arrows, j and k choose; Esc closes")
  func opening() throws {
    var desk = desk(Self.approve, Self.note, Self.command)
    desk.press(".")
    #expect(try menu(desk).actions.map(\.id) == ["approve", "note", "command"])
    desk.press("j j j k")
    #expect(try menu(desk).selected == 2)
    desk.press("Esc")
    #expect(desk.state.overlay.isNone && desk.acts.isEmpty)
    desk.press(". 3")
    #expect(desk.acts.contains(.terminal(.copy("make [31mtest"))))
  }

  @Test("an item without actions says so, and names the key that opens its link")
  func none() {
    var desk = desk()
    desk.press(".")
    #expect(desk.state.overlay.isNone)
    #expect(notice(desk) == "This item has no actions.")
  }

  @Test("a report names action and content, leaves the tray as opened, and can be undone")
  func report() throws {
    var desk = desk(Self.approve)
    let row = try #require(desk.state.activeRow)
    desk.press(". Enter")
    let operation = try operation(desk)
    #expect(operation.seen == row.contentSequence)
    #expect(
      operation.mutation
        == .set(
          StateChange(
            readState: .read, userActionState: .activated, choice: ActionChoice(id: "approve"))))
    #expect(desk.state.counts.tray == 1)
    let change = desk.shelf.items[row.key.id]?.item.state.userActionState.change
    #expect(change?.choice == ActionChoice(id: "approve", title: "Approve"))
    desk.press("u")
    #expect(desk.state.counts.tray == 2)
    #expect(
      desk.shelf.items[row.key.id]?.item.state.userActionState.value == .noInteraction)
    desk.press("Ctrl-r")
    let again = desk.shelf.items[row.key.id]?.item.state.userActionState
    #expect(again?.value == .activated)
    #expect(again?.change?.choice == ActionChoice(id: "approve", title: "Approve"))
  }

  @Test("an action that clears the item dismisses it")
  func clearing() throws {
    var desk = desk(Self.log)
    desk.press(". 1")
    #expect(desk.acts.first?.openedURL == "https://ci.example.com/412")
    guard case .set(let change) = try operation(desk).mutation else { throw Missing() }
    #expect(change.userActionState == .dismissed && change.readState == .read)
    #expect(change.choice?.id == "log")
  }

  @Test("an action without a program for its link copies it, and is not reported as chosen")
  func noBrowser() {
    var desk = desk(Self.log)
    desk.hasBrowser = false
    desk.press(". 1")
    #expect(
      desk.acts.last == .terminal(.copy("https://ci.example.com/412")) && desk.acts.count == 2)
    #expect(notice(desk) == "No browser here; the link is copied.")
    #expect(desk.state.counts.tray == 2 && desk.state.steps.done.isEmpty)
  }

  @Test("a second choice on the same item is reported as well")
  func again() throws {
    var desk = desk(Self.approve, Self.note)
    desk.press("2 . 1")
    let first = try operation(desk)
    desk.press(". 2")
    desk.type("later")
    desk.press("Enter")
    let second = try operation(desk)
    #expect(first.id != second.id)
    guard case .set(let change) = second.mutation else { throw Missing() }
    #expect(change.choice == ActionChoice(id: "note", text: "later"))
  }

  @Test("a destructive action needs a confirmation, and only y confirms")
  func destructive() throws {
    var desk = desk(Self.drop)
    desk.press(". 1")
    #expect(desk.frame.glyphs.contains("Drop (marked destructive by the app)?  y yes  n no"))
    desk.press("Enter j 1")
    #expect(desk.acts.isEmpty)
    desk.press("n")
    #expect(desk.acts.isEmpty && desk.state.overlay.isNone)
    desk.press(". 1 y")
    #expect(try operation(desk).mutation != ItemCommand.activate.mutation)
  }

  @Test("an action that this version does not know is shown and cannot be chosen")
  func unknown() {
    var desk = desk(
      .init(id: "1", title: "Later", kind: .init(rawValue: "teleport")),
      .init(id: "2", title: "Evil", kind: .open, url: "javascript:alert(1)"),
      .init(id: "3", title: "Odd", kind: .http, url: "https://a@b.example/"))
    for key in ["1", "2", "3"] {
      desk.press(". \(key)")
      #expect(notice(desk).contains("cannot be chosen"))
      desk.press("Esc")
    }
    #expect(desk.acts.isEmpty)
  }

  // MARK: - Requests

  @Test(
    "a request is confirmed by method, host and path, and counts as chosen when its host took it")
  func request() throws {
    var desk = desk(Self.rerun)
    let row = try #require(desk.state.activeRow)
    desk.press(". 1")
    #expect(desk.acts.isEmpty)
    #expect(desk.frame.glyphs.contains("Rerun: POST to ci.example.com/412/rerun?"))
    desk.press("y")
    let run = try run(desk)
    #expect(run.call.url.host == "ci.example.com" && run.order.seen == row.version)
    #expect(notice(desk) == "Rerun: calling ci.example.com …")
    #expect(desk.state.counts.tray == 2)
    desk.send(.item(.actionFinished(run, .answered(204))))
    #expect(notice(desk) == "Rerun: 204 from ci.example.com")
    #expect(desk.state.counts.tray == 1)
    guard case .set(let change) = try operation(desk).mutation else { throw Missing() }
    #expect(change.choice == ActionChoice(id: "rerun"))
  }

  @Test("a request runs once at a time, and a second one is refused")
  func once() throws {
    var desk = desk(Self.rerun)
    desk.press(". 1 y . 1 y")
    #expect(desk.acts.count { if case .item(.runAction) = $0 { true } else { false } } == 1)
    #expect(notice(desk) == "Rerun is already in progress.")
    desk.send(.item(.actionFinished(try run(desk), .answered(500))))
    desk.press(". 1 y")
    #expect(desk.acts.count { if case .item(.runAction) = $0 { true } else { false } } == 2)
  }

  @Test(
    "a failed request leaves the item, and shows what is safe and what to do",
    arguments: [
      (
        ActionOutcome.answered(500),
        "Rerun: ci.example.com answered 500. The item stays; . tries again."
      ),
      (
        .answered(302),
        "Rerun: ci.example.com answered 302, a redirect that is not followed. "
          + "The item stays; . tries again."
      ),
      (
        .failed("there is no host named ci.example.com", mayBeDone: false),
        "Rerun: there is no host named ci.example.com. Nothing was sent; . tries again."
      ),
      (
        .refused("plain http is blocked. Set allow-private = true under [actions]."),
        "Not sent: plain http is blocked. Set allow-private = true under [actions]."
      ),
      (
        .failed("ci.example.com did not answer in 15 s", mayBeDone: true),
        "Rerun: ci.example.com did not answer in 15 s. It may have succeeded: check there."
      ),
    ])
  func failure(outcome: ActionOutcome, line: String) throws {
    var desk = desk(Self.rerun)
    desk.press(". 1 y")
    desk.send(.item(.actionFinished(try run(desk), outcome)))
    #expect(notice(desk) == line)
    #expect(desk.state.counts.tray == 2)
    #expect(throws: Missing.self) { try operation(desk) }
  }

  @Test("an answer that arrives while the user is elsewhere moves nothing")
  func late() throws {
    var desk = desk(Self.rerun)
    let first = try #require(desk.state.activeRow?.key)
    desk.press(". 1 y j Enter")
    #expect(desk.state.focus == .detail)
    let second = try #require(desk.state.activeRow?.key)
    desk.send(.item(.actionFinished(try run(desk), .answered(200))))
    #expect(desk.state.focus == .detail && desk.state.activeRow?.key == second)
    #expect(desk.shelf.items[first.id]?.item.state.userActionState.value == .activated)
  }

  @Test("the answer for content that was replaced meanwhile changes nothing")
  func replaced() throws {
    var desk = desk(Self.rerun)
    let key = try #require(desk.state.activeRow?.key)
    desk.press(". 1 y")
    let run = try run(desk)
    desk.arrive("build 2, again", id: "2")
    desk.send(.item(.actionFinished(run, .answered(200))))
    #expect(try operation(desk).seen == run.order.seen.content)
    #expect(desk.shelf.items[key.id]?.item.state.userActionState.value == .noInteraction)
  }

  @Test("an action of content replaced while the list was open is not chosen")
  func replacedBefore() {
    var desk = desk(Self.approve)
    desk.press(".")
    desk.arrive("build 2, again", id: "2")
    desk.press("1")
    #expect(desk.acts.isEmpty)
    #expect(notice(desk).hasSuffix("Nothing was done."))
  }

  // MARK: - Replies

  @Test("a reply is typed on one line, pasted into, and sent with its text")
  func reply() throws {
    var desk = desk(Self.assign)
    desk.press(". 1")
    #expect(desk.frame.glyphs.contains("to whom?"))
    desk.press("Enter")
    #expect(notice(desk).hasPrefix("Type something first"))
    desk.type("to m")
    desk.send(.paste("e\nnow"))
    #expect(desk.frame.glyphs.contains("to me now"))
    desk.press("Enter")
    let run = try run(desk)
    #expect(run.order.text == "to me now" && run.call.method == "PUT")
    desk.send(.item(.actionFinished(run, .answered(200))))
    guard case .set(let change) = try operation(desk).mutation else { throw Missing() }
    #expect(change.choice == ActionChoice(id: "assign", text: "to me now"))
  }

  @Test("a reply that is undone and redone is reported with its text, every time")
  func redone() throws {
    var desk = desk(Self.note)
    let key = try #require(desk.state.activeRow?.key)
    desk.press(". 1")
    desk.type("on my way")
    desk.press("Enter")
    let choice = ActionChoice(id: "note", text: "on my way")
    for _ in 0..<2 {
      #expect(desk.shelf.items[key.id]?.item.state.userActionState.value == .activated)
      desk.press("u")
      guard case .set(let undo) = try operation(desk).mutation else { throw Missing() }
      #expect(undo.userActionState == .noInteraction && undo.choice == nil)
      desk.press("Ctrl-r")
      guard case .set(let redo) = try operation(desk).mutation else { throw Missing() }
      #expect(redo.userActionState == .activated && redo.choice == choice)
    }
    #expect(notice(desk).hasPrefix("Redone"))
  }

  @Test("Esc returns from the reply to the list, and then closes")
  func back() throws {
    var desk = desk(Self.note)
    desk.press(". 1 a b Esc")
    guard case .choosing = try menu(desk).step else { throw Missing() }
    desk.press("Esc")
    #expect(desk.state.overlay.isNone && desk.acts.isEmpty)
  }

  @Test("a long reply shows its end, and is limited")
  func long() throws {
    var desk = desk(Self.note)
    desk.press(". 1")
    desk.type(String(repeating: "x", count: 2000) + "日本")
    guard case .typing(let field) = try menu(desk).step else { throw Missing() }
    #expect(field.text.utf8.count == ActionMenu.replyBytesMax)
    #expect((desk.frame.cursor?.x ?? 0) < 80)
  }

  // MARK: - Results

  @Test("lists and details show what was chosen, where, when, and what was typed")
  func told() throws {
    var desk = desk(Self.note, width: 120, height: 40)
    let id = try #require(desk.state.activeRow?.key.id)
    var operation = Operation(
      id: OperationID(high: 1, low: 99), target: .item(id), mutation: ItemCommand.activate.mutation)
    operation.mutation = .set(
      StateChange(
        readState: .read, userActionState: .activated,
        choice: ActionChoice(id: "note", text: "on my\nway")))
    desk.shelf.apply(
      operation, by: Author(kind: .device, id: "x", name: "desktop"), at: desk.now)
    desk.send(.dataChanged)
    // The ghost under the cursor shows it, and so does a key pressed on it.
    #expect(desk.frame.glyphs.contains("Note on desktop"))
    desk.press("d")
    #expect(notice(desk).contains("Note was chosen 06:14 on desktop"))
    desk.press("2")
    #expect(desk.frame.glyphs.contains("build 2 · Note"))
    #expect(desk.frame.glyphs.contains("Note · chosen on desktop · "))
    #expect(desk.frame.glyphs.contains("“on my way”"))
  }

  @Test("copied text can be pasted anywhere: no controls, nothing invisible, no line end")
  func clipboard() {
    #expect(ItemAction.clipboardText("a\tb\nc\n\n") == "a\tb\nc")
    #expect(ItemAction.clipboardText("\u{1b}[2Jx\u{0}\u{9b}\u{202e}y\u{200b}z\u{feff}") == "[2Jxyz")
    #expect(
      ItemAction.clipboardText("a\u{2028}b\u{1f468}\u{200d}\u{1f469}")
        == "a\nb\u{1f468}\u{200d}\u{1f469}")
    #expect(ItemAction.clipboardText("\r\n") == "")
  }
}
