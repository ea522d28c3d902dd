package import BellhopModel

/// The store's clock, known from the `Date` headers of its answers.
///
/// A header says the second in which the store answered, somewhere between sending and receiving.
/// Every answer thus bounds the difference of the clocks; the bounds are intersected, and the
/// smallest correction that fits is used: a client whose clock is right is left alone. When the
/// bounds contradict each other, one of the clocks was set, and the latest answer counts.
package struct StoreClock: Hashable, Sendable {
  /// What to add to this machine's clock to have the store's.
  package private(set) var offset: Duration
  private var lowest: Int64?
  private var highest: Int64?

  /// A clock with the offset kept from last time.
  package init(offset: Duration = .zero) {
    self.offset = offset
  }

  /// Takes note of an answer whose header says the second `date`, by this machine's clock sent at
  /// `sent` and received at `received`. Answers that took over 10 s say too little and are ignored.
  /// - Returns: Whether the offset changed.
  @discardableResult
  package mutating func observe(
    date: Timestamp, sent: Timestamp, received: Timestamp
  ) -> Bool {
    let took = received.milliseconds - sent.milliseconds
    guard (0...10_000).contains(took) else { return false }
    let low = date.milliseconds - received.milliseconds
    let high = date.milliseconds + 999 - sent.milliseconds
    let bounds = (max(low, lowest ?? low), min(high, highest ?? high))
    (lowest, highest) = bounds.0 <= bounds.1 ? bounds : (low, high)
    let before = offset
    let fitting = min(max(0, lowest ?? 0), highest ?? 0)
    // The correction nearest to none; the middle of the bounds when there has to be one.
    let chosen = fitting == 0 ? 0 : ((lowest ?? 0) + (highest ?? 0)) / 2
    offset = .milliseconds(chosen)
    return offset != before
  }
}
