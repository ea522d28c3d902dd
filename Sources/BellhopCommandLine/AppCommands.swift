internal import ArgumentParser
internal import BellhopCommands
internal import BellhopModel

struct Apps: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps", abstract: "List the apps that publish, or change the settings of one.",
    discussion: "Example: bellhop apps set backups --name \"Back-ups\" --mute 2h",
    subcommands: [All.self, Set.self, New.self], defaultSubcommand: All.self)

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
      abstract: "Change the settings of an app, on all your devices.",
      discussion: """
        Settings that are not named do not change. A change applies here at once and is sent now, \
        or when the store is back. If several devices change the same setting, the last one to \
        reach the store wins.

        Example: bellhop apps set ci.example.com --name CI --alias ci --retention 30d
        Example: bellhop apps set chat --quiet 22:00-07:00 --quiet-days sun,mon --no-sound
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(
      help: ArgumentHelp("The app's host or topic, or an alias.", valueName: "app"),
      completion: .apps)
    var app: String
    @Option(help: "Its display name; empty restores the original.") var name: String?
    @Option(help: "Another topic to deliver here; may be repeated. Replaces all its aliases.")
    var alias: [String] = []
    @Flag(help: "Remove all its aliases.") var noAliases = false
    @Option(
      help: ArgumentHelp(
        "Mute it for a span (2h), until a time, or forever; or off.",
        valueName: "when"))
    var mute: String?
    @Option(
      help: ArgumentHelp(
        "Whether it may notify: allow, quiet (its items arrive silently), or never (the store "
          + "refuses them).", valueName: "decision"))
    var notify: Decision?
    @Flag(inversion: .prefixedNo, help: "Whether devices may show banners for it.")
    var alert: Bool?
    @Flag(inversion: .prefixedNo, help: "Whether devices may make a sound for it.") var sound: Bool?
    @Flag(inversion: .prefixedNo, help: "Whether its items are counted in badges.") var badge: Bool?
    @Option(
      help: ArgumentHelp(
        "What a screen with the focus shows of it besides the row: list (nothing, the default), "
          + "line, or ring.", valueName: "kind"))
    var whenFocused: Focused?
    @OptionGroup var quietHours: QuietHoursOptions
    @Option(
      help: ArgumentHelp(
        "How long to keep items without an expiration: 30d, 12w; or default.", valueName: "days"))
    var retention: String?
    @Option(
      help: ArgumentHelp(
        "What it learns if it awaits an answer: none, actions (the default), or all, which includes "
          + "that you opened or dismissed an item.", valueName: "kind"))
    var responses: Responses?
    @Flag(
      inversion: .prefixedNo,
      help: "Whether it may publish items that wait for one of your places.")
    var places: Bool?
    @Option(
      help: ArgumentHelp(
        "What publications with the same group and title become: keep (an item each, the default), "
          + "or collapse (one item that counts them).", valueName: "kind"))
    var repeats: Repeats?
    @Flag(
      inversion: .prefixedNo,
      help: "Whether titles that differ only in numbers are the same for --repeats.")
    var ignoreNumbers: Bool?
    @Option(
      help: ArgumentHelp(
        "What a message that an alert is over does: mark (marks the alert, the default), or publish "
          + "(is also an item).", valueName: "kind"))
    var resolutions: Resolutions?
    @Flag(help: "Set up an app that has not published yet.") var new = false
    @OptionGroup var sending: WaitOption

    enum Decision: String, ExpressibleByArgument, CaseIterable {
      case allow, quiet, never

      var authorization: AppAuthorization {
        switch self {
        case .allow: .authorized
        case .quiet: .provisional
        case .never: .denied
        }
      }
    }

    enum Focused: String, ExpressibleByArgument, CaseIterable {
      case list, line, ring
    }

    enum Responses: String, ExpressibleByArgument, CaseIterable {
      case none, actions, all
    }

    enum Repeats: String, ExpressibleByArgument, CaseIterable {
      case keep, collapse
    }

    enum Resolutions: String, ExpressibleByArgument, CaseIterable {
      case mark, publish
    }

    func validate() throws {
      guard alias.isEmpty || !noAliases else {
        throw ValidationError("Use --alias or --no-aliases, not both.")
      }
    }

    func run() throws {
      var request = AppRequest()
      request.name = name
      request.aliases = noAliases ? [] : alias.isEmpty ? nil : alias
      request.mute = mute
      request.authorization = notify?.authorization
      request.alert = alert
      request.sound = sound
      request.badge = badge
      request.whenFocused = whenFocused.flatMap { FocusedPresentation(rawValue: $0.rawValue) }
      request.quiet = quietHours.quiet
      request.quietDays = quietHours.quietDays
      request.timeZone = quietHours.timeZone
      request.retention = retention
      request.responses = responses.flatMap { AppResponses(rawValue: $0.rawValue) }
      request.places = places
      request.repeats = repeats.flatMap { RepeatPolicy(rawValue: $0.rawValue) }
      request.ignoresNumbers = ignoreNumbers
      request.resolutions = resolutions.flatMap { ResolutionPolicy(rawValue: $0.rawValue) }
      request.mayBeNew = new
      try Commands.setApp(try global.context(), app: app, request, waits: sending.wait)
    }
  }

  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "new",
      abstract: "Show or set what apps may do that publish for the first time.",
      discussion: """
        With ask, every screen asks once, and the items arrive silently until you answer. With \
        quiet they arrive silently, and with allow they may notify at once. The setting applies on \
        all your devices.

        Example: bellhop apps new quiet
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: "ask, quiet or allow; without it, the setting is shown.") var rule: Rule?
    @OptionGroup var sending: WaitOption

    enum Rule: String, ExpressibleByArgument, CaseIterable {
      case ask, quiet, allow

      var authorization: AppAuthorization {
        switch self {
        case .ask: .notDetermined
        case .quiet: .provisional
        case .allow: .authorized
        }
      }
    }

    func run() throws {
      try Commands.newApps(try global.context(), rule?.authorization, waits: sending.wait)
    }
  }
}
