internal import ArgumentParser
internal import BellhopCommands

struct Places: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "place",
    abstract: "List and change your places, and report where this device is.",
    discussion: """
      An item can wait for a place: it is delivered when the first of your devices arrives there, \
      or when the last one leaves.

      Examples:
        bellhop place add office
        bellhop publish "Ask Ann for the key" --at-place office:entry
        bellhop place enter office
      """,
    subcommands: [All.self, Add.self, Remove.self, Enter.self, Leave.self],
    defaultSubcommand: All.self)

  struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List your places, and the devices that are there.",
      discussion: "Example: bellhop place list --json | jq -r 'select(.here).name'")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var source: OfflineOption

    func run() throws {
      try Commands.places(try global.context(), isOffline: source.offline, asJSON: output.json)
    }
  }

  /// The arguments of the commands that name a place.
  struct PlaceArguments: ParsableArguments {
    @Argument(help: "The name of the place.", completion: .places) var name: String

    @OptionGroup var sending: WaitOption
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a place, on every device, or let this device learn one.",
      discussion: """
        With --here or an area, this device finds out by itself when it arrives and leaves, while \
        a bellhop or its agent runs. What it has learned stays on this device, so each device \
        learns by itself; several --here add networks to the place.

        Example: bellhop place add office --here
        Example: bellhop place add park --latitude 52.5145 --longitude 13.3501 --radius 400
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: PlaceArguments
    @Flag(help: "Learn the present network: by its gateway, and by the name of the Wi-Fi.")
    var here = false
    @Option(help: ArgumentHelp("The latitude of its centre.", valueName: "degrees"))
    var latitude: Double?
    @Option(help: ArgumentHelp("The longitude of its centre.", valueName: "degrees"))
    var longitude: Double?
    @Option(help: ArgumentHelp("Its radius; GeoClue reports the position.", valueName: "metres"))
    var radius: Double?

    func run() throws {
      let request = PlaceRequest(
        isHere: here, latitude: latitude, longitude: longitude, radius: radius)
      try Commands.addPlace(
        try global.context(), place.name, learning: request, waits: place.sending.wait)
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a place, on every device.",
      discussion: """
        Items that wait for it stay, and are not delivered. This device forgets how to recognise it.

        Example: bellhop place remove office
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: PlaceArguments

    func run() throws {
      try Commands.removePlace(try global.context(), place.name, waits: place.sending.wait)
    }
  }

  struct Enter: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "enter", abstract: "Report that this device is at a place.",
      discussion: """
        It counts as being there for 12 hours, or until it leaves. A device that has learned the \
        place reports by itself.

        Example: bellhop place enter office
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: PlaceArguments

    func run() throws {
      try Commands.reportPlace(
        try global.context(), place.name, isInside: true, waits: place.sending.wait)
    }
  }

  struct Leave: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "leave", abstract: "Report that this device has left a place.",
      discussion: "Example: bellhop place leave office")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var place: PlaceArguments

    func run() throws {
      try Commands.reportPlace(
        try global.context(), place.name, isInside: false, waits: place.sending.wait)
    }
  }
}
