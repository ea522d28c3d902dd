internal import ArgumentParser
internal import BellhopCommands

struct Publish: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Publish a notification to the current account.",
    discussion: """
      Prints the id of the stored item. By then a running bellhop has received it, and bellhop \
      list shows it. If the store cannot be reached, the item waits in the outbox.

      Example: pg_dump shop | gzip > shop.gz; bellhop publish "shop.gz written" --app backups
      Example: bellhop publish "Water the plants" --app home --in 3d
      Example: bellhop publish "Stand-up" --app home --every "mon,fri 9:00"
      Example: bellhop publish "Ask Ann for the key" --at-place office:entry
      Example: bellhop publish "Build failed" --action "http,Rerun,POST https://ci.example/rerun"
      Example: bellhop publish "Backup failed" --app nas --attach backup.log
      Example: bellhop publish "Deploy?" --action "report,Yes" --action "report,No" --answer
      Example: dmesg | tail | bellhop publish - --title "Kernel" --app server --priority high
      """)

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The text; - reads standard input. Without --title it is the title.")
  var body: String?

  @Option(help: "The title.") var title: String?
  @Option(help: "A line below the title.") var subtitle: String?
  @Option(
    help: ArgumentHelp("The app's host or topic (default: terminal).", valueName: "app"),
    completion: .apps)
  var app: String?
  @Option(help: "The app's own id; publishing it again replaces the item.") var id: String?
  @Option(help: "A group: items of an app with the same group fold into one row.") var group:
    String?
  @Option(help: "The level: min, low, normal, high or urgent.", completion: .priorities)
  var priority: String?
  @Option(help: "A tag; may be repeated.") var tag: [String] = []
  @Option(help: "A link to open: https, http or mailto.") var url: String?
  @Option(help: "When it expires on every device: a span (2d) or a time.") var expires: String?
  @Option(
    help: ArgumentHelp(
      "When to deliver it: tomorrow, \"fri 9:00\" or 2026-12-24T18:00Z. bellhop list --scheduled "
        + "shows it until then.", valueName: "when"))
  var at: String?
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("When to deliver it, as a span from now: 15m, 2h, 3d.", valueName: "span"))
  var delay: String?
  @Option(
    help: ArgumentHelp(
      "Deliver it again and again: 2h, \"9:00\", \"mon,fri 9:00\", \"weekdays 8:00\" or \"1. 9:00\" "
        + "for the first of every month.", valueName: "times"))
  var every: String?
  @Option(
    help: ArgumentHelp(
      "The time zone of --every, such as Europe/Berlin (default: that of each device).",
      valueName: "zone"))
  var zone: String?
  @Option(
    help: ArgumentHelp(
      "Deliver it whenever you arrive at a place or leave it: office:entry, office:exit. See "
        + "bellhop place.", valueName: "place"))
  var atPlace: String?
  @Option(help: "A category that the app has registered; its actions follow the item's own.")
  var category: String?
  @Option(help: "The sound that it makes: none, or the name of a sound that the user has set up.")
  var sound: String?
  @Option(help: "The number that the app shows from now on; 0 for none.") var badge: Int?
  @Option(
    help: ArgumentHelp(
      "A JSON object for the app's own handlers, such as '{\"build\": 412}'.", valueName: "json"))
  var userInfo: String?
  @Option(
    help: ArgumentHelp(
      "development: only your devices that are registered for development receive it.",
      valueName: "environment"),
    completion: .environments)
  var environment: String?
  @Option(
    help: ArgumentHelp(
      "A button: open,Label,URL or copy,Label,TEXT or http,Label,POST URL[,body] or "
        + "reply,Label[,URL] or report,Label; may be repeated. After the kind, +clear dismisses "
        + "the item, +confirm asks first, +destructive warns, +foreground opens it, "
        + "+authenticationRequired asks for a password.", valueName: "action"))
  var action: [String] = []
  @Flag(
    help: "Wait for an answer: print the id of the chosen action, and on a second line the text.")
  var answer = false
  @Option(
    help: ArgumentHelp(
      "With --answer: how long to wait, such as 10m; exit code 75 after that.", valueName: "span"))
  var timeout: String?
  @Option(
    help: ArgumentHelp(
      "Attach machine-readable data from this file; it is not shown.", valueName: "file"),
    completion: .file())
  var raw: String?
  @Option(
    help: ArgumentHelp(
      "A file to attach, which the store keeps with the item; may be repeated.", valueName: "file"),
    completion: .file())
  var attach: [String] = []

  func validate() throws {
    guard timeout == nil || answer else { throw ValidationError("--timeout needs --answer.") }
    guard badge.map({ (0...Int(Int32.max)).contains($0) }) ?? true else {
      throw ValidationError("--badge must be a number from 0 to \(Int32.max).")
    }
  }

  func run() throws {
    var request = PublishRequest()
    request.body = body
    request.title = title
    request.subtitle = subtitle
    request.app = app
    request.id = id
    request.group = group
    request.priority = priority
    request.tags = tag
    request.url = url
    request.expires = expires
    request.rawFile = raw
    request.deliverAt = at
    request.deliverIn = delay
    request.every = every
    request.zone = zone
    request.atPlace = atPlace
    request.category = category
    request.sound = sound
    request.badge = badge
    request.userInfo = userInfo
    request.environment = environment
    request.actions = action
    request.attachedFiles = attach
    request.awaitsAnswer = answer
    request.timeout = timeout
    try Commands.publish(try global.context(), request)
  }
}
