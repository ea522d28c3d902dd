import BellhopModel
import FoundationEssentials
import Testing

@Suite("Changed schedules")
struct ScheduleTests {
  private static let tomorrow = Sample.time(86_400)

  private func scheduled(
    _ change: (inout Content) -> Void = { _ in }
  ) -> UserNotification {
    var content = Content(
      app: "pills", visual: VisualContent(title: "Drink water"), deliverAt: Self.tomorrow)
    change(&content)
    var item = Sample.item(content)
    item.arrival = content.deliverAt ?? item.arrival
    return item
  }

  private func hourly(_ change: (inout Content) -> Void = { _ in }) throws -> UserNotification {
    let trigger = try Trigger(.interval(seconds: 3600), repeats: true)
    return scheduled {
      ($0.deliverAt, $0.trigger) = (nil, trigger)
      change(&$0)
    }
  }

  private func set(
    _ schedule: Schedule, of item: UserNotification, at made: Int64 = 60, now: Int64 = 60
  ) -> OperationOutcome {
    Operation(
      id: Sample.id(7), target: .item(item.id),
      mutation: .reschedule(schedule, at: Sample.time(made))
    ).apply(to: item, by: Sample.author, at: Sample.time(now), on: .utc)
  }

  private struct NotApplied: Error {}

  private func changed(_ outcome: OperationOutcome) throws -> UserNotification {
    guard case .applied(let item) = outcome else { throw NotApplied() }
    return item
  }

  @Test("an item that is delivered once arrives at its new time")
  func once() throws {
    let item = try changed(set(.once(at: Sample.time(600)), of: scheduled()))
    #expect(item.content.deliverAt == Sample.time(600))
    #expect(item.arrival == Sample.time(600))
    #expect(placement(item, at: Sample.time(599), on: .utc).placement == .scheduled)
    #expect(placement(item, at: Sample.time(600), on: .utc).placement == .tray)
  }

  @Test("one that was delivered and handled meanwhile is scheduled again, unread")
  func delivered() throws {
    var item = scheduled { $0.deliverAt = Sample.time(30) }
    item.state.readState = Register(.read)
    item.state.userActionState = Register(.dismissed)
    let again = try changed(set(.once(at: Sample.time(600)), of: item))
    #expect(again.state.readState.value == .unread)
    #expect(again.state.userActionState.value == .noInteraction)
    #expect(again.state.userActionState.change?.operation == Sample.id(7))
    #expect(placement(again, at: Sample.time(60), on: .utc).placement == .scheduled)
  }

  @Test("new times count from the user's change, however late the store learns of it")
  func late() throws {
    let trigger = try Trigger(.interval(seconds: 600), repeats: true)
    let item = try changed(set(.trigger(trigger), of: hourly(), at: 60, now: 5000))
    #expect(item.arrival == Sample.time(60))
    #expect(item.triggerTimes(at: Sample.time(61), on: .utc)?.next == Sample.time(660))
    let ahead = try changed(set(.trigger(trigger), of: hourly(), at: 9000, now: 5000))
    #expect(ahead.arrival == Sample.time(5000), "a device's clock may be ahead")
  }

  @Test("what was done with earlier occurrences, and a cancellation, does not count for new times")
  func fresh() throws {
    var item = try hourly()
    let change = RegisterChange(
      at: Sample.time(3600), by: Sample.author, operation: nil, occurrence: .number(1))
    item.state.userActionState = Register(.noInteraction).setting(.dismissed, change: change)
    item.state.cancelled = Register(true)
    let trigger = try Trigger(.interval(seconds: 600), repeats: true)
    let again = try changed(set(.trigger(trigger), of: item, at: 4000, now: 4000))
    #expect(!again.state.cancelled.value)
    #expect(placement(again, at: Sample.time(4600), on: .utc).placement == .tray)
  }

