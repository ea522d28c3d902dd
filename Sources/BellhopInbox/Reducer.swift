import BellhopModel
import BellhopScreen
import BellhopText
import BellhopTime

/// What the screen is after `message`, and what is to be done outside.
///
/// Pure and synchronous: the same state and message give the same result. The effects are in the
/// order in which they are to be done.
public func reduce(_ state: inout InboxState, _ message: Message) -> [Effect] {
  var effects: [Effect] = []
  let before = state.tour.map { _ in TourFacts(state) }
  state.take(message, &effects)
  // Only what the person does is a step; what arrives is none.
  if let before, case .person = message { state.goOn(since: before) }
  state.settle(&effects)
  return effects
}

extension InboxState {
  fileprivate mutating func take(_ message: Message, _ effects: inout [Effect]) {
    switch message {
    case .tick(let now): advance(to: now)
    case .person(.key(let key)):
      take(key, &effects)
      passQuestion()
    case .person(.paste(let text)): paste(text)
    case .person(.mouse(let event)): take(event, &effects)
    case .resize(let size): self.size = size
    case .focusChanged(let hasFocus):
      self.hasFocus = hasFocus
      noteFocus(hasFocus)
      if hasFocus { showQuestionAnew() }
      askAboutNewApps(&effects)
      if hasFocus { effects.append(.store(.checkAndSync)) }
    case .resumed: effects.append(.store(.checkAndSync))
    case .windowLoaded(let query, let request, let window):
      accept(window, of: query, request: request)
    case .detailLoaded(let key, let serial, let value):
      detail.accept(value, for: key, serial: serial)
    case .countsLoaded(let serial, let counts): accept(counts, serial: serial)
    case .daysCounted(let serial, let counts): days.accept(counts, serial: serial)
    case .viewsCounted(let serial, let counts): views.accept(counts, serial: serial)
    case .readFailed(let read, let notice): noteFailedRead(of: read, notice)
    case .start, .dataChanged: markStale()
    case .itemsChanged(let keys): itemsChanged(keys, &effects)
    case .itemsLoaded(let keys, let rows): accept(rows, of: keys)
    case .measured(let serial, let extent): accept(extent, serial: serial)
    case .performed(let operations): confirm(operations)
    case .deleteCancelled(let operation, let isDone): confirmCancel(operation, isDone: isDone)
    case .operationsFailed(let operations, let text): takeBack(operations, text)
    case .connectionChanged(let status, let account): connections[account] = status
    case .notice(let notice): self.notice = notice
    case .announced(let news, let account, let isReturn):
      announce(news, of: account, isReturn: isReturn, &effects)
    case .themesLoaded(let names, let current): openThemeMenu(names, current: current)
    case .textsLoaded(let purpose, let items): use(items, for: purpose, &effects)
    case .inspected(let key, let serial, let value): accept(value, of: key, serial: serial)
    case .actionsLoaded(let key, let detail): openActionMenu(detail, of: key)
    case .attachmentsLoaded(let key, let detail):
      openAttachmentMenu(detail, of: key, &effects)
    case .fetchMoved(let serial, let received, let total):
      acceptFetch(serial: serial, received: received, total: total)
    case .fetchEnded(let serial, let outcome): endFetch(serial: serial, outcome)
    case .graphicsKnown(let means): attachments.means = means
    case .pictureDrawn(let serial, let outcome): acceptPicture(outcome, serial: serial)
    case .actionFinished(let run, let outcome): finish(run, outcome, &effects)
    case .linkOpened(let order): linkOpened(order, &effects)
    case .linkUnopened(let order, let reason): linkUnopened(order, reason, &effects)
    case .attentionChanged(let settings, let account): attention.everyApp[account] = settings
    case .firstRunHelpChanged(let help): firstRunHelp = help
    case .appsLoaded(let names):
      if names != appNames { views.countsAreStale = true }
      appNames = names
      // A name may mean something now.
      if filter?.isTyping == true || shownView != nil { filterTextChanged() }
    case .devicesLoaded(let serial, let devices, let problem):
      accept(devices, problem: problem, serial: serial)
    case .activityLoaded(let serial, let report): accept(report, serial: serial)
    case .appOverviewsLoaded(let serial, let overviews): accept(overviews, serial: serial)
    case .appsConfigured(let settings, let waiting, let account):
      apps.accept(settings, waiting: waiting, of: account)
      apps.arrange(shownAccount)
      askAboutNewApps(&effects)
    }
  }

  private mutating func advance(to now: Timestamp) {
    let day = zone.local(self.now).date
    self.now = now
    // What arrived "today" is another number after midnight.
    if zone.local(now).date != day {
      counting.isStale = true
      views.countsAreStale = true
    }
    endReadPause()
    endQuestion()
    endOffer()
  }

  private mutating func paste(_ text: String) {
    let text = SafeText(text, lineBreaks: .joined, byteLimit: ActionMenu.replyBytesMax).string
    switch overlay {
    case .help(var help):
      help.filter.insert(text)
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

  // MARK: - Data

  mutating func markStale() {
    for id in ListID.allCases where id != .search || search != nil { self[id].isStale = true }
    detail.isStale = true
    counting.isStale = true
    views.countsAreStale = true
    days.markStale()
    if case .inspect(var inspect) = overlay {
      inspect.isStale = true
      overlay = .inspect(inspect)
    }
    apps.isStale = true
  }

  private mutating func accept(
    _ window: LoadedWindow, of query: ListQuery, request: WindowRequest
  ) {
    if case .group = query { return acceptGroup(window.rows, request: request) }
    let id = ListID.allCases.first { id in
      (id != .search || search != nil) && self[id].query == query
        && self[id].outstanding == request.serial
    }
    guard let id else { return }
    var window = window
    // A reader that gives more than was asked for must not make the state grow.
    let excess = window.rows.count - WindowRequest.countMax
    if excess > 0 {
      window.rows.removeLast(excess)
      window.reachesEnd = false
    }
    // As it was asked for: see `settle`.
    let layout = layout
    let height = layout.list(id)?.rows.height ?? (id == activeList ? layout.body.height : 0)
    self[id].accept(pending.over(window, of: query, request: request), height: height)
    for row in self[id].rows { marks.see(row) }
    forgetSettledChanges()
  }

  private mutating func accept(_ counts: InboxCounts, serial: Int) {
    if counting.accept(counts, serial: serial) { forgetSettledChanges() }
  }

  /// The counts with what the person did since they were read.
  var counts: InboxCounts {
    pending.over(counting.base ?? InboxCounts(), serial: counting.serial, of: shownAccount)
  }

  private mutating func confirm(_ operations: [OperationID]) {
    pending.confirm(operations, at: serial)
    apps.commit(operations)
    steps.keep(operations)
    markStale()
  }

  private mutating func confirmCancel(_ operation: OperationID, isDone: Bool) {
    pending.confirmCancel(operation, at: serial)
    if !isDone {
      pending.takeBack([operation])
      steps.forgetDeletesAgain()
      notice = Notice(.information, "Too late: the delete was on its way already.")
    }
    markStale()
  }

  /// Forgets changes that every answer from now on contains.
  private mutating func forgetSettledChanges() {
    guard !pending.isEmpty else { return }
    let oldest = ListID.allCases.compactMap { self[$0].outstanding }.min() ?? Int.max
    pending.forgetSettled([counting.serial, oldest])
  }

  private mutating func takeBack(_ operations: [OperationID], _ text: SafeText) {
    pending.takeBack(operations)
    apps.takeBack(operations)
    steps.forget(operations)
    notice = Notice(.error, text)
    markStale()
  }
}
