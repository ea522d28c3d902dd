internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands
internal import BellhopHelp
internal import BellhopManual
internal import BellhopModel
internal import BellhopShell
internal import Glibc

/// The client program.
package enum BellhopProgram {
  /// Does what the process's arguments say.
  package static func main() { Bellhop.main() }
}

/// The root command, which only parses arguments.
///
/// Every command's name is written out. To derive them from types, the runtime would search all
/// conformances of the program at each start.
struct Bellhop: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bellhop",
    abstract: "Notifications for the terminal: handled once, dismissed everywhere.",
    discussion: """
      Without a command, bellhop opens the screen. If there is no account yet, it starts a private \
      store on this machine and shows how to publish to it.

      Example: bellhop publish "Backup finished" --app nas --priority high
      """,
    version: ProgramVersion.described,
    subcommands: [ManPageCommand.self],
    groupedSubcommands: groups,
    defaultSubcommand: Screen.self)

  /// The commands, grouped as in the help.
  private static let groups = [
    CommandGroup(name: "The screen", subcommands: [Screen.self, Demo.self]),
    CommandGroup(
      name: "Reading",
      subcommands: [
        List.self, Count.self, Search.self, Show.self, Attachment.self, Watch.self, Status.self,
      ]),
    CommandGroup(
      name: "Handling",
      subcommands: [
        Read.self, Unread.self, Dismiss.self, Restore.self, Snooze.self, Choose.self, Delete.self,
        Undo.self,
      ]),
    CommandGroup(
      name: "Publishing",
      subcommands: [
        Publish.self, Requests.self, Places.self, Categories.self, TokenCommand.self,
      ]),
    CommandGroup(
      name: "Apps and attention",
      subcommands: [Apps.self, Rules.self, Report.self, DoNotDisturb.self]),
    CommandGroup(
      name: "Synchronising",
      subcommands: [Sync.self, Agent.self, Outbox.self, Doctor.self]),
    CommandGroup(
      name: "Accounts and stores",
      subcommands: [Login.self, Logout.self, AccountList.self, Devices.self, Store.self]),
    CommandGroup(
      name: "Settings and help", subcommands: [Config.self, Themes.self, Help.self]),
  ]

  static func main() {
    QuietExecutor.install()
    do {
      // Without arguments, skips the parser: building the tree of all commands takes half the time
      // to the first paint.
      guard CommandLine.argc > 1 else {
        return try Screen.open(try ClientContext.live(saysWarnings: false), theme: nil)
      }
      let arguments = Array(CommandLine.arguments.dropFirst())
      if let script = CompletionScript(of: Bellhop.self, requestedBy: arguments) {
        return script.print()
      }
      try checkCommandName(arguments[0])
      var command = try parseAsRoot(try TypedArguments(arguments).parsed())
      try command.run()
    } catch {
      end(with: error)
    }
  }

  /// Reports the error that stopped the command, and ends with its exit code.
  private static func end(with error: any Error) -> Never {
    // Each error of the parser has its own exit code. The parser treats all others as failures.
    let isForeign = !(error is ArgumentParser.ExitCode) && exitCode(for: error) == .failure
    guard let error = ClientError(wrapping: error) ?? (isForeign ? .init(explaining: error) : nil)
    else { exit(withError: error) }
    StandardError.say(error.description)
    Glibc.exit(error.exitCode.rawValue)
  }
}

extension Bellhop {
  /// Rejects a first argument that is neither a command nor an option.
  ///
  /// The parser would take it for an argument of the screen.
  private static func checkCommandName(_ name: String) throws {
    let names = configuration.subcommands.flatMap(names)
    if name.isEmpty || name.hasPrefix("-") || names.contains(name) { return }
    throw Commands.unknownCommand(name, known: names)
  }

  static var help: ProgramHelp { ProgramHelp(Bellhop.self, topics: Manual.user) }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    let configuration = command.configuration
    return (configuration.commandName.map { [$0] } ?? []) + configuration.aliases
  }
}

/// The options of every command.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Use this account instead of the default one.", valueName: "name"),
    completion: .accounts)
  var account: String?

  // Rarely useful, so the help omits it. The configuration has the same setting.
  @Option(
    help: ArgumentHelp(
      "How changes are noticed: signal (at once) or polling.", visibility: .hidden))
  var channel: Channel?

  enum Channel: String, ExpressibleByArgument, CaseIterable {
    case signal, polling
  }

  /// Creates the command's context.
  ///
  /// - Parameter saysWarnings: See ``ClientContext/live(account:usesPolling:saysWarnings:)``.
  func context(saysWarnings: Bool = true) throws -> ClientContext {
    try ClientContext.live(
      account: account, usesPolling: channel.map { $0 == .polling }, saysWarnings: saysWarnings)
  }
}

/// The output options of commands that print items.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON object per line, with documented keys.")
  var json = false
}

struct Help: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help",
    abstract: "Explain a command or show a topic of the manual.",
    discussion: """
      Without a name, lists the commands and topics.

      Example: bellhop help publish
      Example: bellhop help filters
      """)

  @Argument(
    help: ArgumentHelp(
      "A command, with its subcommand if it has some, or a topic.", valueName: "name"),
    completion: .values { Bellhop.help.completions(of: $0, at: $1) })
  var words: [String] = []

  func run() throws {
    let output = HelpOutput.standard
    switch Bellhop.help.answer(words, width: output.width) {
    case .page(let page): output.show(page)
    case .unknown(let text):
      throw ClientError(.usage, text, next: "bellhop help lists the commands and topics.")
    }
  }
}

struct Screen: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "screen",
    abstract: "Open the screen (the default).",
    discussion: "If standard output is not a terminal, this is the same as bellhop list.")

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("A theme's name, or the path of a theme file.", valueName: "theme"),
    completion: .themes)
  var theme: String?

  func run() throws {
    try Self.open(try global.context(saysWarnings: false), theme: theme)
  }

  /// Opens the screen, or lists the tray if standard output is not a terminal.
  static func open(_ context: ClientContext, theme: String?) throws {
    guard StandardOutput.isTerminal else {
      context.sayWarnings()
      return try Commands.list(
        context, ListRequest(isOfAllAccounts: false, isOffline: false), limit: nil,
        ListingForm(.automatic))
    }
    try ScreenProgram.run(context, theme: theme)
  }
}

struct Demo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Try bellhop on a temporary store that receives many items.",
    discussion: """
      A second, simulated device handles some of the items. Everything is removed when you quit.

      With --screenshot it writes a picture of such a screen instead, always with the same items. \
      It replaces a file of that name.

      Example: bellhop demo
      Example: bellhop demo --theme nord --screenshot nord.svg
      """)

  @Option(
    help: ArgumentHelp("A theme's name, or the path of a theme file.", valueName: "theme"),
    completion: .themes)
  var theme: String?

  @Option(
    help: ArgumentHelp("Write a picture of the screen into this file.", valueName: "file.svg"),
    completion: .file(extensions: ["svg"]))
  var screenshot: String?

  func validate() throws {
    guard screenshot?.isEmpty != true else {
      throw ValidationError("--screenshot needs a file, such as bellhop.svg.")
    }
  }

  func run() throws {
    if let screenshot {
      try DemoScreenshot.write(to: screenshot, theme: theme)
    } else {
      try DemoProgram.run(theme: theme)
    }
  }
}
