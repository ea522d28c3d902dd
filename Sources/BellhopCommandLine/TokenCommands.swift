internal import ArgumentParser
internal import BellhopCommands

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Manage publish tokens on the current account's store.",
    discussion: """
      A publish token can publish for its app and cannot read anything.

      Example: bellhop token create --app 'ci.*' --name "build server" --expires 90d
      """,
    subcommands: [Create.self, All.self, Revoke.self], defaultSubcommand: All.self)

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Create a token and print it, once; the store keeps only its hash.",
      discussion: "Example: bellhop token create --app nas > nas.token")

    @OptionGroup var global: GlobalOptions
    @Option(
      help: ArgumentHelp(
        "The app it may publish for; ci.* for every app below ci.", valueName: "host"),
      completion: .apps)
    var app: String?
    @Flag(help: "Allow it to publish for any app.") var anyApp = false
    @Option(help: "Its name in lists.") var name: String?
    @Option(help: "When it expires: a span (90d) or a time.") var expires: String?

    func run() throws {
      try Commands.createToken(
        try global.context(),
        Commands.TokenRequest(app: app, isForAnyApp: anyApp, name: name, expires: expires))
    }
  }

  struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the account's tokens: id, scope, expiration, name.",
      discussion: "Example: bellhop token list --json")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try Commands.listTokens(try global.context(), asJSON: output.json)
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Revoke a token for good.",
      discussion: "Example: bellhop token revoke 0198c0de")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "Its id from the list, or the beginning of the id.") var id: String

    func run() throws {
      try Commands.revokeToken(try global.context(), id: id)
    }
  }
}
