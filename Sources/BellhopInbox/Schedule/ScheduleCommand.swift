import BellhopModel
import BellhopText

extension Command {
  static let scheduleCommands: [Command] = [editTime]

  static let editTime = Command(
    id: "edit-time", title: "edit time",
    help: "in the tab Later: change the time of a delivery or a snooze",
    synonyms: ["reschedule", "every"],
    keys: ["e"], places: .later, chapter: .handling, changesItems: true, footer: Footer(3),
    disabledReason: { $0.reasonAgainstItem },
    perform: { state, effects in
      guard let row = state.subject() else { return }
      if row.placement == .snoozed { return state.perform(.snooze, &effects) }
      effects.append(.read(.schedule(row.key)))
    })
}

/// The item whose schedule a menu changes, as the user was shown it.
struct ScheduleOrder: Hashable, Sendable {
  var key: ItemKey
  var seen: ShownVersion
  /// The schedule before the change.
  var before: Schedule
}

extension InboxState {
  /// Opens the menu for the times of an item, if the cursor is still on it.
  mutating func openScheduleMenu(_ detail: ItemDetail?, of key: ItemKey) {
    guard overlay.isNone, activeItem?.key == key else { return }
    guard let detail, let schedule = detail.schedule else {
      return say("This item has been delivered. To get it again, snooze it.")
    }
    let row = detail.row
    let order = ScheduleOrder(key: key, seen: row.version, before: schedule)
    switch schedule {
    case .once:
      overlay = .menu(
        SnoozeState(
          key: key, schedule: order, expires: row.expires,
          title: "Deliver at · " + shownTitle(of: row),
          choices: SnoozeChoice.choices(now: now, zone: zone, expires: row.expires)))
    case .trigger(let trigger):
      guard !trigger.isForPlace else {
        return say(
          "It is delivered " + TriggerText.phrase(trigger)
            + ". To change that, publish it again.")
      }
      overlay = .menu(RhythmMenu(order, trigger, title: shownTitle(of: row)))
    }
  }

  /// Gives an item another schedule, which can be undone.
  mutating func reschedule(
    _ order: ScheduleOrder, to schedule: Schedule, _ effects: inout [Effect]
  ) {
    closeOverlay()
    guard schedule != order.before else { return }
    let operation = Operation(
      id: ids.next(at: now), onShown: order.key.id, order.seen,
      mutation: .reschedule(schedule, at: now))
    steps.forgetUndone()
    steps.push(
      .schedule(order.key, back: order.before, made: schedule, operation.id))
    perform(operation, of: order.key, &effects)
    notice = Notice(
      .success, "It is delivered " + words(schedule) + ". " + keyHint(.undo) + " undoes it")
  }

  /// Gives an item back a schedule, unless it has another one since.
  ///
  /// - Parameter made: The operation that set the schedule to reverse.
  /// - Returns: The step that reverses this.
  mutating func reverseSchedule(
    _ key: ItemKey, back: Schedule, made: Schedule, by operation: OperationID, _ word: SafeText,
    _ effects: inout [Effect]
  ) -> UndoEntry {
    var reverse = Operation(
      id: ids.next(at: now), target: .item(key.id), mutation: .reschedule(back, at: now),
      expect: operation)
    reverse.seenOperations = [key.id: operation]
    perform(reverse, of: key, &effects)
    notice = Notice(.success, word + "it is delivered " + words(back) + ".")
    return .schedule(key, back: made, made: back, reverse.id)
  }

  private mutating func perform(
    _ operation: BellhopModel.Operation, of key: ItemKey, _ effects: inout [Effect]
  ) {
    effects.append(.change(.perform(account: key.account, operations: [operation])))
  }

  private func words(_ schedule: Schedule) -> SafeText {
    switch schedule {
    case .once(let time): timeText.full(time)
    case .trigger(let trigger): TriggerText.phrase(trigger)
    }
  }
}

extension UndoEntry {
  /// Creates the step that gives an item back its previous schedule.
  static func schedule(
    _ key: ItemKey, back: Schedule, made: Schedule, _ operation: OperationID
  ) -> UndoEntry {
    UndoEntry(
      operations: [Done(account: key.account, operation: operation)], lines: [], count: 1,
      kind: .schedule(key, back: back, made: made),
      // A placeholder that is never shown, because the texts are those of the schedule.
      change: .pin)
  }
}
