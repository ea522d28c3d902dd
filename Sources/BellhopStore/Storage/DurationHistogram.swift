/// How often something took how long.
package struct DurationHistogram: Hashable, Sendable {
  /// Upper ends of the buckets in seconds, rising; one more bucket holds what is longer.
  package let bounds: [Double]
  /// How many durations fell into each bucket.
  package private(set) var counts: [Int]
  /// All durations together, in seconds.
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// From a tenth of a millisecond to ten seconds, for what a disk or a request takes.
  package static let quick = DurationHistogram(
    bounds: [
      0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])

  package var count: Int { counts.reduce(0, +) }

  /// - Parameter seconds: not negative; a negative one counts as nothing.
  package mutating func record(_ seconds: Double) {
    let value = max(0, seconds)
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }
}
