import BellhopModel

/// Reads of the cache that failed.
///
/// Each is done again, because what the screen shows would be old for ever otherwise; but not at
/// once, because a disk that goes on failing would keep the program busy.
extension InboxState {
  /// Long enough for a program to stay idle, short enough for a person to wait.
  static let readPause = Duration.seconds(1)

  mutating func noteFailedRead(of read: CacheRead, _ notice: Notice) {
    switch read {
    case .window(let query, let request):
      guard
        let id = ListID.allCases.first(where: { id in
          (id != .search || search != nil) && self[id].query == query
            && self[id].outstanding == request.serial
        })
      else { return }
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
    // The person asks again.
    case .items, .actions, .attachments, .texts, .apps: break
    }
    self.notice = notice
    readPauseEnd = now.advanced(by: Self.readPause)
  }

  /// Whether nothing is read at this moment.
  var pausesReading: Bool { readPauseEnd != nil }

  /// Called when time has passed. The store's clock may have been set back meanwhile.
  mutating func endReadPause() {
    guard let end = readPauseEnd else { return }
    if now >= end || end.duration(since: now) > Self.readPause { readPauseEnd = nil }
  }
}
