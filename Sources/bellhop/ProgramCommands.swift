internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands

struct DoNotDisturb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dnd",
    abstract: "Turn do-not-disturb on or off and set quiet hours, on all devices.",
    discussion: """
      Without options it shows them. What arrives is in the tray all the same. Urgent items are heard \
      where the configuration has urgent-passes = true.

      Example: bellhop dnd --for 2h
      Example: bellhop dnd --quiet 22:00-07:00 --quiet-days sun,mon,tue,wed,thu
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "on, until you turn it off; or off.") var turn: Turn?
  @Option(name: .customLong("for"), help: ArgumentHelp("For a span.", valueName: "span"))
  var span: String?
  @Option(help: ArgumentHelp("Until a time, such as \"tomorrow 9:00\".", valueName: "when"))
  var until: String?
  @Option(help: ArgumentHelp("Quiet hours of each day, 22:00-07:00; or off.", valueName: "hours"))
  var quiet: String?
  @Option(help: ArgumentHelp("Days on which they begin: mon,tue; else all.", valueName: "days"))
  var quietDays: String?
  @Option(
    help: ArgumentHelp(
      "The zone they are meant in, such as Europe/Berlin; else each device's own.",
      valueName: "zone"))
  var timeZone: String?
  @Flag(help: "Return when the store has it; 75 when it does not answer.") var wait = false

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
    abstract: "Synchronise and ring with no screen open; screens and commands attach to it.",
    discussion: """
      It shows urgent items on the desktop by notify-send, or by notify-command of the configuration, \
      and is silent while a screen is open, which rings itself. It runs until it is ended.

      Example: bellhop agent --enable    # a systemd user service, from now on at every log-in
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Have systemd run it for you from now on.") var enable = false
  @Flag(help: "Have systemd no longer run it.") var disable = false

  func validate() throws {
    guard !(enable && disable) else { throw ValidationError("Say --enable or --disable.") }
  }

  func run() throws {
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
      "The configuration: every key explained, what is in force, where, whether it is valid.",
    discussion: "Example: bellhop config default > ~/.config/bellhop/config.toml",
    subcommands: [Default.self, Show.self, Path.self, Check.self], defaultSubcommand: Show.self)

  struct Default: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "default",
      abstract: "Print a file with every key explained; it changes nothing.")
    func run() throws { Commands.configDefault() }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Print what holds.")
    func run() throws { try Commands.configShow() }
  }

  struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "path", abstract: "Print where the file is.")
    func run() throws { try Commands.configPath() }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Say everything that is wrong with the file, with lines; 78 then.")
    func run() throws { try Commands.configCheck() }
  }
}

struct Themes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "themes",
    abstract: "Preview the themes; in a pipe, list their names.",
    discussion: "Example: bellhop themes nord my-own")

  @Argument(
    help: ArgumentHelp("Only these; names, or paths of files.", valueName: "theme"),
    completion: .themes)
  var names: [String] = []

  func run() throws {
    try Commands.themes(
      try ClientContext.live(account: nil, usesPolling: nil), named: names)
  }
}
