internal import ArgumentParser
internal import BellhopCommands

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print each change, or run a command for it; resumes where it stopped.",
    discussion: """
      The first time it begins with what changes from then on. Where it stopped is remembered by \
      name, for 30 days: several watches want several names. An item that changed several times \
      meanwhile is told once, as it is now.

      A command gets the item as JSON on its standard input, and in its environment BELLHOP_STATUS \
      (active or deleted), BELLHOP_ID, BELLHOP_NUMBER, BELLHOP_ACCOUNT, BELLHOP_APP, BELLHOP_TITLE, \
      BELLHOP_BODY, BELLHOP_PRIORITY, BELLHOP_PLACEMENT, BELLHOP_READ, BELLHOP_ACTION, \
      BELLHOP_GROUP and BELLHOP_URL. Commands run one after the other, through sh.

      Examples:
        bellhop watch --json --tray | jq -r .title
        bellhop watch --filter 'app:ci prio:>=high'
        bellhop watch --name desk --tray --unread --exec 'notify-send -- "$BELLHOP_TITLE"'
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var output: OutputOptions
  @Option(help: "Under which name to remember where it stopped.") var name = "default"
  @Option(help: ArgumentHelp("Only of this app; may be given several times.", valueName: "host"))
  var app: [String] = []
  @Option(help: FilterHelp.option("Only what passes the filter; see bellhop list --help."))
  var filter: String?
  @Flag(help: "Only what is in the tray.") var tray = false
  @Flag(help: "Only what is unread.") var unread = false
  @Flag(help: "Begin with everything that is kept, not where it stopped.") var fromStart = false
  @Option(help: ArgumentHelp("Run this for each change.", valueName: "command")) var exec: String?

  func run() throws {
    var request = WatchRequest(name: name)
    request.apps = app
    request.filter = filter
    request.isTrayOnly = tray
    request.isUnreadOnly = unread
    request.beginsAnew = fromStart
    request.command = exec
    request.asJSON = output.json
    try Commands.watch(try global.context(), request)
  }
}
