import BellhopModel
import BellhopScreen

extension InboxState {
  mutating func take(_ answer: CacheAnswer, _ effects: inout [Effect]) {
    switch answer {
    case .window(let query, let request, let window):
      accept(window, of: query, request: request)
    case .detail(let key, let serial, let value): detail.accept(value, for: key, serial: serial)
    case .items(let keys, let rows): accept(rows, of: keys)
    case .counts(let serial, let counts):
      if counting.accept(counts, serial: serial) { forgetSettledChanges() }
    case .actions(let key, let detail): openActionMenu(detail, of: key)
    case .attachments(let key, let detail): openAttachmentMenu(detail, of: key, &effects)
    case .schedule(let key, let detail): openScheduleMenu(detail, of: key)
    case .texts(let purpose, let items): use(items, for: purpose, &effects)
    case .inspection(let key, let serial, let value): accept(value, of: key, serial: serial)
    case .apps(let names): accept(appNames: names)
    case .appOverviews(let serial, let overviews): accept(overviews, serial: serial)
    }
  }

  /// Schedules everything that is shown to be read again.
  mutating func markStale() {
    for id in ListID.allCases where id != .search || search != nil {
      self[id].isStale = true
      self[id].counting.markStale()
    }
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
    if acceptUnread(window, request) { return }
    guard let id = list(awaiting: query, request) else { return }
    var window = window
    // A reader that returns more than requested must not make the state grow.
    let excess = window.rows.count - WindowRequest.countMax
    if excess > 0 {
      window.rows.removeLast(excess)
      window.reachesEnd = false
    }
    // Use the same height as the request: see `settle`.
    let layout = layout
    let height = layout.list(id)?.rows.height ?? (id == activeList ? layout.body.height : 0)
    self[id].accept(
      pending.over(window, of: query, request: request, at: now), height: height)
    for row in self[id].rows { marks.see(row) }
    forgetSettledChanges()
  }

  /// Returns the list that waits for the answer to a request.
  private func list(awaiting query: ListQuery, _ request: WindowRequest) -> ListID? {
    ListID.allCases.first { id in
      (id != .search || search != nil) && self[id].query == query
        && self[id].outstanding == request.serial
    }
  }

  // MARK: - Failed reads

  /// Records that a read failed, so that it is repeated after a pause.
  ///
  /// Without another read the screen would stay outdated; without a pause, a disk that keeps
  /// failing would keep the program busy.
  mutating func noteFailedRead(of read: CacheRead, _ notice: Notice) {
    switch read {
    case .window(let query, let request):
      guard let id = list(awaiting: query, request) else { return }
      self[id].outstanding = nil
      self[id].isStale = true
    case .detail(_, let serial): detail.readFailed(serial: serial)
    case .inspection(let key, let serial):
      guard case .inspect(var inspect) = overlay, inspect.key == key else { break }
      inspect.readFailed(serial: serial)
      overlay = .inspect(inspect)
    case .appOverviews(let serial, _):
      guard apps.outstanding == serial else { break }
      apps.outstanding = nil
      apps.isStale = true
    case .counts(let serial, _):
      guard counting.fail(serial: serial) else { return }
    // The user requests these again.
    case .items, .actions, .attachments, .schedule, .texts, .apps: break
    }
    self.notice = notice
    readPause.begin(at: now)
  }
}
