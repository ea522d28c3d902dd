/// Who is due for a heart-beat: all wait for equally long, so that whoever has waited longest is
/// always first.
struct HeartbeatQueue: Sendable {
  /// Time since any instant, which never goes back.
  typealias Instant = Duration

  private struct Entry {
    var id: Int
    var due: Instant
  }

  let interval: Duration
  /// Who is due within this time is served together, so that few wake-ups serve many.
  let granularity: Duration
  private var entries: [Entry] = []
  /// Entries before this one were taken.
  private var start = 0

  init(interval: Duration) {
    self.interval = interval
    granularity = min(.seconds(1), interval / 8)
  }

  /// Somebody had a heart-beat, or has just come.
  mutating func add(_ id: Int, at now: Instant) {
    entries.append(Entry(id: id, due: now + interval))
  }

  /// Takes out who is due.
  mutating func takeDue(at now: Instant) -> [Int] {
    var end = start
    while end < entries.count, entries[end].due <= now + granularity { end += 1 }
    let due = entries[start..<end].map(\.id)
    start = end
    // Moving the rest costs no more than what was taken.
    if start * 2 >= entries.count {
      entries.removeFirst(start)
      start = 0
    }
    return due
  }

  /// How long nobody will be due; whoever comes meanwhile is due later.
  func pause(at now: Instant) -> Duration {
    guard start < entries.count else { return interval }
    return max(granularity, entries[start].due - now)
  }
}
