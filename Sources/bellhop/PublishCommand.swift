internal import ArgumentParser
internal import BellhopCommands

struct Publish: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Publish a notification to the current account.",
    discussion: """
      Prints the id of the stored item. A running bellhop has it by then, so that bellhop list shows it.

      Example: pg_dump shop | gzip > shop.gz; bellhop publish "shop.gz written" --app backups
      Example: bellhop publish "Water the plants" --app home --in 3d
      Example: bellhop publish "Build failed" --action "http,Rerun,POST https://ci.example/rerun"
      Example: bellhop publish "Backup failed" --app nas --attach backup.log
      Example: dmesg | tail | bellhop publish - --title "Kernel" --app server --priority high
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The text; - reads standard input. It is the title when there is no --title.")
  var body: String?

  @Option(help: "The title.") var title: String?
  @Option(help: "A line below the title.") var subtitle: String?
  @Option(help: ArgumentHelp("The app's host or topic (default: terminal).", valueName: "app"))
  var app: String?
  @Option(help: "The app's own id; publishing it again replaces the item.") var id: String?
  @Option(help: "Items of an app with the same group are one row.") var group: String?
  @Option(help: "min, low, normal, high or urgent.", completion: .priorities)
  var priority: String?
  @Option(help: "A tag; may be given several times.") var tag: [String] = []
  @Option(help: "A link to open: https, http or mailto.") var url: String?
  @Option(help: "When it leaves every device: a span (2d) or a time.") var expires: String?
  @Option(
    help: ArgumentHelp(
      "When it is delivered: tomorrow, \"fri 9:00\" or 2026-12-24T18:00Z. bellhop list --scheduled "
        + "shows it until then.", valueName: "when"))
  var at: String?
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("The same as a span from now: 15m, 2h, 3d.", valueName: "span"))
  var delay: String?
  @Option(
    help: ArgumentHelp(
      "A button: open,Label,URL or copy,Label,TEXT or http,Label,POST URL[,body] or "
        + "reply,Label[,URL] or report,Label; may be given several times. Behind the kind +clear "
        + "dismisses the item, +confirm asks first, +destructive warns.", valueName: "action"))
  var action: [String] = []
  @Option(
    help: ArgumentHelp("A file with data for other programs; it is not shown.", valueName: "file"))
  var raw: String?
  @Option(
    help: ArgumentHelp(
      "A file that the store keeps with the item; may be given several times.", valueName: "file"))
  var attach: [String] = []

  func run() throws {
    let request = PublishRequest(
      body: body, title: title, subtitle: subtitle, app: app, id: id, group: group,
      priority: priority, tags: tag, url: url, expires: expires, rawFile: raw,
      deliverAt: at, deliverIn: delay, actions: action, attachedFiles: attach)
    try Commands.publish(try global.context(), request)
  }
}
