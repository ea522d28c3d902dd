internal import BellhopStore

/// Prometheus's text format, version 0.0.4.
struct PrometheusText {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  private(set) var text = ""

  /// Begins a metric.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Adds one value of a metric.
  ///
  /// - Parameter labels: See ``labels(_:)``.
  mutating func add(_ name: String, labels: String = "", _ value: some CustomStringConvertible) {
    text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(value)\n"
  }

  /// Adds a whole metric with one value.
  mutating func single(
    _ name: String, _ kind: Kind, _ help: String, _ value: (some CustomStringConvertible)?
  ) {
    guard let value else { return }
    begin(name, kind, help)
    add(name, value)
  }

  /// Adds the lines of one histogram to the current metric.
  mutating func add(_ name: String, labels: String = "", _ histogram: DurationHistogram) {
    let prefix = labels.isEmpty ? "" : labels + ","
    var count = 0
    for (index, bound) in histogram.bounds.enumerated() {
      count += histogram.counts[index]
      add(name + "_bucket", labels: prefix + "le=\"\(bound)\"", count)
    }
    add(name + "_bucket", labels: prefix + "le=\"+Inf\"", histogram.count)
    add(name + "_sum", labels: labels, histogram.sum)
    add(name + "_count", labels: labels, histogram.count)
  }

  /// Returns the labels in the text format.
  static func labels(_ dimensions: [(String, String)]) -> String {
    dimensions.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(character)  // open: Unicode.Scalar
      }
    }
    return result
  }
}
