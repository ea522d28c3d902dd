import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Changing when an item is delivered, on the screen")
struct ScheduleMenuTests {
  private static let hour = Duration.seconds(3600)

  private func desk(_ change: (inout Content) -> Void) -> InboxDesk {
    var shelf = ItemShelf()
    var content = Content(app: "pills", visual: VisualContent(title: "Drink water"))
    change(&content)
    shelf.publish(content, at: InboxDesk.morning)
    var desk = InboxDesk(width: 80, height: 24, shelf: shelf)
    desk.start()
    desk.type("3")
    desk.forgetActs()
    return desk
  }

  private func operations(_ desk: InboxDesk) -> [BellhopModel.Operation] {
    desk.acts.flatMap { act -> [BellhopModel.Operation] in
      if case .change(.perform(_, let operations, _)) = act { operations } else { [] }
    }
  }

  private func notice(_ desk: InboxDesk) -> String { desk.state.notice?.text.string ?? "" }

  @Test("a scheduled item gets the time that is typed, and undo and redo change it back and again")
  func once() throws {
    let first = InboxDesk.morning.advanced(by: Self.hour)
    var desk = desk { $0.deliverAt = first }
    desk.type("e")
    #expect(desk.frame.glyphs.contains("Deliver at · Drink water"))
    desk.type("in 2h")
    desk.press("Enter")
    let made = try #require(operations(desk).first)
    guard case .reschedule(.once(let time), let at) = made.mutation else {
      Issue.record("no change of the time: \(made)")
      return
    }
    #expect(time == at.advanced(by: .seconds(7200)))
    #expect(made.seen != nil)
    #expect(notice(desk).hasPrefix("It is delivered "))
    desk.forgetActs()
    desk.type("u")
    let undo = try #require(operations(desk).first)
    #expect(undo.expect == made.id)
    #expect(undo.seenOperations == [made.notificationIDs[0]: made.id])
    guard case .reschedule(.once(first), _) = undo.mutation else {
      Issue.record("not the former time: \(undo)")
      return
    }
    desk.forgetActs()
    desk.press("Ctrl-r")
    let redo = try #require(operations(desk).first)
    #expect(redo.expect == undo.id)
    guard case .reschedule(.once(time), _) = redo.mutation else {
      Issue.record("not the new time: \(redo)")
      return
    }
  }

  @Test("an item that repeats gets the times that are typed, in the zone of its present ones")
  func rhythm() throws {
    let daily = try Trigger(
      .calendar(CalendarPattern(hour: 9), timeZone: "Europe/Berlin"), repeats: true)
    var desk = desk { $0.trigger = daily }
    desk.type("e")
    #expect(desk.frame.glyphs.contains("Now daily at 09:00, Europe/Berlin · Drink water"))
    desk.type("mon 8:30")
    #expect(desk.frame.glyphs.contains("Mon at 08:30, Europe/Berlin"))
    desk.press("Enter")
    let wanted = try Trigger(
      .calendar(CalendarPattern(minute: 30, hour: 8, weekdays: [2]), timeZone: "Europe/Berlin"),
      repeats: true)
    let made = try #require(operations(desk).first)
    guard case .reschedule(.trigger(wanted), _) = made.mutation else {
      Issue.record("not the new times: \(made)")
      return
    }
  }

  @Test("a text that is no time is explained, and Escape changes nothing")
  func mistakes() throws {
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    var desk = desk { $0.trigger = hourly }
    desk.type("enonsense")
    desk.press("Enter")
    #expect(notice(desk).contains("“nonsense” is not understood"))
    desk.press("Esc")
    #expect(desk.state.overlay.isNone)
    #expect(operations(desk).isEmpty)
  }

  @Test("a snoozed item gets another snooze, and the key keeps its meaning in other tabs")
  func others() {
    var desk = desk { _ in }
    desk.type("1")
    desk.type("s")
    desk.press("Enter")
    desk.type("3")
    desk.forgetActs()
    desk.type("e")
    #expect(desk.frame.glyphs.contains("Snooze until · Drink water"))
    desk.press("Esc")
    desk.type("2e")
    #expect(notice(desk) == "This item has no attachments.")
  }

  @Test("the times of a place are not edited")
  func place() throws {
    let office = try Trigger(.place(PlaceCrossing(.entry, of: "office")), repeats: true)
    var desk = desk { $0.trigger = office }
    desk.type("e")
    #expect(notice(desk).contains("on arrival at office"))
    #expect(desk.state.overlay.isNone)
  }
}
