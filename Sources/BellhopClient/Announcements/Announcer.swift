internal import BellhopCache
package import BellhopInbox
package import BellhopModel
package import BellhopSync
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// An announcer of new items in one account's tray.
///
/// The first process to claim an item announces it. The cache grants each content once (SYNC-16),
/// so several screens and an agent on one machine ring once. Checks in quick succession are
/// combined, so that the parts of one pull cause a single ring.
package final class Announcer: Sendable {
  /// The wait for further parts of a pull.
  private static let gathering: DispatchTimeInterval = .milliseconds(200)
  /// The shortest time between two rings. Items that arrive in between ring once afterwards.
  private static let pause: Double = 2

  private let access: CacheAccess
  private let now: @Sendable () -> Timestamp
  /// Whether this process is responsible for announcements at the moment.
  private let isResponsible: @Sendable () -> Bool
  /// Whether announcements leave out titles that the user hides.
  private let hidesTitles: @Sendable () -> Bool
  private let tell: @Sendable ([Announcement], _ isReturn: Bool) -> Void
  private let queue = DispatchQueue(label: "bellhop.announcer")
  private let state = Mutex<State>(State())

  private struct State {
    var isWaiting = false
    var isReturn = false
    /// Whether the store was reached. Items found before that arrived while the user was away.
    var hasBeenLive = false
    var notBefore = DispatchTime.now()
  }

  /// - Parameter now: The store's time.
  package init(
    access: CacheAccess, isResponsible: @escaping @Sendable () -> Bool = { true },
    hidesTitles: @escaping @Sendable () -> Bool = { false },
    now: @escaping @Sendable () -> Timestamp,
    tell: @escaping @Sendable ([Announcement], _ isReturn: Bool) -> Void
  ) {
    self.access = access
    self.now = now
    self.isResponsible = isResponsible
    self.hidesTitles = hidesTitles
    self.tell = tell
  }

  /// Checks for new items if the engine reports that some may have arrived.
  ///
  /// Items that are present when the store is first reached arrived while no screen was open. They
  /// are announced before this returns.
  package func take(_ event: EngineEvent) {
    switch event {
    case .dataChanged: scheduleCheck(isReturn: state.withLock { !$0.hasBeenLive })
    case .status(let status):
      switch status.connection {
      case .live, .polling: break
      case .connecting, .firstSync, .offline, .signInAgain, .signedOut: return
      }
      let isFirst = state.withLock { state in
        defer { state.hasBeenLive = true }
        return !state.hasBeenLive
      }
      if isFirst { checkNow(isReturn: true) }
    case .arrived, .rejected: break
    }
  }

  /// Schedules a check for new items and returns immediately.
  ///
  /// - Parameter isReturn: Whether the items found arrived while no screen was open.
  package func scheduleCheck(isReturn: Bool = false) {
    let start = state.withLock { state -> DispatchTime? in
      if isReturn { state.isReturn = true }
      guard !state.isWaiting else { return nil }
      state.isWaiting = true
      return max(state.notBefore, DispatchTime.now() + Self.gathering)
    }
    guard let start else { return }
    queue.asyncAfter(deadline: start) { [self] in
      let isReturn = state.withLock { state in
        defer { (state.isWaiting, state.isReturn) = (false, false) }
        return state.isReturn
      }
      announce(isReturn: isReturn)
    }
  }

  /// Checks for new items before it returns.
  ///
  /// Items that arrive later are therefore announced separately, also by a check that was scheduled
  /// earlier.
  package func checkNow(isReturn: Bool) {
    queue.sync {
      state.withLock { $0.isReturn = false }
      announce(isReturn: isReturn)
    }
  }

  private func announce(isReturn: Bool) {
    guard isResponsible(), let news = try? Self.claim(access, now: now()), !news.isEmpty else {
      return
    }
    if !isReturn { state.withLock { $0.notBefore = DispatchTime.now() + Self.pause } }
    tell(hidesTitles() ? news.map(\.withHiddenTitle) : news, isReturn)
  }

  // MARK: - Claiming

  /// Returns the title of an item with the number of its repeats, as in `disk full ×10`.
  private static func title(of row: CachedRow) -> SafeText {
    let title = SafeText(row.title)
    return row.repeatCount > 1 ? title + SafeText(" ×\(row.repeatCount.grouped)") : title
  }

  /// The number of items claimed per transaction, small enough not to delay the response to a key.
  private static let claimStep = 250
  /// The most items claimed at once. The rest is left to the next check.
  private static let claimMax = 10_000
  /// The number of items whose title is read: more than a ring ever names.
  private static let namedMax = 8

  /// Claims all items that have not been announced yet.
  ///
  /// - Throws: ``ClientError`` or `CacheError` if the cache cannot be used.
  static func claim(_ access: CacheAccess, now: Timestamp) throws -> [Announcement] {
    let storage = try access.storage()
    var arrivals: [Arrival] = []
    while arrivals.count < claimMax {
      let step = try storage.claimTrayAnnouncements(limit: claimStep)
      arrivals += step
      if step.count < claimStep { break }
    }
    guard !arrivals.isEmpty else { return [] }
    let reader = try access.reader()
    let names = try reader.displayNames()
    var settings: [String: AppSettings] = [:]
    for app in Set(arrivals.map(\.app)) {
      settings[app] = try reader.appSettings(of: app) ?? AppSettings(app: app)
    }
    let urgency = arrivals.indices.sorted { arrivals[$0].priority > arrivals[$1].priority }
    let named = Set(urgency.prefix(namedMax))
    return try arrivals.indices.map { index in
      let arrival = arrivals[index]
      let row = named.contains(index) ? try reader.row(arrival.id) : nil
      let settings = settings[arrival.app] ?? AppSettings(app: arrival.app)
      let title = row.map { Self.title(of: $0) } ?? .empty
      let category = try row.flatMap { try reader.category(of: $0) }
      return Announcement(
        app: arrival.app, name: SafeText(names[arrival.app] ?? arrival.app, byteLimit: 64),
        title: title, hiddenTitle: HiddenTexts(category).title(title), priority: arrival.priority,
        permissions: settings.announcement(at: now, on: SystemClock.wallClock),
        whenFocused: settings.whenFocused, sound: arrival.sound,
        isInTray: arrival.placement == .tray)
    }
  }
}
