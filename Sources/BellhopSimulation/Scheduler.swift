package import BellhopModel
import Synchronization

/// The virtual clock of a world, which closures of the store and the engine may read.
package final class WorldClock: Sendable {
  private let state = Mutex((elapsed: Duration.zero, step: Duration.zero))
  /// The start of the simulated world.
  static let start = Timestamp(seconds: 1_800_000_000)

  package init() {}

  /// The elapsed time, which setting a clock does not change.
  package var elapsed: Duration { state.withLock { $0.elapsed } }
  /// The store's time.
  package var now: Timestamp {
    state.withLock { Self.start.advanced(by: $0.elapsed + $0.step) }
  }
  /// The time of a correct clock, even if the store's clock was set.
  var trueTime: Timestamp { state.withLock { Self.start.advanced(by: $0.elapsed) } }

  package func set(_ time: Duration) { state.withLock { $0.elapsed = time } }

  /// Sets the store's clock forwards or backwards.
  func step(by change: Duration) { state.withLock { $0.step += change } }
}

/// A stream of random numbers that many closures share.
package final class SharedRandom: Sendable {
  private let state: Mutex<UInt64>

  package init(seed: UInt64) { state = Mutex(seed) }

  /// Returns the next number of SplitMix64.
  package func word() -> UInt64 {
    state.withLock { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  /// Returns a number from 0 up to, but not including, 1.
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

/// A queue of events on one thread. Events at the same instant run in the order of planning.
final class Scheduler {
  private struct Event {
    var time: Duration
    var order: Int
    var body: () -> Void
  }

  let clock: WorldClock
  private var events: [Event] = []
  private var planned = 0

  /// The maximum number of events within a second; more indicate a loop.
  ///
  /// A device causes a handful of events in a second.
  private static let eventsMax = 20_000
  private var second = Duration.zero
  private var count = 0
  /// Called when the limit is exceeded; after that, no event runs.
  var isLive: () -> Void = {}

  init(clock: WorldClock) { self.clock = clock }

  /// Returns whether the next event exceeds the limit.
  private func isTooMuch(at time: Duration) -> Bool {
    if time >= second + .seconds(1) { (second, count) = (time, 0) }
    count += 1
    return count > Self.eventsMax
  }

  func after(_ wait: Duration, _ body: @escaping () -> Void) {
    planned += 1
    let event = Event(time: clock.elapsed + max(.zero, wait), order: planned, body: body)
    // The latest event is first, so that the next one is taken from the end.
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

  /// Removes all planned events.
  func forgetAll() { events = [] }

  /// Runs the planned events up to a time since the start.
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

/// A log of the run, in words; the hash distinguishes two runs.
struct Trace {
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  private(set) var lines: [String] = []
  /// The maximum number of lines kept for the report of a failing seed.
  static let linesMax = 400

  mutating func add(_ line: String, at time: Duration) {
    let text = "\(Double(time.milliseconds) / 1000) \(line)"
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    lines.append(text)
    if lines.count > Self.linesMax { lines.removeFirst(Self.linesMax / 4) }
  }
}
