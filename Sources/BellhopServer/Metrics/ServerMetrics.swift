internal import BellhopModel
internal import BellhopStore
internal import CoreMetrics
internal import HTTPTypes

/// The metrics of a server's requests.
struct ServerMetrics: Sendable {
  private static let requests = "bellhop_http_requests_total"
  private static let durations = "bellhop_http_request_duration_seconds"
  private static let lag = "bellhop_sync_lag_seconds"

  private let registry = PrometheusRegistry(
    bounds: [
      lag: DurationHistogram(
        bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600, 86_400, 604_800])
    ])

  private static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options,
  ]

  /// Counts a request after its response.
  ///
  /// - Parameter endpoint: The pattern, never the path; nil for an unknown address.
  func answered(
    _ method: HTTPRequest.Method, _ endpoint: String?, status: Int, after duration: Duration
  ) {
    let place = [
      ("endpoint", endpoint ?? "none"),
      ("method", Self.methods.contains(method) ? method.rawValue : "other"),
    ]
    Counter(
      label: Self.requests, dimensions: place + [("status", String(status))], factory: registry
    ).increment()
    Timer(label: Self.durations, dimensions: place, factory: registry)
      .recordNanoseconds(Int64(duration / .nanoseconds(1)))
  }

  /// Records how far a device was behind when it requested changes.
  func caughtUp(after lag: Duration) {
    Timer(label: Self.lag, dimensions: [], factory: registry)
      .recordNanoseconds(Int64(clamping: lag.milliseconds) * 1_000_000)
  }

  /// Writes the metrics.
  func write(to text: inout PrometheusText) {
    text.begin(Self.requests, .counter, "Answered requests by endpoint, method and status.")
    for (labels, value) in registry.counters(named: Self.requests) {
      text.add(Self.requests, labels: labels, value)
    }
    text.begin(Self.durations, .histogram, "Time from the head of a request to its answer.")
    for (labels, histogram) in registry.timers(named: Self.durations) {
      text.add(Self.durations, labels: labels, histogram)
    }
    text.begin(Self.lag, .histogram, "Age of the oldest change that a device had not seen.")
    for (labels, histogram) in registry.timers(named: Self.lag) {
      text.add(Self.lag, labels: labels, histogram)
    }
  }
}
