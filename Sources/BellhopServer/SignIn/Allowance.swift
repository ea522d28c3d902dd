/// How often each of many may do something: a bucket for each, which fills again with time.
///
/// Time is a duration on a clock that does not step.
struct Allowance<Key: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var level: Double
    var at: Duration
  }

  /// At once, and again within ``period``.
  let count: Int
  let period: Duration
  /// Buckets kept. For a further one the fullest is forgotten, which says least; a crowd of
  /// newcomers keeps no other out.
  let keysMax: Int
  private var buckets: [Key: Bucket] = [:]

  init(_ count: Int, per period: Duration, keysMax: Int) {
    self.count = count
    self.period = period
    self.keysMax = keysMax
  }

  /// How long `key` has to wait; nil when it may.
  func wait(_ key: Key, at instant: Duration) -> Duration? {
    guard let bucket = buckets[key] else { return nil }
    let level = self.level(of: bucket, at: instant)
    return level >= 1 ? nil : period / count * (1 - level)
  }

  /// Counts one time of `key`.
  mutating func take(_ key: Key, at instant: Duration) {
    if buckets[key] == nil, buckets.count >= keysMax {
      buckets = buckets.filter { self.level(of: $0.value, at: instant) < Double(count) }
      let fullest = buckets.max {
        self.level(of: $0.value, at: instant) < self.level(of: $1.value, at: instant)
      }
      if buckets.count >= keysMax, let fullest { buckets[fullest.key] = nil }
    }
    let level = buckets[key].map { self.level(of: $0, at: instant) } ?? Double(count)
    buckets[key] = Bucket(level: max(0, level - 1), at: instant)
  }

  private func level(of bucket: Bucket, at instant: Duration) -> Double {
    min(Double(count), bucket.level + (instant - bucket.at) / period * Double(count))
  }
}
