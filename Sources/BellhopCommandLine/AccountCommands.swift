internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands

struct Login: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to a store, with a code that another device approves or with a token.",
    discussion: """
      If the store has an identity provider, the command shows an address and a code for your \
      browser. Otherwise, without a token, it shows a code (and a QR code if qrencode is \
      installed) and waits until a device that is already signed in approves it: bellhop devices \
      approve CODE. A token from the store's administrator is read from a file, so that no process \
      list and no shell history contains it.

      Examples:
        bellhop login https://store.example.com
        bellhop login https://store.example.com --token-file alice-laptop.token
      """)

  @Argument(
    help: "The store's address: https://…, or http:// on this machine (default: the account's).")
  var url: String?
  @Option(
    help: ArgumentHelp("A file that contains a token; - for standard input.", valueName: "file"),
    completion: .file())
  var tokenFile: String?
  @Option(
    help: ArgumentHelp(
      "Sign in at this identity provider (default: the one that the store names, if any).",
      valueName: "url"))
  var issuer: String?
  @Option(
    help: ArgumentHelp(
      "This program's client id at the identity provider (default: the one from the store).",
      valueName: "id"))
  var clientId: String?
  @Flag(help: "Ask another device for approval, even if the store has an identity provider.")
  var byDevice = false
  @Option(
    help: """
      The account's name on this device; also makes it the default account. Without --name it is \
      called like the host, and the default does not change.
      """)
  var name: String?
  @Option(help: "This device's name (default: the machine's).") var device: String?
  @Flag(help: "Allow plain HTTP to another machine. Anyone in between can read everything.")
  var insecureHttp = false
  @Option(
    help: ArgumentHelp(
      "Fetch only items of the last DAYS days at first (default: all).", valueName: "days"))
  var daysToSync: Int?
  @Option(
    help: ArgumentHelp(
      "development: also receive what is published for development (default: the account's).",
      valueName: "environment"),
    completion: .environments)
  var environment: String?

  func validate() throws {
    guard daysToSync ?? 1 >= 1 else { throw ValidationError("--days-to-sync must be 1 or more.") }
  }

  func run() throws {
    var request = LoginRequest()
    request.url = url
    request.tokenFile = tokenFile
    request.issuer = issuer
    request.clientID = clientId
    request.isByDevice = byDevice
    request.name = name
    request.deviceName = device
    request.allowsInsecureHTTP = insecureHttp
    request.daysToSync = daysToSync
    request.environment = environment
    try Commands.login(try ClientContext.live(), request)
  }
}

struct Logout: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Remove an account from this device, with its cache, and sign it out at the store.",
    discussion: """
      Changes that are not sent yet would be lost. With such changes, the command needs --force.

      Example: bellhop logout --account home
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Remove it even if there are unsent changes, which are lost.") var force = false

  func run() throws {
    try Commands.logout(try global.context(), isForced: force)
  }
}

struct AccountList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List the accounts, or choose the default one.",
    discussion: "Example: bellhop accounts use home", subcommands: [All.self, Use.self],
    defaultSubcommand: All.self)

  struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the accounts.")
    @OptionGroup var output: OutputOptions

    func run() throws {
      try Commands.accounts(try ClientContext.live(), asJSON: output.json)
    }
  }

  struct Use: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "use",
      abstract: "Choose the account that commands use by default.")
    @Argument(help: "The account's name.", completion: .accounts) var name: String

    func run() throws {
      try Commands.useAccount(try ClientContext.live(), name: name)
    }
  }
}

struct Store: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "The private store on this machine.",
    subcommands: [StatusOfStore.self, Start.self, Stop.self, Token.self],
    defaultSubcommand: StatusOfStore.self)

  struct StatusOfStore: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show whether it runs and where it listens.")
    func run() throws {
      try Commands.storeStatus(try ClientContext.live())
    }
  }

  struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Start it if it is not running.")
    func run() throws {
      try Commands.storeStart(try ClientContext.live())
    }
  }

  struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stop",
      abstract: "Stop it. Publishers get no answer until it starts again.")
    func run() throws {
      try Commands.storeStop(try ClientContext.live())
    }
  }

  struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token",
      abstract: "Create a publish token for any app, and write it as a header file for curl.",
      discussion: "The file's path is printed; the token is not.")
    func run() throws {
      try Commands.storeToken(try ClientContext.live())
    }
  }
}
