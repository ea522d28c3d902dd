/// One line of the table.
struct Line: Sendable {
  /// The measured quantity, with its unit.
  var what: String
  /// The size of the data, such as `100k`; empty if it does not matter.
  var size = ""
  /// Our figures, one value per round.
  var ours: Samples
  var peer: Peer?
  /// The target, in words.
  var target = ""

  /// The figure beside ours.
  enum Peer: Sendable {
    case measured(name: String, Samples)
    /// The reason for a missing figure.
    case absent(name: String, reason: String)
  }
}

/// A printer of the table, line by line as the figures come in.
struct Report {
  private static let widths = [44, 6, 26, 40, 8]

  func begin(_ machine: String) {
    Files.say(machine)
    Files.say(Self.row(["measure", "items", "bellhop", "peer", "ratio"], "target"))
    Files.say(String(repeating: "-", count: Self.widths.reduce(0, +) + Self.widths.count * 2 + 20))
  }

  /// Adds a line for each figure beside ours; one line if there is none.
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

  /// Returns the median and the range.
  private static func words(_ samples: Samples) -> String {
    // For example, half pages in a program that has no key for them.
    guard samples.median.isFinite else { return "no figure" }
    guard samples.values.count > 1 else { return number(samples.median) }
    return "\(number(samples.median)) (\(number(samples.least))–\(number(samples.greatest)))"
  }

  /// Returns a number with three significant digits.
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

/// Returns a short form such as `10k` or `1M`.
func shortCount(_ count: Int) -> String {
  if count >= 1_000_000, count % 1_000_000 == 0 { return "\(count / 1_000_000)M" }
  if count >= 1000, count % 1000 == 0 { return "\(count / 1000)k" }
  return String(count)
}

/// The reason for a missing figure.
struct BenchError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }

  /// Creates the error for a refusal, of which it quotes the first line.
  init(response: some Collection<UInt8>) {
    let line = response.prefix { $0 != UInt8(ascii: "\r") }
    self.init("the server answered \(String(decoding: line, as: UTF8.self))")
  }
}
