import BellhopModel
import Testing

@Suite("Items with a trigger")
struct TriggeredItemTests {
  /// An item that is delivered every ten minutes after ``Sample/start``.
  private static func item(
    _ action: UserActionState = .noInteraction, for number: Int64? = nil, expires: Int64? = nil,
    display: Int64? = nil
  ) throws -> UserNotification {
    var item = Sample.item(
      Content(
        app: "pills", visual: VisualContent(title: "Drink water"),
        expiration: expires.map(Sample.time), displayTimeToLive: display.map { .seconds($0) },
        trigger: try Trigger(.interval(seconds: 600), repeats: true)))
    if let number {
      item.state.userActionState = Register(.noInteraction).setting(
        action,
        change: RegisterChange(
          at: Sample.time(number * 600), by: Sample.author, operation: nil,
          occurrence: .number(number)))
    }
    return item
  }

  private func span(_ item: UserNotification, at seconds: Int64) -> PlacementSpan {
    placement(item, at: Sample.time(seconds), on: .utc)
  }

  private func set(
    _ command: ItemCommand, of item: UserNotification, occurrence: Int64?, at seconds: Int64,
    id: UInt64 = 7
  ) -> OperationOutcome {
    Operation(
      id: Sample.id(id), target: .item(item.id), mutation: command.mutation,
      occurrences: occurrence.map { .label(.number($0)) }
    ).apply(to: item, by: Sample.author, at: Sample.time(seconds), on: .utc)
  }

  private func changed(
    _ command: ItemCommand, of item: UserNotification, occurrence: Int64?, at seconds: Int64,
    id: UInt64 = 7
  ) throws -> UserNotification {
    guard
      case .applied(let after) = set(
        command, of: item, occurrence: occurrence, at: seconds, id: id)
    else { throw NotApplied() }
    return after
  }

  private struct NotApplied: Error {}

  // MARK: Placement

  @Test("it is scheduled until the first occurrence, and in the tray from then on")
  func first() throws {
    let item = try Self.item()
    #expect(span(item, at: 0) == PlacementSpan(.scheduled, until: Sample.time(600)))
    #expect(span(item, at: 599) == PlacementSpan(.scheduled, until: Sample.time(600)))
    #expect(span(item, at: 600) == PlacementSpan(.tray, until: Sample.time(1200)))
    #expect(span(item, at: 6001) == PlacementSpan(.tray, until: Sample.time(6600)))
  }

  @Test("handling an occurrence leaves the next one as it is")
  func next() throws {
    let item = try Self.item(.dismissed, for: 2)
    #expect(span(item, at: 1200) == PlacementSpan(.handled, until: Sample.time(1800)))
    #expect(span(item, at: 1800) == PlacementSpan(.tray, until: Sample.time(2400)))
  }

  @Test("the next occurrence ends a snooze")
  func snooze() throws {
    let item = try Self.item(.snoozed(until: Sample.time(3600)), for: 1)
    #expect(span(item, at: 700) == PlacementSpan(.snoozed, until: Sample.time(1200)))
    #expect(span(item, at: 1200) == PlacementSpan(.tray, until: Sample.time(1800)))
    let short = try Self.item(.snoozed(until: Sample.time(900)), for: 1)
    #expect(span(short, at: 700) == PlacementSpan(.snoozed, until: Sample.time(900)))
    #expect(span(short, at: 900) == PlacementSpan(.tray, until: Sample.time(1200)))
  }

  @Test("time in the tray counts from each occurrence")
  func displayTime() throws {
    let item = try Self.item(display: 60)
    #expect(span(item, at: 600) == PlacementSpan(.tray, until: Sample.time(660)))
    #expect(span(item, at: 660) == PlacementSpan(.handled, until: Sample.time(1200)))
    #expect(span(item, at: 1200) == PlacementSpan(.tray, until: Sample.time(1260)))
  }

  @Test("the expiry ends it, also before an occurrence")
  func expiry() throws {
    let item = try Self.item(expires: 900)
    #expect(span(item, at: 600) == PlacementSpan(.tray, until: Sample.time(900)))
    #expect(span(item, at: 900) == PlacementSpan(.gone, until: nil))
    #expect(span(item, at: 1200) == PlacementSpan(.gone, until: nil))
    let early = try Self.item(expires: 500)
    #expect(span(early, at: 0) == PlacementSpan(.scheduled, until: Sample.time(500)))
  }

