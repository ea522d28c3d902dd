internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands

struct DoNotDisturb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dnd",
    abstract: "Turn do-not-disturb on or off and set quiet hours, on all devices.",
    discussion: """
      Without options, shows the current settings. New items are in the tray in any case. Urgent \
      items ring if the configuration has urgent-passes = true.

      Example: bellhop dnd --for 2h
      Example: bellhop dnd --quiet 22:00-07:00 --quiet-days sun,mon,tue,wed,thu
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "on, until you turn it off; or off.") var turn: Turn?
  @Option(
    name: .customLong("for"), help: ArgumentHelp("For a span, such as 2h.", valueName: "span"))
  var span: String?
  @Option(help: ArgumentHelp("Until a time, such as \"tomorrow 9:00\".", valueName: "when"))
  var until: String?
  @OptionGroup var quietHours: QuietHoursOptions
  @OptionGroup var sending: WaitOption

  enum Turn: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  func run() throws {
    var request = AttentionRequest()
    request.isOn = turn.map { $0 == .on }
    request.span = span
    request.until = until
    request.quiet = quietHours.quiet
    request.quietDays = quietHours.quietDays
    request.timeZone = quietHours.timeZone
    try Commands.attention(try global.context(), request, waits: sending.wait)
  }
}

/// The options of daily quiet hours.
struct QuietHoursOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Daily quiet hours, such as 22:00-07:00; or off.", valueName: "hours"))
  var quiet: String?
  @Option(
    help: ArgumentHelp(
      "Days on which they begin, such as mon,tue (default: all).", valueName: "days"))
  var quietDays: String?
  @Option(
    help: ArgumentHelp(
      "Their time zone, such as Europe/Berlin (default: each device's own).",
      valueName: "zone"))
  var timeZone: String?
}
