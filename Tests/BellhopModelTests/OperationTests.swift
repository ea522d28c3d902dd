import BellhopModel
import Testing

@Suite("Operations")
struct OperationTests {
  let now = Sample.time(60)

  func applied(_ operation: BellhopModel.Operation, to item: UserNotification) throws
    -> UserNotification
  {
    guard
      case .applied(let result) = operation.apply(to: item, by: Sample.author, at: now, on: .utc)
    else {
      throw NotApplied()
    }
    return result
  }

  struct NotApplied: Error {}

  @Test(
    "each command sets its registers and no other",
    arguments: [
      (ItemCommand.read, ReadState.read, UserActionState.noInteraction, false),
      (.activate, .read, .activated, false),
      (.dismiss, .unread, .dismissed, false),
      (.snooze(until: Sample.time(600)), .unread, .snoozed(until: Sample.time(600)), false),
      (.pin, .unread, .noInteraction, true),
    ])
  func commands(command: ItemCommand, read: ReadState, action: UserActionState, isPinned: Bool)
    throws
  {
    let item = try applied(Sample.operation(command), to: Sample.item())
    #expect(item.state.readState.value == read)
    #expect(item.state.userActionState.value == action)
    #expect(item.state.pinned.value == isPinned)
  }

  @Test("a changed register records its old value, when, by whom and by which operation")
  func provenance() throws {
    let operation = Sample.operation(.dismiss)
    let item = try applied(operation, to: Sample.item())
    #expect(item.state.userActionState.previous == .noInteraction)
    #expect(
      item.state.userActionState.change
        == RegisterChange(at: now, by: Sample.author, operation: operation.id))
    #expect(item.state.readState.change == nil)
  }

  @Test("applying an operation twice changes nothing the second time")
  func idempotent() throws {
    let operation = Sample.operation(.dismiss)
    let once = try applied(operation, to: Sample.item())
    #expect(
      operation.apply(to: once, by: Sample.author, at: Sample.time(90), on: .utc) == .unchanged)
  }

  @Test("reading on one device and dismissing on another both survive, in either order")
  func independentRegisters() throws {
    let read = Sample.operation(.read, number: 1)
    let dismiss = Sample.operation(.dismiss, number: 2)
    let one = try applied(dismiss, to: applied(read, to: Sample.item()))
    let other = try applied(read, to: applied(dismiss, to: Sample.item()))
    #expect(one.state.readState.value == .read && one.state.userActionState.value == .dismissed)
    #expect(one.state == other.state)
  }

  @Test("content that the user has not seen is not handled")
  func seenGuard() {
    let replaced = Sample.item(contentSequence: 9)
    for command in [ItemCommand.dismiss, .read, .delete, .snooze(until: Sample.time(600))] {
      let outcome = Sample.operation(command, seen: 5)
        .apply(to: replaced, by: Sample.author, at: now, on: .utc)
      #expect(outcome == .superseded)
    }
    let current = Sample.operation(.delete, seen: 9)
    #expect(current.apply(to: replaced, by: Sample.author, at: now, on: .utc) == .deleted)
  }

  @Test("older content than the user saw, as in a restored store, is not handled")
  func olderContent() {
    let older = Sample.item(contentSequence: 4)
    let single = Sample.operation(.dismiss, seen: 9)
    #expect(single.apply(to: older, by: Sample.author, at: now, on: .utc) == .superseded)
    var several = single
    several.target = .items([older.id])
    let outcome = several.apply(to: older, by: Sample.author, at: now, on: .utc)
    #expect(outcome != .superseded, "of several, the number is the newest they may have")
  }

  @Test("of several items, each must have exactly the content that the user saw")
  func seenEach() {
    let (one, two): (NotificationID, NotificationID) = (Sample.id(1), Sample.id(2))
    func dismiss(_ shown: [(NotificationID, Int64)]) -> BellhopModel.Operation {
      BellhopModel.Operation(
        id: Sample.id(7), onShown: shown.map { ($0, ShownVersion(content: SequenceNumber($1))) },
        mutation: ItemCommand.dismiss.mutation)
    }
    func isLeftAlone(_ content: Int64, by operation: BellhopModel.Operation) -> Bool {
      operation.apply(
        to: Sample.item(contentSequence: content), by: Sample.author, at: now, on: .utc)
        == .superseded
    }
    let both = dismiss([(one, 4), (two, 9)])
    #expect(both.seen == SequenceNumber(9), "what a store of an earlier version goes by")
    #expect(!isLeftAlone(4, by: both))
    #expect(isLeftAlone(7, by: both), "replaced, and older than the content of the other")
    #expect(isLeftAlone(3, by: both), "a restored store may hold an older one")
    #expect(isLeftAlone(4, by: dismiss([(two, 9)])), "it was not shown")
    let second = both.only { id, content in id == two && content == SequenceNumber(9) }
    #expect(second == dismiss([(two, 9)]))
  }

  /// The item with further repeats of its content, the last one under this content sequence.
  private func repeated(_ item: UserNotification, at sequence: Int64) -> UserNotification {
    var item = item
    item.state.meaning = item.state.meaningSequence
    item.state.sequence = SequenceNumber(sequence)
    item.state.contentSequence = SequenceNumber(sequence)
    return item
  }

  @Test("a dismissal made before a repeat still dismisses")
  func beforeRepeat() throws {
    let item = repeated(Sample.item(contentSequence: 5), at: 9)
    #expect(item.state.meaningSequence == SequenceNumber(5))
    for seen: Int64 in [5, 7, 9] {
      let single = Sample.operation(.dismiss, seen: seen)
      #expect(try applied(single, to: item).state.userActionState.value == .dismissed)
      let each = BellhopModel.Operation(
        id: Sample.id(7), onShown: [(item.id, ShownVersion(content: SequenceNumber(seen)))],
        mutation: ItemCommand.dismiss.mutation)
      #expect(try applied(each, to: item).state.userActionState.value == .dismissed)
      var several = single
      several.target = .items([item.id])
      #expect(try applied(several, to: item).state.userActionState.value == .dismissed)
    }
    for (through, isMeant) in [(4, false), (5, true), (9, true)] as [(Int64, Bool)] {
      let bulk = BellhopModel.Operation(
        id: Sample.id(7), target: .matching(Predicate(), through: SequenceNumber(through)),
        mutation: ItemCommand.dismiss.mutation)
      #expect(bulk.means(item, at: now, on: .utc) == isMeant, "through \(through)")
    }
  }

  @Test("a dismissal of an earlier round does not dismiss the item that came back")
  func earlierRound() {
    // It came back under 9, and was repeated under 12.
    let item = repeated(Sample.item(contentSequence: 9), at: 12)
    let single = Sample.operation(.dismiss, seen: 5)
    #expect(single.apply(to: item, by: Sample.author, at: now, on: .utc) == .superseded)
    var several = single
    several.target = .items([item.id])
    #expect(several.apply(to: item, by: Sample.author, at: now, on: .utc) == .superseded)
    several.seenEach = [item.id: SequenceNumber(5)]
    #expect(several.apply(to: item, by: Sample.author, at: now, on: .utc) == .superseded)
  }

  @Test("content that a restored store holds older is superseded, repeats or not")
  func olderRepeat() {
    let plain = Sample.item(contentSequence: 6)
    for item in [plain, repeated(Sample.item(contentSequence: 4), at: 6)] {
      let single = Sample.operation(.dismiss, seen: 9)
      #expect(single.apply(to: item, by: Sample.author, at: now, on: .utc) == .superseded)
      var each = single
      each.target = .items([item.id])
      each.seenEach = [item.id: SequenceNumber(9)]
      #expect(each.apply(to: item, by: Sample.author, at: now, on: .utc) == .superseded)
    }
  }

  @Test("versions of an item are the same if only repeats came between")
  func versions() {
    let shown = ShownVersion(content: SequenceNumber(5))
    let repeated = ShownVersion(content: SequenceNumber(9), meaning: SequenceNumber(5))
    let replaced = ShownVersion(content: SequenceNumber(9))
    #expect(shown.isSame(as: repeated) && shown != repeated)
    #expect(!shown.isSame(as: replaced))
    let own = ShownVersion(content: SequenceNumber(5), operation: Sample.id(1))
    #expect(!shown.isSame(as: own))
    let bound = ShownBound(through: SequenceNumber(6))
    let some = ShownBound(
      through: SequenceNumber(6), contents: [Sample.id(1): SequenceNumber(5)])
    for bound in [bound, some] {
      #expect(bound.includes(Sample.id(1), repeated, arrival: now))
      #expect(!bound.includes(Sample.id(1), replaced, arrival: now))
    }
  }

  @Test("undo restores the value before, unless another change came since")
  func undo() throws {
    let before = Sample.item()
    let dismiss = Sample.operation(.dismiss, number: 1)
    let undo = try #require(dismiss.undo(id: Sample.id(2), before: before))
    let dismissed = try applied(dismiss, to: before)
    #expect(try applied(undo, to: dismissed).state.userActionState.value == .noInteraction)

    let snoozed = try applied(
      Sample.operation(.snooze(until: Sample.time(600)), number: 3), to: dismissed)
    #expect(undo.apply(to: snoozed, by: Sample.author, at: now, on: .utc) == .superseded)
    #expect(Sample.operation(.delete).undo(id: Sample.id(4), before: before) == nil)
  }

  @Test("a bulk operation is undone by the operation that set the registers")
  func restorePrevious() throws {
    let bulk = Sample.operation(.activate, number: 1)
    let activated = try applied(bulk, to: Sample.item())
    let undo = BellhopModel.Operation(
      id: Sample.id(2), target: .setBy(bulk.id), mutation: .restorePrevious)
    let back = try applied(undo, to: activated)
    #expect(back.state.readState.value == .unread)
    #expect(back.state.userActionState.value == .noInteraction)
    #expect(undo.apply(to: Sample.item(), by: Sample.author, at: now, on: .utc) == .unchanged)
  }

  @Test("a snooze past the expiry is refused with the latest allowed time")
  func snoozePastExpiry() {
    var content = Content(app: "ci", visual: VisualContent(title: "t"))
    content.expiration = Sample.time(300)
    let late = Sample.operation(.snooze(until: Sample.time(301)))
    let outcome = late.apply(to: Sample.item(content), by: Sample.author, at: now, on: .utc)
    #expect(outcome == .refused(latest: Sample.time(300)))
  }

  @Test("an operation on a rule leaves items alone")
  func ruleApart() {
    let change = BellhopModel.Operation(
      id: Sample.id(9), target: .rule(Sample.id(1)), mutation: .changeRule(.removal))
    #expect(change.apply(to: Sample.item(), by: Sample.author, at: now, on: .utc) == .unchanged)
    #expect(change.notificationIDs.isEmpty && !change.selectsItems && change.app == nil)
    #expect(change.rule == Sample.id(1))
  }

  @Test("an operation on settings leaves items alone, and one on items leaves settings alone")
  func apart() {
    let configure = BellhopModel.Operation(
      id: Sample.id(9), target: .app("nas"), mutation: .configure(Sample.change))
    #expect(configure.apply(to: Sample.item(), by: Sample.author, at: now, on: .utc) == .unchanged)
    let settings = AppSettings(app: "nas", displayName: "NAS", retentionDays: 3)
    #expect(
      configure.apply(to: settings, by: Sample.author, at: now)
        == AppSettings(app: "nas", mute: .until(Sample.time(600)), retentionDays: 3))
    #expect(Sample.operation(.read).apply(to: settings, by: Sample.author, at: now) == settings)
  }
}
