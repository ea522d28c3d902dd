import BellhopModel
import BellhopScreen
import BellhopText

/// A tour of five things to try; each step ends once the user has done it.
enum Tour: Int, CaseIterable, Sendable {
  case move, dismiss, undo, search, snooze, help

  /// The number of steps shown; dismissing and undoing it count as one.
  private static let count = 5

  private var number: Int { rawValue < Tour.undo.rawValue ? rawValue + 1 : rawValue }

  var next: Tour? { Tour(rawValue: rawValue + 1) }
}

/// The facts that show whether a step of the tour is done.
struct TourFacts: Hashable, Sendable {
  var cursor: RowID?
  var steps: Int
  var isDismissed: Bool
  var isSnoozed: Bool
  var isSearching: Bool
  var isHelpOpen: Bool

  init(_ state: InboxState) {
    cursor = state[state.activeList].cursor?.rowID
    steps = state.steps.done.count
    let action = state.steps.done.last?.change.registers.userActionState
    isDismissed = action == .dismissed
    isSnoozed = action?.kind == .snoozed
    isSearching = state.search.map { !$0.field.text.isEmpty } ?? false
    isHelpOpen = if case .help = state.overlay { true } else { false }
  }
}

extension Tour {
  /// Whether the user has completed the step.
  func isDone(before: TourFacts, now: TourFacts) -> Bool {
    switch self {
    case .move: before.cursor != nil && now.cursor != nil && before.cursor != now.cursor
    case .dismiss: now.steps > before.steps && now.isDismissed
    case .undo: now.steps < before.steps
    case .search: before.isSearching && !now.isSearching
    case .snooze: now.steps > before.steps && now.isSnoozed
    case .help: before.isHelpOpen && !now.isHelpOpen
    }
  }

  /// Returns the instructions, from the longest text to the shortest.
  func texts(_ state: InboxState) -> [SafeText] {
    func key(_ command: Command) -> SafeText { state.keyHint(command) }
    let words: (full: SafeText, medium: SafeText, brief: SafeText)
    switch self {
    case .move where state.isAtLastRow:
      words = (
        key(.moveUp) + ", or the up arrow, goes to the item above; " + key(.moveDown)
          + " goes down again",
        key(.moveUp) + " goes to the item above, " + key(.moveDown) + " down again",
        key(.moveUp) + " moves up"
      )
    case .move:
      words = (
        key(.moveDown) + " and " + key(.moveUp) + ", or the arrows, go from item to item",
        key(.moveDown) + " and " + key(.moveUp) + " go from item to item",
        key(.moveDown) + " " + key(.moveUp) + " move"
      )
    case .dismiss:
      words = (
        key(.dismiss) + " dismisses the item: it leaves the tray, on every device",
        key(.dismiss) + " dismisses: it leaves the tray on every device",
        key(.dismiss) + " dismisses"
      )
    case .undo:
      words = (
        key(.undo) + " undoes that, several steps if you like", key(.undo) + " undoes that",
        key(.undo) + " undoes"
      )
    case .search:
      words = (
        key(.search) + " searches all history as you type; Esc comes back to where you were",
        key(.search) + " searches as you type; Esc leaves the search",
        key(.search) + " searches, Esc ends it"
      )
    case .snooze:
      words = (
        key(.snooze) + " snoozes it until later: choose a time by its number, or type one",
        key(.snooze) + " snoozes it until later: pick or type a time",
        key(.snooze) + " snoozes: choose a time"
      )
    case .help:
      words = (
        key(.help) + " shows the keys that work here; typing filters them, Esc closes",
        key(.help) + " shows the keys that work here; Esc closes them",
        key(.help) + " shows help, Esc closes it"
      )
    }
    let step = SafeText("\(number) of \(Self.count)  ")
    return [step + words.full, step + words.medium, step + words.brief, words.brief]
  }
}

extension Command {
  static let tourCommands: [Command] = [tour]

  static let tour = Command(
    id: "tour", title: "tour", help: "a tour in five steps; Esc ends it", keys: ["T"],
    places: .everywhere, chapter: .program,
    perform: { state, effects in state.startTour(&effects) })
}

extension InboxState {
  /// Starts the tour; publishes temporary items if there are too few to try it on.
  fileprivate mutating func startTour(_ effects: inout [Effect]) {
    if focus == .detail { leaveDetail() }
    if search != nil { closeSearch(&effects) }
    show(.tray, &effects)
    tour = .move
    if isFirstRun || counts.tray < 2 { effects.append(.store(.publishTourItems)) }
  }

  /// Ends the tour if Esc has no other effect.
  ///
  /// - Returns: false if the key has its usual meaning.
  mutating func leavesTour(by key: Key) -> Bool {
    guard tour != nil, key == .escape, focus != .detail, marks.isEmpty, search == nil,
      filter?.isTyping != true, typedKeys.isEmpty
    else { return false }
    tour = nil
    say("The tour has ended. " + keyHint(.tour) + " starts it again.")
    return true
  }

  /// Whether there are items above the cursor, and none below.
  fileprivate var isAtLastRow: Bool {
    let list = self[activeList]
    guard let index = list.cursorIndex else { return false }
    return index == list.rows.count - 1 && list.reachesEnd && (index > 0 || !list.reachesStart)
  }

  /// Advances to the next step if this one is done.
  mutating func advanceTour(since before: TourFacts) {
    guard let step = tour, step.isDone(before: before, now: TourFacts(self)) else { return }
    tour = step.next
    if tour == nil {
      notice = Notice(
        .success, "That is all you need. " + keyHint(.help) + " shows the rest, wherever you are.")
    }
  }

  /// Returns the line of the tour for a width; nil while there is no tour.
  func tourText(width: Int) -> SafeText? {
    guard let tour else { return nil }
    let texts = tour.texts(self)
    return texts.first { $0.width <= width } ?? texts.last?.truncated(to: max(0, width))
  }
}
