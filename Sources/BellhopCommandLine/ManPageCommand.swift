internal import ArgumentParser
internal import BellhopClient
internal import BellhopManual
internal import BellhopModel
internal import BellhopText

/// The hidden command that prints the manual pages, for packages and `.ci/install`.
struct ManPageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manpage", abstract: "Print a manual page in roff.",
    discussion: "Example: bellhop manpage bellhop.1 | man -l -", shouldDisplay: false)

  enum Page: String, ExpressibleByArgument, CaseIterable {
    case program = "bellhop.1"
    case configuration = "bellhop.toml.5"
  }

  @Argument(help: "The page's file name.") var page: Page

  func run() throws {
    let page =
      switch page {
      case .program: try Self.program()
      case .configuration: Self.settings()
      }
    for line in page.text.split(separator: "\n") {
      StandardOutput.line(SafeText(String(line), byteLimit: SafeText.bodyBytesMax))
    }
  }

  /// The topics that the page of the configuration or the list of commands replaces.
  private static let otherTopics = ["commands", "configuration", "changes"]

  private static func program() throws -> ManPage {
    .program(
      try CommandTree(json: Bellhop._dumpHelp()), section: 1,
      topics: Manual.user.filter { !otherTopics.contains($0.name) },
      facts: ManPage.Facts(
        version: ProgramVersion.number,
        files: [
          .init("~/.config/bellhop/config.toml", "The configuration; see bellhop.toml(5)."),
          .init("~/.config/bellhop/views.toml", "The views that the screen saved."),
          .init("~/.config/bellhop/themes/", "Your own themes."),
          .init("~/.local/state/bellhop/", "The accounts with their tokens and caches."),
          .init("~/.local/share/bellhop/store/", "The private store."),
        ],
        environment: [
          .init(
            "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME",
            "Folders that are used instead of ~/.config, ~/.local/state and ~/.local/share."),
          .init("NO_COLOR", "If it is set and not empty, the screen has no colours."),
        ],
        exitStatus: ExitCode.allCases.map { .init("\($0.rawValue)", $0.meaning) },
        seeAlso: ["bellhop.toml(5)", "bellhopd(8)", "notify-send(1)"]))
  }

  private static func settings() -> ManPage {
    .configuration(
      name: "bellhop.toml", summary: "the configuration of bellhop, config.toml",
      path: "~/.config/bellhop/config.toml", settings: Configuration.defaultFile,
      topic: Manual.user.first { $0.name == "configuration" },
      facts: ManPage.Facts(
        version: ProgramVersion.number,
        files: [
          .init(
            "~/.config/bellhop/config.toml",
            "The file. With XDG_CONFIG_HOME set it is bellhop/config.toml in that folder.")
        ], seeAlso: ["bellhop(1)", "bellhopd.toml(5)"]))
  }
}
