internal import BellhopModel
internal import BellhopStore

/// The schedule of hook calls: a pure value with pending calls, running calls and limits.
///
/// The store keeps the changes to send; this only keeps the time of the next check, so nothing is
/// lost when the process ends. Finding due subscriptions visits each one once, which takes less
/// than a millisecond for some thousands.
struct HookSchedule: Sendable {
  /// The state of one subscription.
  struct Entry: Hashable, Sendable {
    /// The time of the next check.
    var due: Timestamp
    /// The host and port of its hooks.
    var hosts: Set<String>
    /// Whether its last call failed or was slow. Such hooks share a separate limit.
    var isSlow: Bool
    /// The number of its last call, counted over all subscriptions; 0 before the first.
    var turn = 0
    /// Whether a change arrived while it was being called.
    var isChanged = false
  }

  /// The result of checking a subscription.
  enum Result: Hashable, Sendable {
    case gone
    case rest(until: Timestamp)
    /// The hook was called, and more may be pending.
    case called(isSlow: Bool)
  }

  /// One user's hooks on one host, which are counted separately from other users' hooks.
  private struct Place: Hashable {
    var user: UserID
    var host: String
  }

  private(set) var entries: [SubscriptionKey: Entry] = [:]
  private var byUser: [UserID: Set<SubscriptionKey>] = [:]
  private var runningByHost: [Place: Int] = [:]
  private var runningByUser: [UserID: Int] = [:]
  /// The subscriptions being called, as they were when the call began.
  private var running: [SubscriptionKey: Entry] = [:]
  private var slowCount = 0
  private var lastTurn = 0
  private let limits: HookConfiguration

  init(_ limits: HookConfiguration) { self.limits = limits }

  // MARK: - Subscriptions

  /// Replaces a user's subscriptions. All of them are checked as soon as possible.
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

  /// The number of hooks being called.
  var runningCount: Int { running.count }

  /// The users with subscriptions.
  var users: Set<UserID> { Set(byUser.keys) }

  /// Returns the part between `//` and the path, which is enough for counting.
  private static func host(_ url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    return parts.count > 1 ? parts[1].prefix { $0 != "?" }.lowercased() : url
  }

  private mutating func remove(_ key: SubscriptionKey) {
    entries[key] = nil
    byUser[key.user]?.remove(key)
    if byUser[key.user]?.isEmpty == true { byUser[key.user] = nil }
  }

  // MARK: - Events

  /// Notes that a user's items changed.
  ///
  /// The user's subscriptions are checked after the time for collecting changes.
  mutating func itemsChanged(of user: UserID, at now: Timestamp) {
    for key in byUser[user] ?? [] { wake(key, at: now.advanced(by: limits.batchDelay)) }
  }

  private mutating func wake(_ key: SubscriptionKey, at time: Timestamp) {
    guard let entry = entries[key] else { return }
    if running[key] != nil { entries[key]?.isChanged = true }
    entries[key]?.due = min(entry.due, time)
  }

  /// Starts as many calls as the limits allow, longest waiting first.
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

  /// Notes the end of a call.
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

  /// Returns the next due time among those subscriptions that do not wait for a free slot.
  func nextDue(after now: Timestamp) -> Timestamp? {
    entries.lazy.filter { $0.value.due > now && running[$0.key] == nil }.map(\.value.due).min()
  }
}
