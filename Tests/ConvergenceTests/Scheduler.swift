import BellhopModel
import BellhopTestSupport
import Synchronization

/// Virtual time and chance that closures of the store and the engine may read.
final class WorldClock: Sendable {
  private let elapsedTime = Mutex(Duration.zero)
  /// When the simulated world begins.
  static let start = Timestamp(seconds: 1_800_000_000)

  var elapsed: Duration { elapsedTime.withLock { $0 } }
  var now: Timestamp { Self.start.advanced(by: elapsed) }
  func set(_ time: Duration) { elapsedTime.withLock { $0 = time } }
}

/// One stream of chance that many closures share.
final class SharedRandom: Sendable {
  private let random: Mutex<SeededRandom>

  init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func word() -> UInt64 { random.withLock { $0.next() } }
  /// From 0 up to 1.
  func unit() -> Double { Double(word() >> 11) / Double(1 << 53) }
  func chance(_ probability: Double) -> Bool { unit() < probability }
  func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(word() % UInt64(range.count))
  }
  func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(number(range)) }
  func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int(word() % UInt64(elements.count))]
  }
}

/// What happens when, on one thread. Events of one instant happen in the order they were planned.
final class Scheduler {
  private struct Event {
    var time: Duration
    var order: Int
    var body: () -> Void
  }

  let clock = WorldClock()
  private var events: [Event] = []
  private var planned = 0

  func after(_ wait: Duration, _ body: @escaping () -> Void) {
    planned += 1
    let event = Event(time: clock.elapsed + max(.zero, wait), order: planned, body: body)
    // Latest first, so that the next one is taken from the end.
    var low = 0
    var high = events.count
    while low < high {
      let middle = (low + high) / 2
      let other = events[middle]
      if (other.time, other.order) > (event.time, event.order) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    events.insert(event, at: low)
  }

  /// Runs what is planned up to a time from the start.
  func run(until end: Duration) {
    while let next = events.last, next.time <= end {
      events.removeLast()
      clock.set(next.time)
      next.body()
    }
    clock.set(max(end, clock.elapsed))
  }
}

/// What happened, in words; the hash tells two runs apart.
struct Trace {
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  private(set) var lines: [String] = []
  /// Lines kept for the report of a failing seed.
  static let linesMax = 400

  mutating func add(_ line: String, at time: Duration) {
    let text = "\(Double(time.milliseconds) / 1000) \(line)"
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    lines.append(text)
    if lines.count > Self.linesMax { lines.removeFirst(Self.linesMax / 4) }
  }
}
