/// The text that `pgbench` prints after a run.
struct PgbenchOutput {
  let text: String

  /// Returns the transactions in a second.
  func rate() throws -> Double {
    // tps = 1234.5 (without initial connection time)
    guard let rate = number(after: "tps = ") else {
      throw BenchError("pgbench printed no rate: \(text.suffix(300))")
    }
    return rate
  }

  /// Returns the number after the label with which a line begins; nil if no line has one.
  func number(after label: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix(label) }
      .flatMap { $0.dropFirst(label.count).split(separator: " ").first }
      .flatMap { Double($0) }
  }
}
