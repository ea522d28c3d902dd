internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// Tells the screen what of an account has changed beside its lists: what the person wants of all
/// apps and of each, changes that came to nothing, and how the store's clock goes.
///
/// Looks that come in quick succession are one: the lists come first.
final class AccountNews: Sendable {
  /// How long a look waits for others.
  private static let gathering: DispatchTimeInterval = .milliseconds(60)

  private let access: CacheAccess
  private let box: MessageBox
  /// The store's time.
  private let now: @Sendable () -> Timestamp
  private let say: @Sendable (String) -> Void
  private let tellOffset: @Sendable (Duration) -> Void
  private let queue = DispatchQueue(label: "bellhop.account.news")
  private let state = Mutex(State())
  /// Whether a look is under way to its time.
  private let isWaiting = Mutex(false)

  private struct State {
    var everyApp: AppSettings?
    var apps: KnownApps?
    /// The newest outcome at the last look; nil before the first one.
    var outcome: Int64?
  }

  /// What the person wants of the apps, as the screen was told last.
  private struct KnownApps: Equatable {
    var settings: [AppSettings]
    var waiting: Set<String>
  }

  /// - Parameters:
  ///   - now: the store's time.
  ///   - say: tells the person a line.
  ///   - tellOffset: receives the store's clock minus this machine's at each look.
  init(
    access: CacheAccess, box: MessageBox, now: @escaping @Sendable () -> Timestamp,
    say: @escaping @Sendable (String) -> Void,
    tellOffset: @escaping @Sendable (Duration) -> Void
  ) {
    self.access = access
    self.box = box
    self.now = now
    self.say = say
    self.tellOffset = tellOffset
  }

  /// Something may have changed. Returns at once.
  func look() {
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

  /// Looks before it returns.
  func lookNow() { queue.sync { tell() } }

  private func tell() {
    guard let reader = try? access.reader() else { return }
    if let offset = try? reader.syncState().clockOffset { tellOffset(offset) }
    tellOutcomes(reader)
    tellAttention(reader)
    tellApps(reader)
  }

  /// Says what the person wants of all apps together, when that has changed.
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

  /// Says what the person wants of each app, when that has changed.
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

  /// Says which changes did not come to anything: since the last look, and at the first one those
  /// that were not reported, because the process that took in the answer was killed before it
  /// could, or had no screen.
  private func tellOutcomes(_ reader: CacheReader) {
    let known = state.withLock { $0.outcome }
    guard let newest = try? reader.newestOutcome(), newest > known ?? -1,
      let outcomes = try? reader.outcomes(of: nil, limit: OutcomeRecord.untoldMax)
    else { return }
    state.withLock { $0.outcome = max(newest, outcomes.first?.position ?? 0) }
    let news = outcomes.filter { outcome in
      known.map { outcome.position > $0 } ?? !outcome.isTold
    }
    guard !news.isEmpty else { return }
    tell(news, reader)
    // What cannot be noted is reported once more at the next start.
    try? access.storage().markTold(news.map(\.operation.id))
  }

  private func tell(_ outcomes: [OutcomeRecord], _ reader: CacheReader) {
    guard outcomes.count == 1 else {
      return say(
        "\(outcomes.count) of your changes did not apply: bellhop outbox --refused says why.")
    }
    let ids = outcomes[0].operation.notificationIDs
    let item = ids.count == 1 ? (try? reader.item(ids[0])) ?? nil : nil
    let line = OutcomeText.line(outcomes[0], item: item, now: now())
    say(line.prefix(1).uppercased() + line.dropFirst() + ".")
  }
}
