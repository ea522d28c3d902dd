/// The latest counts from the cache, and the request for the next ones.
struct CountingState: Sendable {
  /// The counts; nil until they have been read for the first time.
  private(set) var base: InboxCounts?
  /// The request that ``base`` answers.
  private(set) var serial = 0
  var isStale = true
  private(set) var outstanding: Int?

  /// Records a request for counts.
  mutating func ask(serial: Int) {
    isStale = false
    outstanding = serial
  }

  /// Accepts the answer to a request.
  ///
  /// - Returns: false if it answers a request other than the last one.
  mutating func accept(_ counts: InboxCounts, serial: Int) -> Bool {
    guard outstanding == serial else { return false }
    outstanding = nil
    base = counts
    self.serial = serial
    return true
  }

  /// Records that a request failed.
  ///
  /// - Returns: false if it was a request other than the last one.
  mutating func fail(serial: Int) -> Bool {
    guard outstanding == serial else { return false }
    forgetRequest()
    return true
  }

  /// Discards the pending answer, which would belong to another question.
  mutating func forgetRequest() {
    outstanding = nil
    isStale = true
  }

  /// Adds known changes since the counts were read.
  mutating func add(_ difference: InboxCounts) {
    base = base.map { ($0 + difference).clamped }
  }
}
