internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// A reporter of changes in an account beside its lists.
///
/// It reports the user's settings for all apps and for each app, changes that had no effect, and
/// the offset of the store's clock. Checks in quick succession are combined: the lists come first.
final class AccountObserver: Sendable {
  /// The wait of a check for further requests.
  private static let gathering: DispatchTimeInterval = .milliseconds(60)

  private let access: CacheAccess
  private let box: MessageQueue
  /// The store's time.
  private let now: @Sendable () -> Timestamp
  private let say: @Sendable (_ text: String, _ hidden: String?) -> Void
  private let tellOffset: @Sendable (Duration) -> Void
  private let queue = DispatchQueue(label: "bellhop.account.news")
  private let state = Mutex(State())
  /// Whether a check is scheduled.
  private let isWaiting = Mutex(false)

  private struct State {
    var everyApp: AppSettings?
    var apps: KnownApps?
    /// The newest outcome at the last check; nil before the first one.
    var outcome: Int64?
  }

  /// The app settings that were last reported to the screen.
  private struct KnownApps: Equatable {
    var settings: [AppSettings]
    var waiting: Set<String>
  }

  /// - Parameters:
  ///   - now: The store's time.
  ///   - say: Shows a line to the user; the second one while titles and texts are hidden.
  ///   - tellOffset: Receives the store's clock minus this machine's at each check.
  init(
    access: CacheAccess, box: MessageQueue, now: @escaping @Sendable () -> Timestamp,
    say: @escaping @Sendable (_ text: String, _ hidden: String?) -> Void,
    tellOffset: @escaping @Sendable (Duration) -> Void
  ) {
    self.access = access
    self.box = box
    self.now = now
    self.say = say
    self.tellOffset = tellOffset
  }

  /// Schedules a check for changes and returns immediately.
  func scheduleCheck() {
    let isFirst = isWaiting.withLock { isWaiting in
      defer { isWaiting = true }
      return !isWaiting
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + Self.gathering) { [self] in
      isWaiting.withLock { $0 = false }
      tell()
    }
  }

  /// Checks for changes before it returns.
  func checkNow() { queue.sync { tell() } }

  private func tell() {
    guard let reader = try? access.reader() else { return }
    if let offset = try? reader.syncState().clockOffset { tellOffset(offset) }
    tellOutcomes(reader)
    tellAttention(reader)
    tellApps(reader)
  }

  /// Reports the user's settings for all apps together, if they have changed.
  private func tellAttention(_ reader: CacheReader) {
    guard
      let known = try? reader.appSettings(of: AppSettings.everyApp)
        ?? AppSettings(app: AppSettings.everyApp)
    else { return }
    let isNew = state.withLock { state in
      defer { state.everyApp = known }
      return state.everyApp != known
    }
    if isNew { box.post(.account(.attention(known, of: access.account.name))) }
  }

  /// Reports the user's settings for each app, if they have changed.
  private func tellApps(_ reader: CacheReader) {
    guard let settings = try? reader.appSettings().filter({ !$0.areOfEveryApp }),
      let waiting = try? reader.appsWithPendingSettings()
    else { return }
    let known = KnownApps(settings: settings, waiting: waiting)
    let isNew = state.withLock { state in
      defer { state.apps = known }
      return state.apps != known
    }
    if isNew { box.post(.account(.apps(settings, waiting: waiting, of: access.account.name))) }
  }

  /// Reports changes without effect since the last check.
  ///
  /// The first check also includes earlier ones that were not reported, because the process that
  /// received the result was killed before or had no screen.
  private func tellOutcomes(_ reader: CacheReader) {
    let known = state.withLock { $0.outcome }
    guard let newest = try? reader.newestOutcome(), newest > known ?? -1,
      let outcomes = try? reader.outcomes(of: nil, limit: OutcomeRecord.unreportedMax)
    else { return }
    state.withLock { $0.outcome = max(newest, outcomes.first?.position ?? 0) }
    let news = outcomes.filter { outcome in
      known.map { outcome.position > $0 } ?? !outcome.isReported
    }
    guard !news.isEmpty else { return }
    tell(news, reader)
    // If this fails, the next start reports them again.
    try? access.storage().markReported(news.map(\.operation.id))
  }

  private func tell(_ outcomes: [OutcomeRecord], _ reader: CacheReader) {
    guard outcomes.count == 1 else {
      return say(
        "\(outcomes.count) of your changes did not apply: bellhop outbox --refused shows why.", nil)
    }
    let ids = outcomes[0].operation.notificationIDs
    let item = ids.count == 1 ? (try? reader.item(ids[0])) ?? nil : nil
    func line(hidesTexts: Bool) -> String {
      let line = OutcomeText.line(outcomes[0], item: item, now: now(), hidesTexts: hidesTexts)
      return line.prefix(1).uppercased() + line.dropFirst() + "."
    }
    say(line(hidesTexts: false), line(hidesTexts: true))
  }
}
