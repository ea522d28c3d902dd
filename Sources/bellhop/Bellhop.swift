internal import ArgumentParser
internal import BellhopClient
internal import Glibc

/// The client: argument parsing, nothing else.
///
/// Every command's name is written out: to make them from their types, the runtime would look through
/// all conformances of the program, at each start.
@main
struct Bellhop: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bellhop",
    abstract: "Notifications for the terminal: handled once, dismissed everywhere.",
    discussion: """
      Without a command it opens the screen. With no account yet it starts a private store on this \
      machine, and says how to publish to it.

      Example: bellhop publish "Backup finished" --app nas --priority high
      """,
    version: ClientVersion.text,
    subcommands: [
      Screen.self, Demo.self, Publish.self, List.self, Show.self, Attachment.self, Search.self,
      Read.self,
      Unread.self, Dismiss.self, Restore.self, Snooze.self, Delete.self, Apps.self, Sync.self,
      Outbox.self, Watch.self, Status.self, Doctor.self, Login.self, Logout.self,
      AccountList.self, Devices.self, Store.self, DoNotDisturb.self, Agent.self, Config.self,
      Themes.self,
      TokenCommand.self,
    ],
    defaultSubcommand: Screen.self)

  static func main() {
    QuietExecutor.install()
    do {
      // Nothing to parse: that would make the tree of all commands, half the time to the first paint.
      guard CommandLine.argc > 1 else {
        return try ScreenProgram.run(
          try ClientContext.live(account: nil, usesPolling: nil), theme: nil)
      }
      var command = try parseAsRoot()
      try command.run()
    } catch {
      end(with: error)
    }
  }

  /// Says what stopped the command, and ends with its exit code.
  private static func end(with error: any Error) -> Never {
    // Of the parser's errors each has an exit code of its own; all others are failures to it.
    let isForeign = !(error is ArgumentParser.ExitCode) && exitCode(for: error) == .failure
    guard let error = ClientError(wrapping: error) ?? (isForeign ? .init(explaining: error) : nil)
    else { exit(withError: error) }
    StandardError.say(error.description)
    Glibc.exit(error.exitCode.rawValue)
  }
}

/// What every command takes.
struct GlobalOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use this account instead of the default one.", valueName: "name"))
  var account: String?

  @Option(help: "How changes are noticed: signal (at once) or polling.")
  var channel: Channel?

  enum Channel: String, ExpressibleByArgument, CaseIterable {
    case signal, polling
  }

  /// The surroundings of the command.
  func context() throws -> ClientContext {
    try ClientContext.live(account: account, usesPolling: channel.map { $0 == .polling })
  }
}

/// For commands that print items.
struct OutputOptions: ParsableArguments {
  @Flag(help: "One JSON object a line, with documented keys.")
  var json = false
}

struct Screen: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "screen",
    abstract: "Open the screen (the default).",
    discussion: "When standard output is no terminal, this is bellhop list.")

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("A theme's name, or the path of a theme file.", valueName: "theme"))
  var theme: String?

  func run() throws {
    try ScreenProgram.run(try global.context(), theme: theme)
  }
}

struct Demo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Try it on a throw-away store with a lively stream.",
    discussion: """
      A second, simulated device handles some of the items. Everything is removed when you quit.

      Example: bellhop demo
      """)

  @Option(help: ArgumentHelp("A theme's name, or the path of a theme file.", valueName: "theme"))
  var theme: String?

  func run() throws {
    try DemoProgram.run(theme: theme)
  }
}
