internal import BellhopStore
internal import CoreMetrics
internal import Synchronization

/// Keeps counters and timers for `/metrics`: a backend of swift-metrics.
///
/// Timers become histograms in seconds. Labels come from a closed set of values; beyond
/// ``seriesMax`` series of one name nothing new is kept, so that no client can fill the memory.
final class PrometheusRegistry: MetricsFactory {
  static let seriesMax = 2000

  private struct State {
    var counters: [String: [String: PrometheusCounter]] = [:]
    var timers: [String: [String: PrometheusTimer]] = [:]
  }

  private let state = Mutex(State())
  /// The buckets of timers that are not for quick things, by name.
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

  /// Nothing here records plain numbers; figures are read when they are asked for.
  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { NOOPMetricsHandler.instance }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}

  // MARK: - Reading them

  /// Every counter of a name, by its labels as text.
  func counters(named name: String) -> [(labels: String, value: Int64)] {
    state.withLock { $0.counters[name] ?? [:] }.map { ($0.key, $0.value.value) }
      .sorted { $0.0 < $1.0 }
  }

  /// Every histogram of a name, by its labels as text.
  func timers(named name: String) -> [(labels: String, histogram: DurationHistogram)] {
    state.withLock { $0.timers[name] ?? [:] }.map { ($0.key, $0.value.histogram) }
      .sorted { $0.0 < $1.0 }
  }
}

/// A number that rises.
final class PrometheusCounter: CounterHandler {
  private let count = Mutex(Int64(0))

  var value: Int64 { count.withLock { $0 } }

  func increment(by amount: Int64) { count.withLock { $0 &+= amount } }
  func reset() { count.withLock { $0 = 0 } }
}

/// Durations in buckets.
final class PrometheusTimer: TimerHandler {
  private let state: Mutex<DurationHistogram>

  init(_ histogram: DurationHistogram) { state = Mutex(histogram) }

  var histogram: DurationHistogram { state.withLock { $0 } }

  func recordNanoseconds(_ duration: Int64) {
    state.withLock { $0.record(Double(duration) / 1_000_000_000) }
  }
}
