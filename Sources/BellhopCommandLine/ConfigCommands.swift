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
  @Flag(help: "Wait until the store has the change; exit code 75 if it does not answer.") var wait =
    false

  enum Turn: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  func run() throws {
    var request = AttentionRequest()
    request.isOn = turn.map { $0 == .on }
    request.span = span
    request.until = until
    request.quiet = quiet
    request.quietDays = quietDays
    request.timeZone = timeZone
    try Commands.attention(try global.context(), request, waits: wait)
  }
}

struct Agent: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent",
    abstract: "Synchronise and ring while no screen is open; screens and commands use it.",
    discussion: """
      It shows urgent items on the desktop with notify-send, or with the notify-command of the \
      configuration. It is silent while a screen is open, because the screen rings itself. It runs \
      until you stop it.

      Example: bellhop agent --enable    # a systemd user service, from now on at every log-in
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Have systemd start it now and at each log-in.") var enable = false
  @Flag(help: "Have systemd stop it and no longer start it.") var disable = false
  // For packages; users have --enable.
  @Option(
    help: ArgumentHelp(
      "Print a systemd user unit that runs the program of this path.", valueName: "path",
      visibility: .hidden))
  var printUnit: String?

  func validate() throws {
    guard !(enable && disable) else {
      throw ValidationError("Use --enable or --disable, not both.")
    }
    guard printUnit?.hasPrefix("/") != false else {
      throw ValidationError("--print-unit needs an absolute path, such as /usr/bin/bellhop.")
    }
  }

  func run() throws {
    if let printUnit { return Commands.printAgentUnit(program: printUnit) }
    let context = try global.context()
    if enable {
      try Commands.enableAgent(context)
    } else if disable {
      try Commands.disableAgent(context)
    } else {
      try Commands.agent(context)
    }
  }
}

struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract:
      "Explain, print, find or check the configuration.",
    discussion: "Example: bellhop config default > ~/.config/bellhop/config.toml",
    subcommands: [Default.self, Show.self, Path.self, Check.self], defaultSubcommand: Show.self)

  struct Default: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "default",
      abstract: "Print a file that explains every key; nothing is changed.")
    func run() throws { Commands.configDefault() }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Print the settings in effect.")
    func run() throws { try Commands.configShow() }
  }

  struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "path", abstract: "Print the path of the file.")
    func run() throws { try Commands.configPath() }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "List all problems in the file, with lines; exit code 78 if there are any.")
    func run() throws { try Commands.configCheck() }
  }
}

struct Themes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "themes",
    abstract: "Preview the themes; in a pipe, list their names.",
    discussion: "Example: bellhop themes nord my-own")

  @Argument(
    help: ArgumentHelp(
      "Show only these themes: names, or paths of theme files.", valueName: "theme"),
    completion: .themes)
  var names: [String] = []

  func run() throws {
    try Commands.themes(
      try ClientContext.live(account: nil, usesPolling: nil), named: names)
  }
}
