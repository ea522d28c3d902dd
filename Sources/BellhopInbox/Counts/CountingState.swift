/// The counts that the cache gave last, and the request for the next ones.
struct CountingState: Sendable {
  /// Nil until they were read for the first time.
  private(set) var base: InboxCounts?
  /// The request that ``base`` answers.
  private(set) var serial = 0
  var isStale = true
  private(set) var outstanding: Int?

  /// Notes that the counts are asked for.
  mutating func ask(serial: Int) {
    isStale = false
    outstanding = serial
  }

  /// Takes the answer to a request.
  ///
  /// - Returns: false when it answers another request than the last one.
  mutating func accept(_ counts: InboxCounts, serial: Int) -> Bool {
    guard outstanding == serial else { return false }
    outstanding = nil
    base = counts
    self.serial = serial
    return true
  }

  /// Notes that a request failed.
  ///
  /// - Returns: false when it was another request than the last one.
  mutating func fail(serial: Int) -> Bool {
    guard outstanding == serial else { return false }
    forgetRequest()
    return true
  }

  /// Drops the answer that is on its way: it would be that of another question.
  mutating func forgetRequest() {
    outstanding = nil
    isStale = true
  }

  /// Adds what is known to have changed since the counts were read.
  mutating func add(_ difference: InboxCounts) {
    base = base.map { ($0 + difference).clamped }
  }
}
