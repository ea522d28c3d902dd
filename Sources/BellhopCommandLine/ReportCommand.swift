internal import ArgumentParser
internal import BellhopCommands

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Report what arrives, and which rules would make it less.",
    discussion: "Example: bellhop report noise --days 7", subcommands: [Noise.self],
    defaultSubcommand: Noise.self)

  struct Noise: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "noise",
      abstract: "Report which apps, groups and titles come most often, and what you do with them.",
      discussion: """
        A title counts with any numbers in it. Where a rule would help, the command that adds it \
        follows; it changes nothing that is already there.

        Example: bellhop report noise
        Example: bellhop report noise --days 7 --json | jq -r '.command // empty'
        """)

    @OptionGroup var global: GlobalOptions
    @Option(help: ArgumentHelp("Report on the last days (default: 30).", valueName: "days"))
    var days: Int?
    @OptionGroup var output: OutputOptions
    @OptionGroup var source: OfflineOption

    /// The most days, about ten years.
    private static let daysMax = 3_660

    func validate() throws {
      guard (1...Self.daysMax).contains(days ?? 1) else {
        throw ValidationError("--days must be 1 to \(Self.daysMax), such as 30.")
      }
    }

    func run() throws {
      try Commands.noise(
        try global.context(), days: days ?? 30, isOffline: source.offline, asJSON: output.json)
    }
  }
}
