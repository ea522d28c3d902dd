internal import ArgumentParser
internal import BellhopCommands

struct Rules: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "List and change the rules that act when an item is published.",
    discussion: """
      The store applies the rules in their order, so that all your devices agree. What the publisher \
      wrote stays as it is. A rule is named by its name, in any case, or by its id.

      Examples:
        bellhop rules add "passed builds" --when 'app:ci title~/(?i)passed|fixed/' --level low
        bellhop rules test 12
        bellhop rules apply "passed builds"
        bellhop rules export rules.toml
      """,
    subcommands: [
      All.self, Add.self, Edit.self, Move.self, Remove.self, Test.self, Apply.self, Undo.self,
      Export.self, Import.self,
    ],
    defaultSubcommand: All.self)

  struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the rules in the order in which they act.",
      discussion: """
        Each line has the number of items of the last 30 days that meet the condition, whatever the \
        rules did with them.

        Example: bellhop rules list --json | jq -r 'select(.enabled).name'
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var source: OfflineOption

    func run() throws {
      try Commands.rules(try global.context(), isOffline: source.offline, asJSON: output.json)
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a rule, which acts on what is published from now on.",
      discussion: """
        \(Rules.conditions)

        First it prints what the rule would have matched in the last 30 days. On a terminal it lists the \
        newest of these items, and asks. With --apply, the rule also acts on all items that are here, and \
        bellhop undo takes back both.

        Example: bellhop rules add "quiet nights" --when 'app:backup level:<=normal' --silent
        Example: bellhop rules add spam --when '"special offer"' --dismiss --first --stop
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var rule: NewNameArgument
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "The condition, such as 'app:ci title~/passed/'.", valueName: "condition"))
    var when: String
    @OptionGroup var actions: ActionOptions
    @OptionGroup var position: PositionOptions
    @Flag(help: "Apply it to the items that are here, too.") var apply = false
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var sending: WaitOption

    func run() throws {
      var request = actions.request
      request.condition = when
      request.place = position.place
      request.isApplied = apply
      request.isConfirmed = confirmation.yes
      try Commands.addRule(
        try global.context(), named: rule.name, request, waits: sending.wait)
    }
  }

  struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit", abstract: "Change parts of a rule.",
      discussion: """
        Parts that are not named do not change. If another device changed the rule first, nothing \
        changes. If the rule then acts in another way, it first prints what the rule would have matched \
        in the last 30 days, and asks on a terminal.

        Example: bellhop rules edit "passed builds" --without level --silent
        Example: bellhop rules edit spam --disable
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var rule: NameArgument
    @Option(
      parsing: .unconditional, help: ArgumentHelp("The new condition.", valueName: "condition"))
    var when: String?
    @OptionGroup var actions: ActionOptions
    @Option(
      help: ArgumentHelp("Take out this action; may be repeated.", valueName: "action"),
      completion: .ruleActions)
    var without: [String] = []
    @Option(help: ArgumentHelp("The new name.", valueName: "name")) var rename: String?
    @Flag(help: "Let the rule act.") var enable = false
    @Flag(help: "Keep the rule, and do not let it act.") var disable = false
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var sending: WaitOption

    func validate() throws {
      guard !enable || !disable else {
        throw ValidationError("Use --enable or --disable, not both.")
      }
    }

    func run() throws {
      var request = actions.request
      request.condition = when
      request.removedActions = without
      request.newName = rename
      request.isEnabled = enable ? true : disable ? false : nil
      request.isConfirmed = confirmation.yes
      try Commands.editRule(
        try global.context(), named: rule.name, request, waits: sending.wait)
    }
  }

  struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "move", abstract: "Move a rule to another place in the order.",
      discussion: """
        If two rules set the same value, the later one counts. A rule with --stop hides those after it.

        Example: bellhop rules move spam --first
        Example: bellhop rules move "passed builds" --after spam
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var rule: NameArgument
    @OptionGroup var position: PositionOptions
    @OptionGroup var sending: WaitOption

    func validate() throws {
      guard position.place != nil else {
        throw ValidationError("Use one of --first, --last, --before and --after.")
      }
    }

    func run() throws {
      guard let place = position.place else { return }
      try Commands.moveRule(
        try global.context(), named: rule.name, to: place, waits: sending.wait)
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a rule; what it did to items stays.",
      discussion: """
        To take that back, too, use bellhop rules undo.

        Example: bellhop rules remove spam
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var rule: NameArgument
    @OptionGroup var sending: WaitOption

    func run() throws {
      try Commands.removeRule(try global.context(), named: rule.name, waits: sending.wait)
    }
  }

  /// The argument of the commands that name a rule.
  struct NameArgument: ParsableArguments {
    @Argument(help: "The name of the rule, or its id.", completion: .rules) var name: String
  }

  /// The argument with the name of a new rule.
  struct NewNameArgument: ParsableArguments {
    @Argument(help: "The name of the rule, which no other rule has.") var name: String
  }

  /// The help on conditions.
  static let conditions = """
    A condition has terms such as app:ci group:main tag:disk level:>=high title~/disk|memory/ and \
    words, which must all match what the publisher wrote. title~, subtitle~ and body~ take a pattern; \
    (?i) at its start ignores case. bellhop help rules has the details.
    """
}
