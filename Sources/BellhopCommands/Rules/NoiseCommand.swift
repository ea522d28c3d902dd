internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

extension Commands {
  /// The most lines for users.
  private static let noiseLinesMax = 20
  /// The most lines for programs.
  private static let noiseJSONLinesMax = 1_000

  /// Runs `bellhop report noise`, which prints what comes most often, and which rules would help.
  ///
  /// - Throws: `ClientError`.
  package static func noise(
    _ context: ClientContext, days: Int, isOffline: Bool, asJSON: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let synced = try access.freshen(isOffline: isOffline).synced
    let since = try access.storeTime().advanced(by: .seconds(-86_400 * Int64(days)))
    let reader = try access.reader()
    let report = try failing {
      try reader.noise(since: since, limit: asJSON ? noiseJSONLinesMax : noiseLinesMax)
    }
    let text = NoiseText(
      report: report, names: try reader.displayNames(), days: days, program: .own)
    guard asJSON else {
      for line in text.lines(width: StandardOutput.width) { StandardOutput.line(line) }
      return
    }
    for line in report.lines {
      try StandardOutput.jsonLine(
        NoiseJSON(line, of: text, account: access.account.name, synced: synced))
    }
  }
}

/// A line of the report as one line of `--json`. The keys are stable; the topic `watch` lists them.
private struct NoiseJSON: Encodable {
  var account: String
  var days: Int
  var app: String
  var name: String
  var group: String?
  var title: String?
  var count: Int
  var items: Int
  var handled: Int
  var opened: Int
  var answered: Int
  var medianSeconds: Int64?
  var advice: String?
  /// The command that adds the suggested rule.
  var command: String?
  /// The time when the cache last matched the store; nil if it never did.
  var synced: String?

  init(
    _ line: NoiseReport.Line, of text: NoiseText, account: AccountName, synced: Timestamp?
  ) {
    self.account = account.rawValue
    days = text.days
    app = line.app
    name = text.names[line.app] ?? line.app
    group = line.group
    title = line.title
    count = line.count
    items = line.items
    handled = line.handled
    opened = line.opened
    answered = line.answered
    medianSeconds = line.medianToHandle?.components.seconds
    advice = line.advice?.rawValue
    command = text.command(for: line)?.string
    self.synced = synced?.description
  }
}
