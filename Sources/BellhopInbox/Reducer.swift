import BellhopModel
import BellhopScreen
import BellhopText

/// Updates the state for `message`, and returns the effects to perform.
///
/// Pure and synchronous: the same state and message give the same result. The effects are in the
/// order in which they must be performed.
package func reduce(_ state: inout InboxState, _ message: Message) -> [Effect] {
  var effects: [Effect] = []
  let before = state.tour.map { _ in TourFacts(state) }
  state.take(message, &effects)
  // Only the user's actions advance the tour; arrivals do not.
  if let before, case .person = message { state.advanceTour(since: before) }
  state.settle(&effects)
  return effects
}

extension InboxState {
  fileprivate mutating func take(_ message: Message, _ effects: inout [Effect]) {
    switch message {
    case .start, .dataChanged: markStale()
    case .tick(let now): advance(to: now)
    case .person(let input): take(input, &effects)
    case .resize(let size): self.size = size
    case .focusChanged(let hasFocus): take(focus: hasFocus, &effects)
    case .resumed: effects.append(.store(.checkAndSync))
    case .itemsChanged(let keys): itemsChanged(keys, &effects)
    case .answer(let answer): take(answer, &effects)
    case .readFailed(let read, let notice): noteFailedRead(of: read, notice)
    case .slow(let answer): take(answer)
    case .change(let outcome): take(outcome)
    case .item(let outcome): take(outcome, &effects)
    case .attachment(let progress): take(progress)
    case .activity(let answer): take(answer)
    case .terminal(let report): take(report, &effects)
    case .account(let update): take(update, &effects)
    case .notice(let notice): self.notice = notice
    case .firstRunHelpChanged(let help): firstRunHelp = help
    }
  }

  private mutating func advance(to now: Timestamp) {
    let day = zone.local(self.now).date
    self.now = now
    // The number of items that arrived today changes at midnight.
    if zone.local(now).date != day {
      counting.isStale = true
      views.countsAreStale = true
    }
    readPause.advance(to: now)
    endOffer()
  }

  private mutating func take(_ input: UserInput, _ effects: inout [Effect]) {
    forEachList { $0.followsFirst = .never }
    switch input {
    case .key(let key): take(key, &effects)
    case .paste(let text): paste(text)
    case .mouse(let event): take(event, &effects)
    }
  }

  private mutating func paste(_ text: String) {
    let text = SafeText(text, lineBreaks: .joined, byteLimit: ActionMenu.replyBytesMax).string
    switch overlay {
    case .help(var help):
      help.paste(text)
      overlay = .help(help)
    case .menu(let menu): menu.paste(text, &self)
    case .pipe(var pipe):
      pipe.field.insert(text)
      overlay = .pipe(pipe)
    case .confirm, .inspect, .preview, .devices, .activity: break
    case .none:
      if search?.isTyping == true {
        search?.field.insert(text)
        searchTextChanged()
      } else if search == nil, filter?.isTyping == true {
        filter?.field.insert(text)
        filterTextChanged()
      }
    }
  }
}
