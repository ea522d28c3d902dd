package import BellhopModel

/// The store's clock, derived from the `Date` headers of its answers.
///
/// A header gives the second in which the store answered, somewhere between sending and receiving.
/// Every answer thus bounds the difference of the clocks. The bounds are intersected, and the
/// smallest correction that fits is used: a client whose clock is right gets none. If the bounds
/// contradict each other, one of the clocks was set, and the latest answer counts.
package struct StoreClock: Hashable, Sendable {
  /// The duration to add to this machine's clock to get the store's.
  package private(set) var offset: Duration = .zero
  private var lowest: Int64?
  private var highest: Int64?

  package init() {}

  /// Updates the offset from an answer whose `Date` header gives the second `date`.
  ///
  /// `sent` and `received` are times of this machine's clock. Answers that took over 10 s are too
  /// inexact and are ignored.
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
    // The correction nearest to zero; the middle of the bounds if one is needed.
    let chosen = fitting == 0 ? 0 : ((lowest ?? 0) + (highest ?? 0)) / 2
    offset = .milliseconds(chosen)
    return offset != before
  }
}
