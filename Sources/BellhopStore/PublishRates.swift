internal import BellhopModel
internal import Synchronization

/// How many publications apps and users may still make: token buckets that hold a minute's worth.
///
/// They are in memory: after a restart they are full again, which lets through one more minute's
/// worth at most. Time is monotonic, so that setting the machine's clock neither opens nor closes
/// them. An app has a bucket of its own, and beyond its even share of the user's rate also takes
/// from the user's, so that no app can use the rate up for the others.
final class PublishRates: Sendable {
  private enum Key: Hashable {
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

  /// Takes the right to one publication.
  ///
  /// - Throws: ``StoreError/tooManyRequests(retryAfter:)``; then nothing was taken.
  func take(
    user: UserID, app: String, limits: StoreLimits, at time: Duration
  ) throws(StoreError) {
    let wait = buckets.withLock { buckets -> Duration? in
      if buckets.count >= Self.bucketsMax {
        buckets = buckets.filter { $0.value.level(at: time) < $0.value.size }
      }
      func bucket(_ key: Key, perMinute: Int) -> Bucket {
        let size = Double(max(1, perMinute))
        let level = buckets[key]?.level(at: time) ?? size
        return Bucket(level: min(size, level), at: time, size: size)
      }
      func take(_ key: Key, _ bucket: Bucket) {
        var bucket = bucket
        bucket.level -= 1
        buckets[key] = bucket
      }
      let own = bucket(.app(user, app), perMinute: limits.appPublishesPerMinute)
      if let wait = own.wait { return wait }
      let share = bucket(
        .share(user, app), perMinute: limits.userPublishesPerMinute / max(1, limits.appsMax))
      if share.wait == nil {
        take(.share(user, app), share)
      } else {
        let all = bucket(.user(user), perMinute: limits.userPublishesPerMinute)
        if let wait = all.wait { return wait }
        take(.user(user), all)
      }
      take(.app(user, app), own)
      return nil
    }
    if let wait { throw .tooManyRequests(retryAfter: wait) }
  }
}
