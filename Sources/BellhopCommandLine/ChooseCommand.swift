internal import ArgumentParser
internal import BellhopCommands

struct Choose: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "choose", abstract: "Choose an action of an item, or list its actions.",
    discussion: """
      The choice is shown on every device, and the app learns of it. An action that opens a link or \
      copies text prints it. bellhop undo puts the item back in the tray.

      Example: bellhop choose 12
      Example: bellhop choose 12 answer --text "Tomorrow at 9"
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The item's number, its id, or the beginning of its id.", completion: .items)
  var item: String
  @Argument(help: "The action's id or title; without it, the actions are listed.")
  var action: String?
  @Option(help: "The text of a reply.") var text: String?
  @Flag(help: "Do not ask for confirmation.") var yes = false
  @OptionGroup var sending: WaitOption

  func run() throws {
    try Commands.choose(
      try global.context(),
      Commands.ChoiceRequest(
        item: item, action: action, text: text, isConfirmed: yes, waits: sending.wait))
  }
}
