internal import BellhopStore
internal import CoreMetrics
internal import Synchronization

/// A backend of swift-metrics that keeps counters and timers for `/metrics`.
///
/// Timers become histograms in seconds. Labels come from a closed set of values. Beyond
/// ``seriesMax`` series of one name, new ones are not kept, so that clients cannot exhaust the
/// memory.
final class PrometheusRegistry: MetricsFactory {
  static let seriesMax = 2000

  private struct State {
    var counters: [String: [String: PrometheusCounter]] = [:]
    var timers: [String: [String: PrometheusTimer]] = [:]
  }

  private let state = Mutex(State())
  /// The buckets of timers for longer durations, by name.
  private let bounds: [String: DurationHistogram]

  init(bounds: [String: DurationHistogram] = [:]) {
    self.bounds = bounds
  }

  // MARK: - Making instruments

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let labels = PrometheusText.labels(dimensions)
    return state.withLock { state in
      if let known = state.counters[label]?[labels] { return known }
      let made = PrometheusCounter()
      if state.counters[label]?.count ?? 0 < Self.seriesMax {
        state.counters[label, default: [:]][labels] = made
      }
      return made
    }
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    let labels = PrometheusText.labels(dimensions)
    return state.withLock { state in
      if let known = state.timers[label]?[labels] { return known }
      let made = PrometheusTimer(bounds[label] ?? .quick)
      if state.timers[label]?.count ?? 0 < Self.seriesMax {
        state.timers[label, default: [:]][labels] = made
      }
      return made
    }
  }

  /// Ignores recorders: no code here records plain numbers, and figures are read on request.
  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { NOOPMetricsHandler.instance }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}

  // MARK: - Reading instruments

  /// Returns every counter of a name with its labels as text.
  func counters(named name: String) -> [(labels: String, value: Int64)] {
    state.withLock { $0.counters[name] ?? [:] }.map { ($0.key, $0.value.value) }
      .sorted { $0.0 < $1.0 }
  }

  /// Returns every histogram of a name with its labels as text.
  func timers(named name: String) -> [(labels: String, histogram: DurationHistogram)] {
    state.withLock { $0.timers[name] ?? [:] }.map { ($0.key, $0.value.histogram) }
      .sorted { $0.0 < $1.0 }
  }
}

/// A counter that only rises.
final class PrometheusCounter: CounterHandler {
  private let count = Mutex(Int64(0))

  var value: Int64 { count.withLock { $0 } }

  func increment(by amount: Int64) { count.withLock { $0 &+= amount } }
  func reset() { count.withLock { $0 = 0 } }
}

/// A histogram of durations.
final class PrometheusTimer: TimerHandler {
  private let state: Mutex<DurationHistogram>

  init(_ histogram: DurationHistogram) { state = Mutex(histogram) }

  var histogram: DurationHistogram { state.withLock { $0 } }

  func recordNanoseconds(_ duration: Int64) {
    state.withLock { $0.record(Double(duration) / 1_000_000_000) }
  }
}
