import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Filtering a list")
struct FilterTests {
  private func desk(width: Int = 80) -> InboxDesk {
    var desk = InboxDesk(width: width, height: 24)
    desk.start()
    for number in 0..<6 {
      desk.arrive(
        "build \(number)", app: number.isMultiple(of: 2) ? "ci" : "nas",
        priority: number < 2 ? .high : .normal)
    }
    return desk
  }

  private func titles(_ desk: InboxDesk) -> [String] {
    desk.state[desk.state.activeList].rows.map(\.title.string)
  }

  @Test("while typing, the list shows what matches, and keys act on what is shown")
  func typing() {
    var desk = desk()
    desk.press("f")
    desk.type("app:nas")
    #expect(titles(desk) == ["build 5", "build 3", "build 1"])
    desk.type(" prio:>=high")
    #expect(titles(desk) == ["build 1"])
    #expect(desk.acts.isEmpty)
    desk.press("Enter d")
    #expect(desk.acts.count { if case .change(.perform) = $0 { true } else { false } } == 1)
    #expect(titles(desk).isEmpty)
    desk.press("Esc")
    #expect(titles(desk).count == 5)
    #expect(desk.state.filter == nil)
  }

  @Test("an invalid filter leaves the list unchanged, and cannot be applied")
  func problem() {
    var desk = desk()
    desk.press("f")
    desk.type("app:nas is:lo")
    #expect(titles(desk) == ["build 5", "build 3", "build 1"])
    desk.press("Enter")
    #expect(desk.state.isTyping)
    #expect(desk.state.notice?.text.string.contains("“lo”") == true)
    desk.press("Backspace Backspace")
    desk.type("read")
    desk.press("Enter")
    #expect(!desk.state.isTyping)
    #expect(titles(desk).isEmpty)
  }

  @Test("an error in a field's name is shown in full at 80 columns")
  func shortProblem() {
    var desk = desk()
    desk.press("f")
    desk.type("colour:red")
    let words = "No field “colour”: app, group, tag, is, prio, after, before, on."
    #expect(desk.frame.glyphs.contains(words))
    desk.press("Enter")
    #expect(desk.frame.glyphs.contains(words) && desk.state.isTyping)
  }

  @Test("a field without a value yet is not an error, and shows the expected values")
  func fieldWithoutValue() {
    var desk = desk()
    desk.press("f")
    for (text, hint) in [("tag:", "a tag"), ("group:", "a group's name")] {
      desk.type(text)
      #expect(desk.state.filterProblem == nil)
      #expect(desk.frame.glyphs.contains(hint))
      #expect(!desk.frame.glyphs.contains("needs"))
      desk.press(Array(repeating: "Backspace", count: text.count).joined(separator: " "))
    }
    desk.type("tag:")
    desk.press("Enter")
    #expect(desk.state.isTyping)
    #expect(desk.state.notice?.text.string == "“tag:” needs a tag.")
  }

  @Test("a field that is only begun filters nothing, and Enter takes it as a word")
  func unfinished() {
    var desk = desk()
    desk.press("f")
    desk.type("app:nas i")
    #expect(titles(desk).count == 3)
    desk.type("s")
    #expect(titles(desk).count == 3)
    desk.press("Enter")
    #expect(titles(desk).isEmpty)
  }

  @Test("Esc returns to the previous filter, then to the whole list, and then does nothing")
  func leaving() {
    var desk = desk()
    desk.press("f")
    desk.type("app:ci")
    desk.press("Enter f")
    desk.type(" is:read")
    #expect(titles(desk).isEmpty)
    desk.press("Esc")
    #expect(titles(desk) == ["build 4", "build 2", "build 0"])
    desk.press("Esc")
    #expect(titles(desk).count == 6)
    desk.press("f Esc")
    #expect(desk.state.filter == nil)
    desk.press("f")
    desk.type("x")
    desk.press("Backspace Backspace")
    #expect(desk.state.filter == nil)
  }

  @Test("q removes the filter before it quits")
  func closing() {
    var desk = desk()
    desk.press("f")
    desk.type("app:ci")
    desk.press("Enter q")
    #expect(desk.state.filter == nil)
    #expect(!desk.acts.contains(.terminal(.quit(farewell: nil))))
    desk.press("q")
    #expect(desk.acts.last == .terminal(.quit(farewell: nil)))
  }

  @Test("each tab has its own filter, over both panes of the tray")
  func tabs() {
    var desk = desk(width: 120)
    desk.press("g g d d f")
    desk.type("app:ci")
    desk.press("Enter")
    #expect(desk.state[.tray].rows.map(\.title) == ["build 2", "build 0"])
    #expect(desk.state[.handled].rows.map(\.title) == ["build 4"])
    desk.press("2")
    #expect(titles(desk).count == 6)
    desk.press("1")
    #expect(titles(desk).count == 2)
  }

  @Test("an arrival joins a filtered list only if it matches")
  func arrivals() {
    var desk = desk()
    desk.press("f")
    desk.type("app:ci")
    desk.press("Enter")
    desk.arrive("other", app: "nas")
    desk.arrive("more", app: "ci")
    #expect(titles(desk).first == "more")
    #expect(titles(desk).count == 4)
    // An undo does not add items that do not match either.
    desk.press("Esc G")
    desk.press("d f")
    desk.type("prio:normal app:ci")
    desk.press("Enter u")
    #expect(!titles(desk).contains("build 0"))
  }

  @Test("Tab completes the common prefix, names of apps too")
  func completion() {
    var desk = desk()
    desk.press("f")
    desk.type("ap")
    desk.press("Tab")
    #expect(desk.state.filter?.field.text == "app:")
    desk.type("n")
    desk.press("Tab")
    #expect(desk.state.filter?.field.text == "app:nas ")
    desk.type("is:un")
    desk.press("Tab")
    #expect(desk.state.filter?.field.text == "app:nas is:unread ")
  }

  @Test("a snooze accepts a typed time, and reports one that it cannot parse")
  func typedSnooze() {
    var desk = desk()
    desk.press("s 6")
    desk.type("nonsense")
    desk.press("Enter")
    #expect(desk.acts.isEmpty)
    #expect(desk.state.notice?.text.string.contains("nonsense") == true)
    desk.press("Ctrl-u")
    desk.type("in 2 h")
    desk.press("Enter")
    #expect(desk.state.overlay.isNone)
    guard case .change(.perform(_, let operations, _))? = desk.acts.last else {
      Issue.record("nothing was done")
      return
    }
    let until = desk.now.advanced(by: .seconds(7200))
    #expect(
      operations.first?.mutation == .set(StateChange(userActionState: .snoozed(until: until))))
    // A letter starts a time at once; Esc returns to the choices, and then closes.
    desk.press("s t")
    desk.type("omorrow")
    desk.press("Esc Esc")
    #expect(desk.state.overlay.isNone)
    #expect(desk.acts.count { if case .change(.perform) = $0 { true } else { false } } == 1)
  }

  @Test("a paste is text of the filter, never keys")
  func paste() {
    var desk = desk()
    desk.press("f")
    desk.send(.paste("app:ci\nd x"))
    #expect(desk.acts.isEmpty)
    #expect(desk.state.filter?.field.text.hasPrefix("app:ci") == true)
  }
}