  @Test("a cancelled trigger has no occurrence after the one that was shown then")
  func cancelled() throws {
    let item = try Self.item(.dismissed, for: 2)
    // The store receives it when the third occurrence is over.
    let after = try changed(.cancel, of: item, occurrence: 2, at: 2000, id: 9)
    #expect(after.state.cancelled.change?.occurrence == .number(2))
    #expect(span(after, at: 2000) == PlacementSpan(.handled, until: nil))
    #expect(after.nextDelivery(after: Sample.time(1300), on: .utc) == nil)
    let latest = after.atLatestOccurrence(through: Sample.time(9000), on: .utc)
    #expect(latest?.arrival == Sample.time(1200))
    let resumed = try changed(.resume, of: after, occurrence: 2, at: 2000, id: 10)
    #expect(span(resumed, at: 2000) == PlacementSpan(.tray, until: Sample.time(2400)))
  }

  @Test("cancelling an item without a trigger changes nothing")
  func plain() throws {
    var item = try Self.item()
    item.content.trigger = nil
    #expect(set(.cancel, of: item, occurrence: nil, at: 1) == .unchanged)
  }

  @Test("what was done with a later occurrence counts, also after a late cancellation")
  func cancelledLate() throws {
    var item = try Self.item(.dismissed, for: 3)
    item.state.cancelled = Register(
      true, previous: false,
      change: RegisterChange(
        at: Sample.time(5000), by: Sample.author, operation: nil, occurrence: .number(2)))
    #expect(span(item, at: 2000) == PlacementSpan(.handled, until: nil))
    #expect(item.latestLabel(through: Sample.time(9000), on: .utc) == .number(3))
  }

  @Test("a device whose clock is ahead does not keep a cancelled trigger going")
  func cancelledBeforeHandledAhead() throws {
    var item = try Self.item(.dismissed, for: 5)
    item.state.cancelled = Register(
      true, previous: false,
      change: RegisterChange(
        at: Sample.time(1300), by: Sample.author, operation: nil, occurrence: .number(2)))
    #expect(item.latestLabel(through: Sample.time(2900), on: .utc) == .number(2))
    #expect(span(item, at: 2900) == PlacementSpan(.tray, until: Sample.time(3000)))
    // The one that it handled counts, and no other one.
    #expect(item.nextDelivery(after: Sample.time(1300), on: .utc) == Sample.time(3000))
    #expect(span(item, at: 3000) == PlacementSpan(.handled, until: nil))
    #expect(item.latestLabel(through: Sample.time(9000), on: .utc) == .number(5))
    #expect(item.nextDelivery(after: Sample.time(3000), on: .utc) == nil)
  }

  @Test("an item that was cancelled before its first delivery counts as handled")
  func neverDelivered() throws {
    var item = try Self.item()
    item.state.cancelled = Register(
      true, previous: false,
      change: RegisterChange(
        at: Sample.time(1), by: Sample.author, operation: nil, occurrence: .beforeFirst))
    #expect(span(item, at: 2000) == PlacementSpan(.handled, until: nil))
  }

  @Test("at an occurrence the user has it unread and untouched, with the time of the occurrence")
  func shown() throws {
    var item = try Self.item(.dismissed, for: 1)
    item.state.pinned = Register(true)
    #expect(item.atLatestOccurrence(through: Sample.time(599), on: .utc) == nil)
    let first = try #require(item.atLatestOccurrence(through: Sample.time(700), on: .utc))
    #expect(first.arrival == Sample.time(600))
    #expect(first.state.userActionState.value == .dismissed)
    let second = try #require(item.atLatestOccurrence(through: Sample.time(1300), on: .utc))
    #expect(second.arrival == Sample.time(1200))
    #expect(second.state.userActionState == Register(.noInteraction))
    #expect(second.state.pinned.value, "pinning counts for all occurrences")
    #expect(second.content == item.content)
  }

  // MARK: Operations

  @Test("a dismissal counts for the occurrence that was shown, whenever the store receives it")
  func late() throws {
    let item = try changed(.dismiss, of: Self.item(), occurrence: 1, at: 1300)
    #expect(span(item, at: 1199).placement == .handled)
    #expect(span(item, at: 1300).placement == .tray)
  }

  @Test("without a label, a dismissal counts for the latest occurrence at its time")
  func unlabelled() throws {
    let item = try changed(.dismiss, of: Self.item(), occurrence: nil, at: 1300)
    #expect(item.state.userActionState.change?.occurrence == .number(2))
    #expect(span(item, at: 1300).placement == .handled)
  }

