internal import ArgumentParser
internal import BellhopCommands

struct Apps: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps", abstract: "List the apps that publish, or set what you want of one.",
    discussion: "Example: bellhop apps set backups --name \"Back-ups\" --mute 2h",
    subcommands: [All.self, Set.self], defaultSubcommand: All.self)

  struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the apps with their counts and settings.",
      discussion: "Example: bellhop apps list --json | jq -r 'select(.muted).app'")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var source: OfflineOption

    func run() throws {
      try Commands.apps(
        try global.context(), isOffline: source.offline, asJSON: output.json)
    }
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Set what you want of an app, on all your devices.",
      discussion: """
        What is not named stays as it is. It holds here at once, and is sent now or when the store \
        is back; of several devices that set the same thing, the last one that reaches the store wins.

        Example: bellhop apps set ci.example.com --name CI --alias ci --retention 30d
        Example: bellhop apps set chat --quiet 22:00-07:00 --quiet-days sun,mon --no-sound
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The app's host or topic, or an alias.", valueName: "app"))
    var app: String
    @Option(help: "What to call it; empty for its host.") var name: String?
    @Option(help: "A topic that lands in it, too; may be given several times. These replace all.")
    var alias: [String] = []
    @Flag(help: "Take all its aliases away.") var noAliases = false
    @Option(
      help: ArgumentHelp(
        "Let it arrive in silence: for a span (2h), until a time, forever; or off.",
        valueName: "when"))
    var mute: String?
    @Flag(inversion: .prefixedNo, help: "Whether devices may show banners for it.")
    var alert: Bool?
    @Flag(inversion: .prefixedNo, help: "Whether they may make a sound.") var sound: Bool?
    @Flag(inversion: .prefixedNo, help: "Whether it counts on badges.") var badge: Bool?
    @Option(help: ArgumentHelp("Quiet hours of each day, 22:00-07:00; or off.", valueName: "hours"))
    var quiet: String?
    @Option(
      help: ArgumentHelp("Days on which they begin: mon,tue; else all.", valueName: "days"))
    var quietDays: String?
    @Option(
      help: ArgumentHelp(
        "The zone they are meant in, such as Europe/Berlin; else each device's own.",
        valueName: "zone"))
    var timeZone: String?
    @Option(
      help: ArgumentHelp(
        "How long items stay that name no expiration: 30d, 12w; or default.", valueName: "days"))
    var retention: String?
    @Flag(help: "Set up an app that has not published yet.") var new = false
    @Flag(help: "Return when the store has it; 75 when it does not answer.")
    var wait = false

    func validate() throws {
      guard alias.isEmpty || !noAliases else {
        throw ValidationError("Say --alias or --no-aliases, not both.")
      }
    }

    func run() throws {
      var request = AppRequest()
      request.name = name
      request.aliases = noAliases ? [] : alias.isEmpty ? nil : alias
      request.mute = mute
      request.alert = alert
      request.sound = sound
      request.badge = badge
      request.quiet = quiet
      request.quietDays = quietDays
      request.timeZone = timeZone
      request.retention = retention
      request.mayBeNew = new
      try Commands.setApp(try global.context(), app: app, request, waits: wait)
    }
  }
}
