/// The counts of a round of repeats at which an item rings again.
package struct RepeatRings: Hashable, Sendable {
  /// The counts, rising.
  package let thresholds: [Int]

  /// The most thresholds: no alert that rings more often in one round is worth it.
  package static let thresholdsMax = 32
  /// The counts that a threshold can have. The first occurrence of a round rings in any case.
  package static let counts = 2...1_000_000

  /// Ten times as many repeats each time.
  package static let standard = RepeatRings(rising: [10, 100, 1000])

  private init(rising thresholds: [Int]) { self.thresholds = thresholds }

  /// Creates the rings of a list; nil if it does not rise, or is outside of the limits.
  package init?(_ thresholds: [Int]) {
    guard thresholds.count <= Self.thresholdsMax,
      thresholds.allSatisfy({ Self.counts.contains($0) }),
      zip(thresholds, thresholds.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    self.init(rising: thresholds)
  }

  /// Returns the number of thresholds that a count has reached.
  package func step(of count: Int) -> Int { thresholds.count { $0 <= count } }
}
