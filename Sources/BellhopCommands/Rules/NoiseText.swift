internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSettings
internal import BellhopText

/// A report on noise as lines of text, with a bar for the number of each line.
struct NoiseText {
  let report: NoiseReport
  /// The user's names for the apps, by the apps' own names.
  var names: [String: String] = [:]
  let days: Int
  /// The name of this program in commands.
  var program = ProgramName()

  private static let countCells = 7
  private static let barCells = 20
  private static let indentation = SafeText.blanks(countCells + 1)

  /// Returns the lines, of which those that are not commands are truncated to `width` cells.
  func lines(width: Int?) -> [SafeText] {
    func cut(_ line: SafeText) -> SafeText { width.map { line.truncated(to: $0) } ?? line }
    let most = report.lines.map(\.count).max() ?? 0
    let extent =
      report.count.counted("notification") + " in the last " + days.counted("day") + ", "
      + report.items.counted("item")
    var lines = [cut(SafeText(extent))]
    for line in report.lines {
      lines += [.empty, cut(head(line, most: most)), cut(Self.indentation + facts(line))]
      guard let advice = line.advice, let command = command(for: line) else { continue }
      lines += [cut(Self.indentation + SafeText(advice.sentence)), Self.indentation + command]
    }
    return lines
  }

  private func head(_ line: NoiseReport.Line, most: Int) -> SafeText {
    let cells = most == 0 ? 0 : max(1, line.count * Self.barCells / most)
    let bar = SafeText(String(repeating: "█", count: cells)).padded(to: Self.barCells)
    var parts = [SafeText(names[line.app] ?? line.app, byteLimit: RowSummary.nameBytesMax)]
    if let group = line.group {
      parts.append(SafeText(group))
    } else if line.title == nil, line.hasOtherGroups {
      parts.append("no group")
    }
    if let title = line.title { parts.append(SafeText(title)) }
    return SafeText(line.count.grouped).leftPadded(to: Self.countCells) + " " + bar + " "
      + SafeText.joined(parts, by: " · ")
  }

  private func facts(_ line: NoiseReport.Line) -> SafeText {
    func share(_ part: Int) -> String { "\(part * 100 / max(1, line.items)) %" }
    var facts: [String] = []
    if line.count > line.items { facts.append(line.items.counted("item")) }
    facts += [
      "opened \(share(line.opened))", "answered \(share(line.answered))",
      "handled \(share(line.handled))"
        + (line.medianToHandle.map { ", half of them within " + Self.span($0) } ?? ""),
    ]
    return SafeText(facts.joined(separator: " · "))
  }

  /// Returns a span in one unit, rounded up to it: `35s`, `3m`, `2h`, `4d`.
  static func span(_ duration: Duration) -> String {
    let milliseconds = max(1, duration.milliseconds)
    let units: [Int64] = [1000, 60_000, 3_600_000, 86_400_000]
    // Two of the next unit are more exact in this one.
    let unit = zip(units, units.dropFirst()).first { milliseconds <= 2 * $0.1 }?.0 ?? 86_400_000
    return TimeSpan.text(.milliseconds((milliseconds + unit - 1) / unit * unit))
  }

  // MARK: Advice

  /// Returns the command that adds the suggested rule.
  ///
  /// Nil without one, and if a terminal would not show it as a shell must read it.
  func command(for line: NoiseReport.Line) -> SafeText? {
    guard let advice = line.advice, let rule = line.suggestedRule else { return nil }
    let words = [rule.name, "--when", rule.condition.phrase] + advice.options
    let command =
      "bellhop rules add "
      + words.map { ProgramName.quoted($0) }.joined(separator: " ")
    let safe = SafeText(command, byteLimit: SafeText.bodyBytesMax)
    return safe.string == command ? program.written(in: safe) : nil
  }
}

extension NoiseAdvice {
  /// The reason, and what the command does.
  fileprivate var sentence: String {
    switch self {
    case .collapse: "You never open them. To make equal ones one item:"
    case .lower: "You dismiss them at once. To give them the level low:"
    case .silence: "You read them, and open none. To keep them from ringing:"
    }
  }

  /// The options of `bellhop rules add` for the actions of the suggested rule.
  fileprivate var options: [String] {
    switch self {
    case .collapse: ["--collapse", "ignoring-numbers"]
    case .lower: ["--level", Priority.low.name]
    case .silence: ["--silent"]
    }
  }
}
