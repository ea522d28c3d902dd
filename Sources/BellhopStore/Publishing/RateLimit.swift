/// A rate limit per key, as a token bucket: each use takes a token, and time refills the bucket.
///
/// Times are durations on a clock that does not step.
package struct RateLimit<Key: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var level: Double
    var at: Duration
  }

  /// The number of uses that a key has at once, and again within `period`.
  private let count: @Sendable (Key) -> Int
  private let period: Duration
  /// The maximum number of buckets; a missing one is full. A new bucket replaces the fullest one,
  /// which carries the least information: many new keys cannot displace the others.
  private let keysMax: Int
  private var buckets: [Key: Bucket] = [:]

  /// Creates a limit with the same count for every key.
  package init(_ count: Int, per period: Duration, keysMax: Int) {
    self.init(per: period, keysMax: keysMax) { _ in count }
  }

  /// Creates a limit with a count for each key.
  package init(per period: Duration, keysMax: Int, count: @escaping @Sendable (Key) -> Int) {
    self.count = count
    self.period = period
    self.keysMax = keysMax
  }

  /// Returns how long a key must wait until its next use; nil if it may be used now.
  ///
  /// - Parameter reserved: the number of uses that are not taken yet.
  package func wait(for key: Key, reserved: Int = 0, at instant: Duration) -> Duration? {
    let level = level(of: key, at: instant) - Double(reserved)
    return level >= 1 ? nil : period * ((1 - level) / size(of: key))
  }

  /// Counts uses of a key. Uses beyond the limit make it wait longer.
  package mutating func take(_ key: Key, count: Int = 1, at instant: Duration) {
    if buckets[key] == nil, buckets.count >= keysMax { makeRoom(at: instant) }
    buckets[key] = Bucket(level: level(of: key, at: instant) - Double(count), at: instant)
  }

  private func size(of key: Key) -> Double { Double(max(1, count(key))) }

  private func level(of key: Key, at instant: Duration) -> Double {
    let size = size(of: key)
    guard let bucket = buckets[key] else { return size }
    return min(size, bucket.level + (instant - bucket.at) / period * size)
  }

  private mutating func makeRoom(at instant: Duration) {
    let fillings = buckets.keys.map { ($0, level(of: $0, at: instant) / size(of: $0)) }
    for (key, filling) in fillings where filling >= 1 { buckets[key] = nil }
    guard buckets.count >= keysMax, let fullest = fillings.max(by: { $0.1 < $1.1 }) else { return }
    buckets[fullest.0] = nil
  }
}