  @Test("a schedule of another kind, and one for a place, is not set")
  func kinds() throws {
    let trigger = try Trigger(.interval(seconds: 600), repeats: true)
    let crossing = try Trigger(.place(PlaceCrossing(.entry, of: "office")), repeats: true)
    #expect(set(.trigger(trigger), of: scheduled()) == .superseded)
    #expect(set(.once(at: Sample.time(600)), of: try hourly()) == .superseded)
    #expect(set(.trigger(crossing), of: try hourly()) == .superseded)
    #expect(set(.trigger(trigger), of: try hourly { $0.trigger = crossing }) == .superseded)
    #expect(set(.once(at: Self.tomorrow), of: scheduled()) == .unchanged)
  }

  @Test("a first delivery after the item has expired is refused, unless it is pinned")
  func expired() throws {
    let end = Sample.time(90_000)
    var item = scheduled { $0.expiration = end }
    #expect(set(.once(at: end), of: item) == .refused(latest: end))
    #expect(try changed(set(.once(at: Sample.time(89_999)), of: item)).content.expiration == end)
    item.state.pinned = Register(true)
    #expect(try changed(set(.once(at: end), of: item)).content.deliverAt == end)
    let daily = try Trigger(.interval(seconds: 89_940), repeats: true)
    #expect(
      set(.trigger(daily), of: try hourly { $0.expiration = end }) == .refused(latest: end))
  }

  @Test("its undo sets the former schedule, if the content is still the operation's")
  func undone() throws {
    let item = scheduled()
    let operation = Operation(
      id: Sample.id(7), target: .item(item.id),
      mutation: .reschedule(.once(at: Sample.time(600)), at: Sample.time(60)))
    let undo = try #require(operation.undo(id: Sample.id(8), before: item))
    #expect(undo.mutation == .reschedule(.once(at: Self.tomorrow), at: Sample.time(60)))
    #expect(undo.seenOperations == [item.id: operation.id])
    #expect(undo.expect == operation.id)
  }

  @Test("they keep their form on the wire")
  func coded() throws {
    let daily = try Trigger(
      .calendar(CalendarPattern(hour: 9), timeZone: "Europe/Berlin"), repeats: true)
    for schedule in [Schedule.once(at: Sample.time(600)), .trigger(daily)] {
      var operation = Operation(
        id: Sample.id(7), target: .item(Sample.id(1)),
        mutation: .reschedule(schedule, at: Sample.time(60)), seen: SequenceNumber(12))
      operation.seenOperations = [Sample.id(1): Sample.id(6)]
      let bytes = try JSONEncoder().encode(operation)
      #expect(try JSONDecoder().decode(Operation.self, from: bytes) == operation)
    }
    var several = Operation(
      id: Sample.id(7), target: .items([Sample.id(1), Sample.id(2)]), mutation: .delete)
    several.seenOperations = [Sample.id(2): Sample.id(6)]
    let bytes = try JSONEncoder().encode(several)
    #expect(try JSONDecoder().decode(Operation.self, from: bytes) == several)
  }

  @Test(
    "a form that says nothing, or too much, is refused",
    arguments: [
      #""notificationId": "\#(Self.id)", "reschedule": {"rescheduledDateTime": "2026-11-23T09:00:00Z"}"#,
      #""notificationId": "\#(Self.id)", "reschedule": {"deliverAfterDateTime": "2026-11-23T09:00:00Z"}"#,
      #""notificationIds": ["\#(Self.id)"], "reschedule": \#(Self.form)"#,
      #""notificationId": "\#(Self.id)", "delete": true, "reschedule": \#(Self.form)"#,
      #""notificationIds": ["\#(Self.id)"], "delete": true, "seenOperation": "\#(Self.id)""#,
      #""notificationIds": ["\#(Self.id)"], "delete": true, "seenOperations": []"#,
    ])
  func refused(members: String) {
    let text = #"{"id": "\#(Self.id)", \#(members)}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Operation.self, from: Data(text.utf8))
    }
  }

  private static let id = "0198c0de-0000-7000-8000-000000000000"
  private static let form =
    #"{"deliverAfterDateTime": "2026-11-23T09:00:00Z", "rescheduledDateTime": "2026-11-23T08:00:00Z"}"#
}
