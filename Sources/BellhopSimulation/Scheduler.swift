package import BellhopModel
import Synchronization

/// Virtual time and chance that closures of the store and the engine may read.
package final class WorldClock: Sendable {
  private let state = Mutex((elapsed: Duration.zero, step: Duration.zero))
  /// When the simulated world begins.
  static let start = Timestamp(seconds: 1_800_000_000)

  package init() {}

  /// The time that has passed, which no setting of a clock moves.
  package var elapsed: Duration { state.withLock { $0.elapsed } }
  /// The store's time.
  package var now: Timestamp {
    state.withLock { Self.start.advanced(by: $0.elapsed + $0.step) }
  }
  /// What a right clock shows, whatever the store's was set to.
  var trueTime: Timestamp { state.withLock { Self.start.advanced(by: $0.elapsed) } }

  package func set(_ time: Duration) { state.withLock { $0.elapsed = time } }

  /// Somebody sets the store's clock.
  func step(by change: Duration) { state.withLock { $0.step += change } }
}

/// One stream of chance that many closures share.
package final class SharedRandom: Sendable {
  private let state: Mutex<UInt64>

  package init(seed: UInt64) { state = Mutex(seed) }

  /// SplitMix64.
  package func word() -> UInt64 {
    state.withLock { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  /// From 0 up to 1.
  package func unit() -> Double { Double(word() >> 11) / Double(1 << 53) }
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

  let clock: WorldClock
  private var events: [Event] = []
  private var planned = 0

  /// Events within a second, from when on something goes round in circles. A device does a handful
  /// of things in a second.
  private static let eventsMax = 20_000
  private var second = Duration.zero
  private var count = 0
  /// Called when too much happens; then nothing happens any more.
  var isLive: () -> Void = {}

  init(clock: WorldClock) { self.clock = clock }

  /// Whether the next event is one too many.
  private func isTooMuch(at time: Duration) -> Bool {
    if time >= second + .seconds(1) { (second, count) = (time, 0) }
    count += 1
    return count > Self.eventsMax
  }

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

  /// Nothing that is planned happens.
  func forgetAll() { events = [] }

  /// Runs what is planned up to a time from the start.
  func run(until end: Duration) {
    while let next = events.last, next.time <= end {
      events.removeLast()
      if isTooMuch(at: next.time) {
        events = []
        isLive()
        break
      }
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
