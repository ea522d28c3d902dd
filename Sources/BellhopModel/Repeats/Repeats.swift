/// The occurrences of an item whose repeats collapse into it. Only the store writes it.
///
/// A *round* is the repeats until the user handles the item. The next one begins a new round.
public struct Repeats: Hashable, Sendable {
  /// A round that is over.
  public struct Round: Hashable, Sendable, Codable {
    public var count: Int
    public var first: Timestamp
    public var last: Timestamp

    public init(count: Int, first: Timestamp, last: Timestamp) {
      self.count = count
      self.first = first
      self.last = last
    }
  }

  /// The occurrences of this round, from 1.
  public private(set) var count: Int
  public private(set) var first: Timestamp
  public private(set) var last: Timestamp
  /// The length of each bucket in seconds: a minute, doubled until ``buckets`` is short enough.
  public private(set) var bucketSeconds: Int64
  /// The occurrences from ``first`` on, in intervals of equal length: 1 to ``bucketsMax``.
  ///
  /// Their sum is ``count``.
  public private(set) var buckets: [Int]
  /// The rounds before this one, newest first, at most ``earlierMax``.
  public private(set) var earlier: [Round]

  /// The most buckets: those of a spark line on a narrow screen.
  public static let bucketsMax = 64
  /// The most earlier rounds: enough to see whether an alert comes back every night.
  public static let earlierMax = 8
  private static let shortestSeconds: Int64 = 60

  /// Creates the first round, of one occurrence.
  public init(firstAt first: Timestamp) {
    self.init(firstAt: first, earlier: [])
  }

  private init(firstAt first: Timestamp, earlier: [Round]) {
    count = 1
    (self.first, last) = (first, first)
    bucketSeconds = Self.shortestSeconds
    buckets = [1]
    self.earlier = earlier
  }

  /// Returns the repeats with one more in this round.
  ///
  /// After the clock went back, it counts into the last bucket.
  public func repeated(at now: Timestamp) -> Repeats {
    var repeats = self
    repeats.count += 1
    repeats.last = max(last, now)
    let seconds = repeats.last.duration(since: first).milliseconds / 1000
    while seconds / repeats.bucketSeconds >= Self.bucketsMax { repeats.mergeBuckets() }
    let place = max(Int(seconds / repeats.bucketSeconds), repeats.buckets.count - 1)
    let missing = place + 1 - repeats.buckets.count
    repeats.buckets += Array(repeating: 0, count: missing)
    repeats.buckets[place] += 1
    return repeats
  }

  /// Returns the repeats with a new round of one occurrence.
  public func newRound(at now: Timestamp) -> Repeats {
    let over = Round(count: count, first: first, last: last)
    return Repeats(firstAt: now, earlier: [over] + earlier.prefix(Self.earlierMax - 1))
  }

  /// Doubles the length of the buckets.
  private mutating func mergeBuckets() {
    bucketSeconds *= 2
    buckets = stride(from: 0, to: buckets.count, by: 2).map { start in
      buckets[start..<min(start + 2, buckets.count)].reduce(0, +)
    }
  }
}

extension Repeats: Codable {
  private enum CodingKeys: String, CodingKey {
    case count, first, last, bucketSeconds, buckets, earlier
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    count = try container.decode(Int.self, forKey: .count)
    first = try container.decode(Timestamp.self, forKey: .first)
    last = try container.decode(Timestamp.self, forKey: .last)
    bucketSeconds = try container.decode(Int64.self, forKey: .bucketSeconds)
    buckets = try container.decode([Int].self, forKey: .buckets)
    earlier = try container.decodeIfPresent([Round].self, forKey: .earlier) ?? []
    guard first <= last else { throw container.invalid(.last, expected: "a time from first on") }
    guard bucketSeconds >= Self.shortestSeconds else {
      throw container.invalid(.bucketSeconds, expected: "\(Self.shortestSeconds) or more")
    }
    guard (1...Self.bucketsMax).contains(buckets.count), Self.sum(buckets) == count else {
      throw container.invalid(
        .buckets, expected: "1 to \(Self.bucketsMax) numbers with the sum count")
    }
  }

  /// Returns the sum of numbers that count something; nil if they do not.
  private static func sum(_ numbers: [Int]) -> Int? {
    numbers.reduce(0) { sum, number in
      guard let sum, number >= 0 else { return nil }
      let (next, isTooLarge) = sum.addingReportingOverflow(number)
      return isTooLarge ? nil : next
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    try container.encode(first, forKey: .first)
    try container.encode(last, forKey: .last)
    try container.encode(bucketSeconds, forKey: .bucketSeconds)
    try container.encode(buckets, forKey: .buckets)
    if !earlier.isEmpty { try container.encode(earlier, forKey: .earlier) }
  }
}
