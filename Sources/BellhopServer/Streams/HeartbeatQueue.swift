/// The order in which streams are due for a heartbeat.
///
/// All wait for the same time, so the one that has waited longest is always first.
struct HeartbeatQueue: Sendable {
  /// A time since any fixed instant; it never decreases.
  typealias Instant = Duration

  private struct Entry {
    var id: Int
    var due: Instant
  }

  let interval: Duration
  /// The time span of streams that are served together, so that few wake-ups serve many.
  let granularity: Duration
  private var entries: [Entry] = []
  /// The number of entries that were taken.
  private var start = 0

  init(interval: Duration) {
    self.interval = interval
    granularity = min(.seconds(1), interval / 8)
  }

  /// Adds a stream that is new or just had a heartbeat.
  mutating func add(_ id: Int, at now: Instant) {
    entries.append(Entry(id: id, due: now + interval))
  }

  /// Removes and returns the streams that are due.
  mutating func takeDue(at now: Instant) -> [Int] {
    var end = start
    while end < entries.count, entries[end].due <= now + granularity { end += 1 }
    let due = entries[start..<end].map(\.id)
    start = end
    // Moving the rest costs no more than taking what was removed.
    if start * 2 >= entries.count {
      entries.removeFirst(start)
      start = 0
    }
    return due
  }

  /// Returns the time until the next heartbeat is due. Streams that are added later are due later.
  func pause(at now: Instant) -> Duration {
    guard start < entries.count else { return interval }
    return max(granularity, entries[start].due - now)
  }
}
