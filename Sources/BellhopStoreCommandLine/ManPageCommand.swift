internal import ArgumentParser
internal import BellhopManual
internal import BellhopModel
internal import BellhopServer

/// The hidden command that prints the manual pages, for packages and `.ci/install`.
struct ManPageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manpage", abstract: "Print a manual page in roff.",
    discussion: "Example: bellhopd manpage bellhopd.8 | man -l -", shouldDisplay: false)

  enum Page: String, ExpressibleByArgument, CaseIterable {
    case program = "bellhopd.8"
    case configuration = "bellhopd.toml.5"
  }

  @Argument(help: "The page's file name.") var page: Page

  func run() async throws {
    switch page {
    case .program: Output.text(try Self.program().text)
    case .configuration: Output.text(Self.settings().text)
    }
  }

  /// The topics that the page of the configuration or the list of commands replaces.
  private static let otherTopics = ["store-commands", "store-configuration"]

  private static func program() throws -> ManPage {
    .program(
      try CommandTree(json: Bellhopd._dumpHelp()), section: 8,
      topics: Manual.store.filter { !otherTopics.contains($0.name) },
      facts: ManPage.Facts(
        version: ProgramVersion.number,
        files: [
          .init(
            "~/.local/share/bellhop/store/",
            "The data, unless --data or the configuration names another directory."),
          .init("/var/lib/bellhop/", "The data of the unit that bellhopd systemd-unit prints."),
        ],
        environment: [
          .init("XDG_DATA_HOME", "A folder that is used instead of ~/.local/share."),
          .init("PGPASSFILE", "The password file of a database, instead of ~/.pgpass."),
        ],
        exitStatus: [
          .init("0", "The command was carried out."),
          .init("64", "The command line is not valid."),
          .init("65", "The data of a file is not valid."),
          .init("66", "The user, token, device, store or file does not exist."),
          .init("69", "An address is taken."),
          .init("70", "A fault of the program."),
          .init("73", "A file or a folder cannot be created."),
          .init("74", "A file cannot be read or written, or the disk is full."),
          .init("75", "It cannot be done now. Try again later."),
          .init("77", "The owner of a file does not allow it."),
          .init("78", "The configuration cannot be used."),
        ],
        seeAlso: ["bellhopd.toml(5)", "bellhop(1)", "systemd.service(5)"]))
  }

  private static func settings() -> ManPage {
    .configuration(
      name: "bellhopd.toml", summary: "the configuration of bellhopd",
      path: "bellhopd serve --config FILE",
      settings: StoreSettings.documentation(version: ProgramVersion.number),
      topic: Manual.store.first { $0.name == "store-configuration" },
      facts: ManPage.Facts(
        version: ProgramVersion.number,
        files: [
          .init("/etc/bellhop/bellhopd.toml", "A usual place. There is no default one.")
        ], seeAlso: ["bellhopd(8)", "bellhop.toml(5)"]))
  }
}
