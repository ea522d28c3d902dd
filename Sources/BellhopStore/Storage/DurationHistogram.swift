/// A histogram of durations.
package struct DurationHistogram: Hashable, Sendable {
  /// The upper bounds of the buckets in seconds, ascending; one more bucket holds longer durations.
  package let bounds: [Double]
  /// The number of durations in each bucket.
  package private(set) var counts: [Int]
  /// The sum of all durations, in seconds.
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// A histogram from a tenth of a millisecond to ten seconds, for disk operations and requests.
  package static let quick = DurationHistogram(
    bounds: [
      0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])

  package var count: Int { counts.reduce(0, +) }

  /// - Parameter seconds: a duration; a negative one counts as 0.
  package mutating func record(_ seconds: Double) {
    let value = max(0, seconds)
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }
}
