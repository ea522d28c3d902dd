import BellhopModel
import BellhopScreen
import BellhopText
import BellhopTime

/// The line in which a user types other times for an item that a trigger delivers.
struct RhythmMenu: LineMenu {
  let order: ScheduleOrder
  let title: SafeText
  /// The time zone of the present times; nil for that of each device.
  private let timeZone: String?
  private let repeats: Bool
  var field = TextField()

  private static let examples: SafeText = "2h, mon,fri 9:00, weekdays 8:00, 1. 9:00"

  init(_ order: ScheduleOrder, _ trigger: Trigger, title: SafeText) {
    self.order = order
    self.title = "Now " + TriggerText.phrase(trigger) + " · " + title
    timeZone = if case .calendar(_, let zone) = trigger.kind { zone } else { nil }
    repeats = trigger.repeats
  }

  var hints: [MenuHint] { [MenuHint("Enter", "change"), MenuHint("Esc", "cancel")] }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    var line = MenuLine()
    line.add(repeats ? "every " : "at ", .text)
    let text = field.drawn
    line.addTyped(text)
    line.add(.blanks(max(2, 14 - text.width)), .text)
    switch trigger {
    case .success(let trigger):
      line.add(TriggerText.phrase(trigger), .snoozed)
    case .failure(let problem):
      line.add(field.text.isEmpty ? Self.examples : SafeText(problem.description), .dim)
    }
    return line
  }

  private var trigger: Result<Trigger, WhenPhrase.SyntaxError> {
    RepeatPhrase.trigger(field.text, zone: timeZone, repeats: repeats)
  }

  func submit(_ state: inout InboxState, _ effects: inout [Effect]) {
    switch trigger {
    case .success(let trigger): state.reschedule(order, to: .trigger(trigger), &effects)
    case .failure(let problem): state.notice = Notice(.error, SafeText(problem.description))
    }
  }
}
