internal import ArgumentParser
internal import BellhopCommands

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print each change, or run a command for it; resumes where it stopped.",
    discussion: """
      The first time, it begins with changes from then on. The position is remembered by name, for \
      30 days: give each watch its own name. An item that changed several times in the meantime is \
      printed once, in its latest state.

      A command receives the item as JSON on standard input, and in its environment BELLHOP_STATUS \
      (active or deleted), BELLHOP_ID, BELLHOP_NUMBER, BELLHOP_ACCOUNT, BELLHOP_APP, \
      BELLHOP_TITLE, BELLHOP_BODY, BELLHOP_PRIORITY, BELLHOP_PLACEMENT, BELLHOP_READ, \
      BELLHOP_ACTION, BELLHOP_GROUP and BELLHOP_URL. Commands run one after the other, through sh.

      Examples:
        bellhop watch --json --tray | jq -r .title
        bellhop watch --filter 'app:ci prio:>=high'
        bellhop watch --name desk --tray --unread --exec 'notify-send -- "$BELLHOP_TITLE"'
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var output: OutputOptions
  @Option(help: "The name under which the position is remembered.") var name = "default"
  @Option(
    help: ArgumentHelp("Only items of this app; may be repeated.", valueName: "host"),
    completion: .apps)
  var app: [String] = []
  @Option(help: FilterHelp.option("Only items that match; see bellhop list --help."))
  var filter: String?
  @Flag(help: "Only items in the tray.") var tray = false
  @Flag(help: "Only unread items.") var unread = false
  @Flag(help: "Start with all items, not where it stopped.") var fromStart = false
  @Option(help: ArgumentHelp("Run this command for each change.", valueName: "command")) var exec:
    String?

  func run() throws {
    var request = WatchRequest(name: name)
    request.apps = app
    request.filter = filter
    request.isTrayOnly = tray
    request.isUnreadOnly = unread
    request.startsAtBeginning = fromStart
    request.command = exec
    request.asJSON = output.json
    try Commands.watch(try global.context(), request)
  }
}
