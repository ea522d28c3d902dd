/// How often something took how long.
public struct DurationHistogram: Hashable, Sendable {
  /// Upper ends of the buckets in seconds, rising; one more bucket holds what is longer.
  public let bounds: [Double]
  /// How many durations fell into each bucket.
  public private(set) var counts: [Int]
  /// All durations together, in seconds.
  public private(set) var sum = 0.0

  public init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// From a tenth of a millisecond to ten seconds, for what a disk or a request takes.
  public static let quick = DurationHistogram(
    bounds: [
      0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])

  public var count: Int { counts.reduce(0, +) }

  /// - Parameter seconds: not negative; a negative one counts as nothing.
  public mutating func record(_ seconds: Double) {
    let value = max(0, seconds)
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }
}