  @Test("a late dismissal of an earlier occurrence leaves that of a later one, and needs no report")
  func order() throws {
    let item = try changed(.dismiss, of: Self.item(), occurrence: 2, at: 1300)
    #expect(set(.dismiss, of: item, occurrence: 1, at: 1400) == .unchanged)
    #expect(set(.restore, of: item, occurrence: 1, at: 1400) == .unchanged)
    #expect(set(.pin, of: item, occurrence: 1, at: 1400) != .unchanged, "pins have no occurrence")
    var late = Operation(
      id: Sample.id(8), target: .item(item.id), mutation: .set(StateChange()),
      occurrences: .label(.number(1)))
    func outcome() -> OperationOutcome {
      late.apply(to: item, by: Sample.author, at: Sample.time(1400), on: .utc)
    }
    late.mutation = .set(
      StateChange(userActionState: .activated, choice: ActionChoice(id: "taken", title: "Taken")))
    #expect(outcome() == .superseded, "the app does not receive the answer")
    late.mutation = ItemCommand.restore.mutation
    late.expect = Sample.id(9)
    #expect(outcome() == .superseded, "the undo does not bring it back")
    let back = try changed(.restore, of: item, occurrence: 2, at: 1400)
    #expect(span(back, at: 1400).placement == .tray)
  }

  @Test("a value of an earlier occurrence makes no change unnecessary")
  func again() throws {
    let once = try changed(.dismiss, of: Self.item(), occurrence: 1, at: 700)
    #expect(set(.dismiss, of: once, occurrence: 1, at: 710, id: 8) == .unchanged)
    let twice = try changed(.dismiss, of: once, occurrence: 2, at: 1300, id: 8)
    #expect(twice.state.userActionState.change?.occurrence == .number(2))
    #expect(
      twice.state.userActionState.previous == .noInteraction,
      "it was untouched at its second occurrence")
    #expect(set(.restore, of: once, occurrence: 2, at: 1300, id: 8) == .unchanged)
  }

  @Test("undo gives back what the occurrence had before")
  func undo() throws {
    let once = try changed(.dismiss, of: Self.item(), occurrence: 1, at: 700)
    let dismissal = Operation(
      id: Sample.id(9), target: .items([once.id]), mutation: ItemCommand.dismiss.mutation,
      occurrences: .labels([once.id: .number(2)]))
    guard
      case .applied(let twice) = dismissal.apply(
        to: once, by: Sample.author, at: Sample.time(1300), on: .utc)
    else { throw NotApplied() }
    let undo = try #require(dismissal.undo(id: Sample.id(10), before: once))
    guard
      case .applied(let back) = undo.apply(
        to: twice, by: Sample.author, at: Sample.time(1310), on: .utc)
    else { throw NotApplied() }
    #expect(back.state.userActionState.value == .noInteraction)
    #expect(back.state.userActionState.change?.occurrence == .number(2))
    #expect(span(back, at: 1310).placement == .tray)
    let late = undo.apply(to: once, by: Sample.author, at: Sample.time(1310), on: .utc)
    #expect(late == .superseded, "only what it undoes may change")
  }

  @Test("a bulk operation handles the occurrences up to its time, and none before the first")
  func bulk() throws {
    var unread = Predicate()
    unread.readState = .unread
    func operation(through seconds: Int64) -> Operation {
      Operation(
        id: Sample.id(11), target: .matching(unread, through: SequenceNumber(100)),
        mutation: ItemCommand.dismiss.mutation, occurrences: .through(Sample.time(seconds)))
    }
    let read = try changed(.read, of: Self.item(), occurrence: 1, at: 700)
    let now = Sample.time(1300)
    #expect(!operation(through: 500).means(try Self.item(), at: now, on: .utc))
    #expect(!operation(through: 1199).means(read, at: now, on: .utc), "read at that time")
    #expect(operation(through: 1200).means(read, at: now, on: .utc), "unread again")
    guard
      case .applied(let after) = operation(through: 1199).apply(
        to: try Self.item(), by: Sample.author, at: now, on: .utc)
    else { throw NotApplied() }
    #expect(after.state.userActionState.change?.occurrence == .number(1))
    #expect(span(after, at: 1300).placement == .tray, "the later occurrence is not handled")
    // The undo of the bulk operation sets back what it set.
    let undo = Operation(
      id: Sample.id(12), target: .setBy(Sample.id(11)), mutation: .restorePrevious)
    #expect(undo.means(after, at: now, on: .utc))
    guard
      case .applied(let back) = undo.apply(to: after, by: Sample.author, at: now, on: .utc)
    else { throw NotApplied() }
    #expect(back.state.userActionState.value == .noInteraction)
    #expect(back.state.userActionState.change?.occurrence == .number(1))
  }

  @Test("an item that loses its trigger can be handled")
  func withoutTrigger() throws {
    var item = try changed(.dismiss, of: Self.item(), occurrence: 2, at: 1300)
    item.content.trigger = nil
    #expect(span(item, at: 1300).placement == .handled)
    let back = try changed(.restore, of: item, occurrence: nil, at: 1310)
    #expect(span(back, at: 1310).placement == .tray)
  }
}
