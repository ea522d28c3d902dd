internal import BellhopModel
internal import Synchronization

/// The rate limits of apps and users for publications: token buckets that hold a minute's worth.
///
/// They are in memory. After a restart they are full again, which admits at most one more minute's
/// worth. Time is monotonic, so that setting the machine's clock has no effect on them. An app has
/// its own bucket. Beyond its even share of the user's rate it also takes from the user's bucket,
/// so that no app can use up the rate of the others. Of several processes, each grants its share of
/// the rates.
///
/// A transaction checks what it would take, and takes it when it is committed: its body may run
/// twice. Transactions that share a commit do not see each other, so buckets may go below zero by
/// what one commit contains, and are refilled from there.
final class PublishRates: Sendable {
  enum Key: Hashable {
    case user(UserID)
    case app(UserID, String)
    /// The app's even share of the user's rate.
    case share(UserID, String)
  }

  /// The maximum number of buckets.
  private static let keysMax = 10_000

  private let limit: Mutex<RateLimit<Key>>

  init(_ limits: StoreLimits, among processes: LiveProcesses) {
    limit = Mutex(
      RateLimit(per: .seconds(60), keysMax: Self.keysMax) { key in
        let rate =
          switch key {
          case .user: limits.userPublishesPerMinute
          case .app: limits.appPublishesPerMinute
          case .share: limits.userPublishesPerMinute / max(1, limits.appsMax)
          }
        return processes.share(of: rate)
      })
  }

  /// Reserves one publication for a transaction.
  ///
  /// - Throws: ``StoreError/tooManyRequests(retryAfter:)``; then the tally is unchanged.
  func reserve(
    user: UserID, app: String, in tally: inout PublishTally, at time: Duration
  ) throws(StoreError) {
    let taken = tally.taken
    let (keys, wait) = limit.withLock { limit -> ([Key], Duration?) in
      func wait(_ key: Key) -> Duration? {
        limit.wait(for: key, reserved: taken[key] ?? 0, at: time)
      }
      if let wait = wait(.app(user, app)) { return ([], wait) }
      if wait(.share(user, app)) == nil { return ([.app(user, app), .share(user, app)], nil) }
      if let wait = wait(.user(user)) { return ([], wait) }
      return ([.app(user, app), .user(user)], nil)
    }
    if let wait { throw .tooManyRequests(retryAfter: wait) }
    for key in keys { tally.taken[key, default: 0] += 1 }
  }

  /// Takes the publications that a committed transaction reserved.
  func take(_ tally: PublishTally, at time: Duration) {
    guard !tally.taken.isEmpty else { return }
    limit.withLock { limit in
      for (key, count) in tally.taken { limit.take(key, count: count, at: time) }
    }
  }
}

/// The publications that a transaction has admitted, by the rate they count towards.
package struct PublishTally: Sendable {
  var taken: [PublishRates.Key: Int] = [:]

  package init() {}
}
