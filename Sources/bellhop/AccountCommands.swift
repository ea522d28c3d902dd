internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands

struct Login: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to a store: with a code that another device approves, or with a token.",
    discussion: """
      Where the store has an identity provider, it shows an address and a code for your browser. \
      Else, without a token, it shows a code, and a QR code where qrencode is installed, and waits until \
      the code is approved where you are signed in already: bellhop devices approve CODE. A token, \
      from who runs the store, is read from a file, so that it is in no list of processes and no \
      shell history.

      Examples:
        bellhop login https://store.example.com
        bellhop login https://store.example.com --token-file alice-laptop.token
      """)

  @Argument(
    help: "The store's address: https://…, or http:// on this machine; else the account's own.")
  var url: String?
  @Option(
    help: ArgumentHelp("The file that holds a token; - for standard input.", valueName: "file"))
  var tokenFile: String?
  @Option(
    help: ArgumentHelp(
      "Sign in at this identity provider; else at the one that the store names, if any.",
      valueName: "url"))
  var issuer: String?
  @Option(
    help: ArgumentHelp(
      "What the identity provider calls this program; else what the store says.", valueName: "id"))
  var clientId: String?
  @Flag(help: "Have another device approve, although the store names an identity provider.")
  var byDevice = false
  @Option(
    help: """
      What to call the account here, and makes it the default; else the host's name, and the default \
      stays.
      """)
  var name: String?
  @Option(help: "What to call this device; else the machine's name.") var device: String?
  @Flag(help: "Allow plain HTTP to another machine. Anyone on the way can read everything.")
  var insecureHttp = false
  @Option(
    help: ArgumentHelp(
      "Fetch no more than the last so many days at first; else everything.", valueName: "days"))
  var daysToSync: Int?

  func validate() throws {
    guard daysToSync ?? 1 >= 1 else { throw ValidationError("--days-to-sync is to be 1 or more.") }
  }

  func run() throws {
    var request = LoginRequest(
      url: url, tokenFile: tokenFile, issuer: issuer, clientID: clientId, isByDevice: byDevice,
      name: name, deviceName: device, allowsInsecureHTTP: insecureHttp)
    request.daysToSync = daysToSync
    try Commands.login(try ClientContext.live(account: nil, usesPolling: nil), request)
  }
}

struct Logout: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Remove an account from this device, with its cache, and sign it out at the store.",
    discussion: """
      What has not been sent yet would be lost, so it refuses then, unless forced.

      Example: bellhop logout --account home
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Also when changes wait that were not sent.") var force = false

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
      try Commands.accounts(
        try ClientContext.live(account: nil, usesPolling: nil), asJSON: output.json)
    }
  }

  struct Use: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "use",
      abstract: "Make an account the one that commands use.")
    @Argument(help: "The account's name.", completion: .accounts) var name: String

    func run() throws {
      try Commands.useAccount(
        try ClientContext.live(account: nil, usesPolling: nil), name: name)
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
      commandName: "status", abstract: "Whether it runs, and where it listens.")
    func run() throws {
      try Commands.storeStatus(try ClientContext.live(account: nil, usesPolling: nil))
    }
  }

  struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Start it, if it does not run.")
    func run() throws {
      try Commands.storeStart(try ClientContext.live(account: nil, usesPolling: nil))
    }
  }

  struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stop",
      abstract: "End it. Publishers get no answer until it starts again.")
    func run() throws {
      try Commands.storeStop(try ClientContext.live(account: nil, usesPolling: nil))
    }
  }

  struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token",
      abstract: "Make a publish token for any app, and write it as a header file for curl.",
      discussion: "The file's path is printed; the token is not.")
    func run() throws {
      try Commands.storeToken(try ClientContext.live(account: nil, usesPolling: nil))
    }
  }
}
