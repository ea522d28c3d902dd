internal import ArgumentParser
internal import BellhopCommands

extension Rules {
  /// The actions of a rule.
  struct ActionOptions: ParsableArguments {
    @Option(
      help: "List it at this level: min, low, normal, high or urgent.", completion: .priorities)
    var level: String?
    @Flag(help: "Do not ring for it.") var silent = false
    @Flag(help: "Mark it read.") var read = false
    @Flag(help: "Dismiss it.") var dismiss = false
    @Option(help: ArgumentHelp("Snooze it for a span, such as 2h.", valueName: "span"))
    var snoozeFor: String?
    @Option(
      help: ArgumentHelp("Snooze it until the next such time, such as 18:00.", valueName: "time"))
    var snoozeUntil: String?
    @Option(
      help: ArgumentHelp(
        "The time zone of --snooze-until, such as Europe/Berlin (default: that of bellhop requests "
          + "zone).", valueName: "zone"))
    var timeZone: String?
    @Flag(help: "Pin it.") var pin = false
    @Option(help: "Add this tag; may be repeated. Replaces all tags of the rule.")
    var tag: [String] = []
    @Option(help: "List it in this group.") var group: String?
    @Option(help: ArgumentHelp("List it under this app.", valueName: "app"), completion: .apps)
    var moveTo: String?
    @Option(
      help: ArgumentHelp(
        "Join it to an equal item as a repeat: exact, or ignoring-numbers.", valueName: "kind"),
      completion: .repeatKeys)
    var collapse: String?
    @Flag(help: "Skip the rules after this one.") var stop = false

    var request: RuleRequest {
      var request = RuleRequest()
      request.level = level
      request.isSilent = silent
      request.marksRead = read
      request.dismisses = dismiss
      request.snoozeSpan = snoozeFor
      request.snoozeEnd = snoozeUntil
      request.timeZone = timeZone
      request.pins = pin
      request.tags = tag
      request.group = group
      request.app = moveTo
      request.collapse = collapse
      request.stops = stop
      return request
    }
  }

  /// A place in the order of the rules.
  struct PositionOptions: ParsableArguments {
    @Flag(help: "Before all other rules.") var first = false
    @Flag(help: "After all other rules.") var last = false
    @Option(help: ArgumentHelp("Before this rule.", valueName: "rule"), completion: .rules)
    var before: String?
    @Option(help: ArgumentHelp("After this rule.", valueName: "rule"), completion: .rules)
    var after: String?

    func validate() throws {
      guard [first, last, before != nil, after != nil].count(where: { $0 }) <= 1 else {
        throw ValidationError("Use only one of --first, --last, --before and --after.")
      }
    }

    /// The place that the options name; nil without one.
    var place: RulePlace? {
      if first { return .first }
      if last { return .last }
      if let before { return .before(before) }
      if let after { return .after(after) }
      return nil
    }
  }
}

extension Rules {
  /// The answer to the question of a command.
  struct ConfirmationOption: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.") var yes = false
  }
}

// MARK: - Items and files

extension Rules {
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test", abstract: "Print what the rules would do with items.",
      discussion: """
        It takes the items as if they were published now, and changes nothing. With --when it says \
        which of them match a condition. Without items, it prints what a condition or a rule would have \
        matched in the last 30 days, and lists the newest 20 items on which it would have acted.

        Example: bellhop rules test 12
        Example: bellhop rules test --when 'app:ci title~/passed/'
        Example: bellhop rules test 12 13 --when 'app:ci -title~/failed/'
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var source: OfflineOption
    @Argument(
      help: "Item numbers, ids, or beginnings of ids; - reads them from standard input.",
      completion: .items)
    var items: [String] = []
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Test this condition instead of the rules.", valueName: "condition"))
    var when: String?
    @Option(help: "Test only this rule, also if it is disabled.", completion: .rules)
    var rule: String?

    func validate() throws {
      guard when == nil || rule == nil else {
        throw ValidationError("Use --when or --rule, not both.")
      }
    }

    func run() throws {
      try Commands.testRules(
        try global.context(),
        RuleTest(items: items, condition: when, rule: rule, isOffline: source.offline))
    }
  }

  struct Apply: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "apply", abstract: "Apply a rule to the items that are here.",
      discussion: """
        It asks first, with the number of items. The rule acts alone: other rules neither act nor stop \
        it. What you opened or dismissed stays handled. All of it is one change, which bellhop undo \
        takes back.

        Example: bellhop rules apply "passed builds"
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var rule: NameArgument
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var sending: WaitOption

    func run() throws {
      try Commands.applyRule(
        try global.context(), named: rule.name, isConfirmed: confirmation.yes,
        waits: sending.wait)
    }
  }

  struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "undo", abstract: "Take back what rules did to items, on all your devices.",
      discussion: """
        What you or the publisher changed since then stays. The next publication of the item meets the \
        rules again.

        Example: bellhop rules undo 12 13
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(
      help: "Item numbers, ids, or beginnings of ids; - reads them from standard input.",
      completion: .items)
    var items: [String]
    @OptionGroup var sending: WaitOption

    func run() throws {
      try Commands.undoRules(try global.context(), names: items, waits: sending.wait)
    }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Write the rules as TOML.",
      discussion: """
        An existing file is never overwritten.

        Example: bellhop rules export rules.toml
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var source: OfflineOption
    @Argument(
      help: "A new file; without it, or with -, standard output.",
      completion: .file(extensions: ["toml"]))
    var file: String?

    func validate() throws {
      guard file?.isEmpty != true else { throw ValidationError("The name of the file is empty.") }
    }

    func run() throws {
      try Commands.exportRules(try global.context(), to: file, isOffline: source.offline)
    }
  }

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Read rules from TOML: all of the file, or none.",
      discussion: """
        A table is the rule with its id, or else with its name; if there is none, it is a new rule. \
        New rules come last. With --replace, the rules become those of the file, in its order. On a \
        terminal it asks before it removes a rule. bellhop undo takes the import back.

        Example: bellhop rules import rules.toml --replace
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The file; - reads standard input.", completion: .file(extensions: ["toml"]))
    var file: String
    @Flag(help: "Remove the rules that the file does not contain.") var replace = false
    @Flag(help: "With --replace: do not ask for confirmation.") var yes = false
    @OptionGroup var sending: WaitOption

    func validate() throws {
      guard replace || !yes else { throw ValidationError("--yes works only with --replace.") }
    }

    func run() throws {
      try Commands.importRules(
        try global.context(), from: file, replaces: replace, isConfirmed: yes, waits: sending.wait)
    }
  }
}
