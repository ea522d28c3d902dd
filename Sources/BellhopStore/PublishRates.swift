internal import BellhopModel
internal import Synchronization

/// How many publications apps and users may still make: token buckets that hold a minute's worth.
///
/// They are in memory: after a restart they are full again, which lets through one more minute's
/// worth at most. Time is monotonic, so that setting the machine's clock neither opens nor closes
/// them. An app has a bucket of its own, and beyond its even share of the user's rate also takes
/// from the user's, so that no app can use the rate up for the others.
///
/// A transaction checks what it would take, and takes it when it is committed: its body may run
/// twice. Those that share a commit do not see each other, so buckets may go below zero by what one
/// commit holds, and are refilled from there.
final class PublishRates: Sendable {
  enum Key: Hashable {
    case user(UserID)
    case app(UserID, String)
    /// The app's even share of the user's rate.
    case share(UserID, String)
  }

  private struct Bucket {
    var level: Double
    var at: Duration
    /// A minute's worth.
    var size: Double

    /// What it holds at `time`.
    func level(at time: Duration) -> Double {
      min(size, level + size * max(0, (time - at) / .seconds(60)))
    }

    /// How long until it holds enough for one publication; nil when it does.
    var wait: Duration? { level >= 1 ? nil : .seconds(60) * ((1 - level) / size) }
  }

  /// Buckets that are full again are dropped when there are this many; a missing one is full.
  private static let bucketsMax = 10_000

  private let buckets = Mutex<[Key: Bucket]>([:])

  /// Adds the right to one publication to what a transaction will take.
  ///
  /// - Throws: ``StoreError/tooManyRequests(retryAfter:)``; then the tally is as it was.
  func reserve(
    user: UserID, app: String, in tally: inout PublishTally, limits: StoreLimits,
    at time: Duration
  ) throws(StoreError) {
    let taken = tally.taken
    let (keys, wait) = buckets.withLock { buckets -> ([Key], Duration?) in
      func bucket(_ key: Key) -> Bucket {
        var bucket = Self.bucket(buckets[key], key, limits, at: time)
        bucket.level -= Double(taken[key] ?? 0)
        return bucket
      }
      if let wait = bucket(.app(user, app)).wait { return ([], wait) }
      if bucket(.share(user, app)).wait == nil {
        return ([.app(user, app), .share(user, app)], nil)
      }
      if let wait = bucket(.user(user)).wait { return ([], wait) }
      return ([.app(user, app), .user(user)], nil)
    }
    if let wait { throw .tooManyRequests(retryAfter: wait) }
    for key in keys { tally.taken[key, default: 0] += 1 }
  }

  /// Takes what a committed transaction reserved.
  func take(_ tally: PublishTally, limits: StoreLimits, at time: Duration) {
    guard !tally.taken.isEmpty else { return }
    buckets.withLock { buckets in
      if buckets.count >= Self.bucketsMax {
        buckets = buckets.filter { $0.value.level(at: time) < $0.value.size }
      }
      for (key, count) in tally.taken {
        var bucket = Self.bucket(buckets[key], key, limits, at: time)
        bucket.level -= Double(count)
        buckets[key] = bucket
      }
    }
  }

  private static func bucket(
    _ known: Bucket?, _ key: Key, _ limits: StoreLimits, at time: Duration
  ) -> Bucket {
    let perMinute =
      switch key {
      case .user: limits.userPublishesPerMinute
      case .app: limits.appPublishesPerMinute
      case .share: limits.userPublishesPerMinute / max(1, limits.appsMax)
      }
    let size = Double(max(1, perMinute))
    return Bucket(level: min(size, known?.level(at: time) ?? size), at: time, size: size)
  }
}

/// The publications that a transaction has let in, by whose rate they count.
public struct PublishTally: Sendable {
  var taken: [PublishRates.Key: Int] = [:]

  public init() {}
}
