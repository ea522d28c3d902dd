internal import ArgumentParser
internal import BellhopCommands

struct Requests: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "List what will be delivered; change, cancel and resume deliveries.",
    discussion: """
      Lists scheduled items, and those that are delivered again and again, by the time of their \
      next delivery.

      Examples:
        bellhop requests --app ci
        bellhop requests edit 12 --at "fri 9:00"
        bellhop requests cancel 12
      """,
    subcommands: [All.self, Edit.self, Cancel.self, Resume.self, Zone.self],
    defaultSubcommand: All.self)

  struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List what will be delivered, soonest first.",
      discussion: "Example: bellhop requests list --json | jq -r .nextOccurrence")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var source: OfflineOption
    @Option(help: "Only the items of this app.", completion: .apps) var app: String?

    func run() throws {
      try Commands.requests(
        try global.context(), app: app, isOffline: source.offline, asJSON: output.json)
    }
  }

  /// The arguments of the commands that change requests.
  struct ChangeArguments: ParsableArguments {
    @Argument(help: "Item numbers, ids, or beginnings of ids.", completion: .items)
    var ids: [String]

    @OptionGroup var sending: WaitOption
  }

  struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit", abstract: "Change when an item is delivered, on every device.",
      discussion: """
        Also without a connection: this device delivers it at the new time, and sends the change \
        later. bellhop undo gives the item its former time.

        Examples:
          bellhop requests edit 12 --at "fri 9:00"
          bellhop requests edit 14 --every "weekdays 8:00"
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The item's number, id, or the beginning of its id.", completion: .items)
    var id: String
    @Option(
      help: ArgumentHelp("The new time of an item that is delivered once.", valueName: "when"))
    var at: String?
    @Option(
      name: .customLong("in"),
      help: ArgumentHelp("The new time as a span from now: 15m, 2h, 3d.", valueName: "span"))
    var delay: String?
    @Option(
      help: ArgumentHelp(
        "The new times, for an item that is delivered again and again: 2h or \"mon,fri 9:00\".",
        valueName: "times"))
    var every: String?
    @Option(help: "The time zone of --every (default: that of the item's present times).")
    var zone: String?
    @OptionGroup var sending: WaitOption

    func run() throws {
      try Commands.reschedule(
        try global.context(), id, ScheduleOptions(at: at, delay: delay, every: every, zone: zone),
        waits: sending.wait)
    }
  }

  struct Cancel: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cancel", abstract: "Cancel deliveries, on every device.",
      discussion: """
        An item that was delivered before stays as it is, and bellhop undo resumes its \
        deliveries. One that was never delivered is deleted; on a terminal, bellhop undo can \
        undo that within 5 seconds.

        Example: bellhop requests cancel 12
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var items: ChangeArguments

    func run() throws {
      try Commands.changeRequests(
        try global.context(), isCancelled: true, names: items.ids, waits: items.sending.wait)
    }
  }

  struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume", abstract: "Resume deliveries that were cancelled.",
      discussion: "Example: bellhop requests resume 12")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var items: ChangeArguments

    func run() throws {
      try Commands.changeRequests(
        try global.context(), isCancelled: false, names: items.ids, waits: items.sending.wait)
    }
  }

  struct Zone: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "zone", abstract: "Show or set the time zone in which the store delivers.",
      discussion: """
        It applies to repeated times without a zone of their own. Devices deliver those in the zone \
        that they are in; the store needs one for ntfy clients, web hooks and its lists.

        Example: bellhop requests zone Europe/Berlin
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(
      help: "A name such as Europe/Berlin, or \"store\"; without it, the setting is shown.")
    var name: String?
    @OptionGroup var sending: WaitOption

    func run() throws {
      try Commands.requestZone(try global.context(), name, waits: sending.wait)
    }
  }
}
