internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands

struct Themes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "themes",
    abstract: "Preview the themes; in a pipe, list their names.",
    discussion: "Example: bellhop themes nord my-own")

  @Argument(
    help: ArgumentHelp(
      "Show only these themes: names, or paths of theme files.", valueName: "theme"),
    completion: .themes)
  var names: [String] = []

  func run() throws {
    try Commands.themes(try ClientContext.live(), named: names)
  }
}
