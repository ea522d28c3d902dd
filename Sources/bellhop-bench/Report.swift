/// One line of the table.
struct Line: Sendable {
  /// What is measured, in which unit.
  var what: String
  /// The size of the data, such as `100k`; empty where it does not matter.
  var size = ""
  /// One value a round.
  var ours: Samples
  var peer: Peer?
  /// What BENCHMARKS ask for, in words.
  var target = ""

  /// What stands beside it.
  enum Peer: Sendable {
    case measured(name: String, Samples)
    /// Why there is no figure.
    case absent(name: String, reason: String)
  }
}

/// Prints the table, line by line as the figures come in.
struct Report {
  private static let widths = [44, 6, 26, 40, 8]

  func begin(_ machine: String) {
    Files.say(machine)
    Files.say(Self.row(["measure", "items", "bellhop", "peer", "ratio"], "target"))
    Files.say(String(repeating: "-", count: Self.widths.reduce(0, +) + Self.widths.count * 2 + 20))
  }

  /// A line for each of what stands beside ours; one line where nothing does.
  func add(_ line: Line, beside peers: [Line.Peer]) {
    var line = line
    if peers.isEmpty { add(line) }
    for peer in peers {
      line.peer = peer
      add(line)
    }
  }

  func add(_ line: Line) {
    var peer = ""
    var ratio = ""
    switch line.peer {
    case .measured(let name, let samples):
      peer = "\(name): \(Self.words(samples))"
      let quotient = line.ours.median / samples.median
      if quotient.isFinite { ratio = Self.number(quotient) + "×" }
    case .absent(let name, let reason): peer = "\(name): \(reason)"
    case nil: break
    }
    Files.say(Self.row([line.what, line.size, Self.words(line.ours), peer, ratio], line.target))
  }

  func note(_ text: String) { Files.say("  " + text) }

  /// The median and the range.
  private static func words(_ samples: Samples) -> String {
    // Such as half pages in a program that has no key for them.
    guard samples.median.isFinite else { return "no figure" }
    guard samples.values.count > 1 else { return number(samples.median) }
    return "\(number(samples.median)) (\(number(samples.least))–\(number(samples.greatest)))"
  }

  /// Three digits that count.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    let size = abs(value)
    if size >= 100 { return String(Int(value.rounded())) }
    let decimals = size >= 10 ? 1 : 2
    let scale = decimals == 1 ? 10.0 : 100.0
    let scaled = Int((size * scale).rounded())
    let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int(scale))
    let digits = String(part)
    let padding = String(repeating: "0", count: decimals - digits.count)
    return (value < 0 ? "-" : "") + "\(whole).\(padding)\(digits)"
  }

  private static func row(_ cells: [String], _ last: String) -> String {
    var line = ""
    for (cell, width) in zip(cells, widths) {
      line += cell + String(repeating: " ", count: max(1, width - cell.count + 2))
    }
    return line + last
  }
}

/// `10k`, `1M`.
func shortCount(_ count: Int) -> String {
  if count >= 1_000_000, count % 1_000_000 == 0 { return "\(count / 1_000_000)M" }
  if count >= 1000, count % 1000 == 0 { return "\(count / 1000)k" }
  return String(count)
}

/// Why a measurement has no figure.
struct BenchError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
