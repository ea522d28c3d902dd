/// How often somebody may ask: each key has a bucket that fills at a rate, and a request takes one
/// from it.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
  /// Time since any instant, which never goes back.
  typealias Instant = Duration

  private struct Bucket {
    var level: Double
    var at: Instant
  }

  let perSecond: Double
  let burst: Double
  private var buckets: [Key: Bucket] = [:]
  /// Full buckets are forgotten when there are so many.
  private var countMax = 1024

  init(perSecond: Int, burst: Int) {
    self.perSecond = Double(max(1, perSecond))
    self.burst = Double(max(1, burst))
  }

  /// Takes one.
  ///
  /// - Returns: nil, or how long to wait until there is one.
  mutating func take(_ key: Key, at now: Instant) -> Duration? {
    if buckets.count >= countMax { forgetFull(at: now) }
    var level = level(of: buckets[key], at: now)
    defer { buckets[key] = Bucket(level: level, at: now) }
    guard level >= 1 else { return .seconds((1 - level) / perSecond) }
    level -= 1
    return nil
  }

  private func level(of bucket: Bucket?, at now: Instant) -> Double {
    guard let bucket else { return burst }
    return min(burst, bucket.level + (now - bucket.at) / .seconds(1) * perSecond)
  }

  private mutating func forgetFull(at now: Instant) {
    buckets = buckets.filter { level(of: $0.value, at: now) < burst }
    // Doubling keeps the cost of looking small however many there are.
    countMax = max(1024, buckets.count * 2)
  }
}
