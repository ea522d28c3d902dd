internal import BellhopModel
internal import BellhopStore

/// Which hook is called when: a pure value that knows what waits, what runs, and the limits.
///
/// The store holds what is to be told; this holds when to look. It forgets nothing that matters
/// when the process ends. Finding what is due looks at each subscription once, which for some
/// thousands of them takes less than a millisecond.
struct HookSchedule: Sendable {
  /// What is known of one subscription.
  struct Entry: Hashable, Sendable {
    /// When it is looked at next.
    var due: Timestamp
    /// Host and port of its hooks.
    var hosts: Set<String>
    /// Whether its last call failed or took long: it goes by the lane for those.
    var isSlow: Bool
    /// Rises with each call of any; 0 before the first.
    var turn = 0
    /// Something changed while it was running.
    var isChanged = false
  }

  /// What came of looking at a subscription.
  enum Result: Hashable, Sendable {
    case gone
    case rest(until: Timestamp)
    /// It was told something, and there may be more.
    case called(isSlow: Bool)
  }

  /// One user's hooks on one host, which are counted apart from other users' there.
  private struct Place: Hashable {
    var user: UserID
    var host: String
  }

  private(set) var entries: [SubscriptionKey: Entry] = [:]
  private var byUser: [UserID: Set<SubscriptionKey>] = [:]
  private var runningByHost: [Place: Int] = [:]
  private var runningByUser: [UserID: Int] = [:]
  /// Those that are being called, as they were when that began.
  private var running: [SubscriptionKey: Entry] = [:]
  private var slowCount = 0
  private var lastTurn = 0
  private let limits: HookConfiguration

  init(_ limits: HookConfiguration) { self.limits = limits }

  // MARK: - What there is

  /// Takes over a user's subscriptions as they are now; all are looked at as soon as may be.
  mutating func replace(_ subscriptions: [Subscription], of user: UserID, at now: Timestamp) {
    let keys = Set(subscriptions.map(\.key))
    for key in (byUser[user] ?? []).subtracting(keys) { remove(key) }
    for subscription in subscriptions {
      let hosts = Set(
        [subscription.request.notificationURL, subscription.request.lifecycleURL]
          .compactMap { $0.map(Self.host) })
      if entries[subscription.key] != nil {
        entries[subscription.key]?.hosts = hosts
        wake(subscription.key, at: now)
      } else {
        entries[subscription.key] = Entry(
          due: now, hosts: hosts, isSlow: subscription.progress.delivery.failures > 0)
        byUser[user, default: []].insert(subscription.key)
      }
    }
  }

  /// How many are being called.
  var runningCount: Int { running.count }

  /// Users of whom something is known.
  var users: Set<UserID> { Set(byUser.keys) }

  /// What stands between `//` and the path: enough to count by.
  private static func host(_ url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    return parts.count > 1 ? parts[1].prefix { $0 != "?" }.lowercased() : url
  }

  private mutating func remove(_ key: SubscriptionKey) {
    entries[key] = nil
    byUser[key.user]?.remove(key)
    if byUser[key.user]?.isEmpty == true { byUser[key.user] = nil }
  }

  // MARK: - What happens

  /// A user's items changed: the user's subscriptions are looked at after the time in which
  /// changes are collected.
  mutating func itemsChanged(of user: UserID, at now: Timestamp) {
    for key in byUser[user] ?? [] { wake(key, at: now.advanced(by: limits.batchDelay)) }
  }

  private mutating func wake(_ key: SubscriptionKey, at time: Timestamp) {
    guard let entry = entries[key] else { return }
    if running[key] != nil { entries[key]?.isChanged = true }
    entries[key]?.due = min(entry.due, time)
  }

  /// Begins as many calls as the limits let, those that waited longest first.
  mutating func start(at now: Timestamp) -> [SubscriptionKey] {
    guard running.count < limits.connectionsMax else { return [] }
    let due = entries.filter { $0.value.due <= now && running[$0.key] == nil }
      .sorted {
        ($0.value.due, $0.value.turn, $0.key) < ($1.value.due, $1.value.turn, $1.key)
      }
    var started: [SubscriptionKey] = []
    for (key, entry) in due where mayRun(key, entry) {
      running[key] = entry
      lastTurn += 1
      entries[key]?.turn = lastTurn
      entries[key]?.isChanged = false
      count(key, entry, by: 1)
      started.append(key)
    }
    return started
  }

  private func mayRun(_ key: SubscriptionKey, _ entry: Entry) -> Bool {
    running.count < limits.connectionsMax
      && (!entry.isSlow || slowCount < max(1, limits.connectionsMax / 2))
      && runningByUser[key.user, default: 0] < limits.connectionsPerUserMax
      && entry.hosts.allSatisfy {
        runningByHost[Place(user: key.user, host: $0), default: 0] < limits.connectionsPerHostMax
      }
  }

  private mutating func count(_ key: SubscriptionKey, _ entry: Entry, by number: Int) {
    if entry.isSlow { slowCount += number }
    runningByUser[key.user, default: 0] += number
    if runningByUser[key.user] == 0 { runningByUser[key.user] = nil }
    for host in entry.hosts {
      let place = Place(user: key.user, host: host)
      runningByHost[place, default: 0] += number
      if runningByHost[place] == 0 { runningByHost[place] = nil }
    }
  }

  /// A call has ended.
  mutating func finish(_ key: SubscriptionKey, _ result: Result, at now: Timestamp) {
    guard let started = running.removeValue(forKey: key) else { return }
    count(key, started, by: -1)
    guard let entry = entries[key] else { return }
    switch result {
    case .gone: remove(key)
    case .called(let isSlow):
      entries[key]?.isSlow = isSlow
      entries[key]?.due = now
    case .rest(let time):
      let soon = now.advanced(by: limits.batchDelay)
      entries[key]?.due = entry.isChanged ? min(soon, time) : time
    }
  }

  /// When the next one becomes due, of those that wait for their time and not for a free place.
  func nextDue(after now: Timestamp) -> Timestamp? {
    entries.lazy.filter { $0.value.due > now && running[$0.key] == nil }.map(\.value.due).min()
  }
}
