/// The measured values of one quantity, in one unit.
struct Samples: Sendable {
  private(set) var values: [Double] = []

  init(_ values: [Double] = []) { self.values = values }

  mutating func add(_ value: Double) { values.append(value) }
  mutating func add(_ duration: Duration) { values.append(duration.inMilliseconds) }

  var isEmpty: Bool { values.isEmpty }
  var median: Double { percentile(50) }
  var least: Double { values.min() ?? .nan }
  var greatest: Double { values.max() ?? .nan }

  /// Returns the value that `percent` of all values do not exceed; NaN without values.
  func percentile(_ percent: Double) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    let rank = (percent / 100 * Double(sorted.count)).rounded(.up)
    return sorted[min(max(Int(rank) - 1, 0), sorted.count - 1)]
  }
}

extension Duration {
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  var inMilliseconds: Double { inSeconds * 1000 }
}

/// Measures the duration of `body`.
func timed(_ body: () throws -> Void) rethrows -> Duration {
  try ContinuousClock().measure(body)
}

/// Measures the duration of `body`, including the time that it is suspended.
func elapsed(_ body: () async throws -> Void) async rethrows -> Duration {
  try await ContinuousClock().measure(body)
}
