internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands

struct Agent: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent",
    abstract: "Synchronise and ring while no screen is open; screens and commands use it.",
    discussion: """
      It shows urgent items on the desktop with notify-send, or with the notify-command of the \
      configuration. It is silent while a screen is open, because the screen rings itself. It runs \
      until you stop it.

      Example: bellhop agent --enable    # a systemd user service, from now on at every log-in
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Have systemd start it now and at each log-in.") var enable = false
  @Flag(help: "Have systemd stop it and no longer start it.") var disable = false
  // For packages; users have --enable.
  @Option(
    help: ArgumentHelp(
      "Print a systemd user unit that runs the program of this path.", valueName: "path",
      visibility: .hidden))
  var printUnit: String?

  func validate() throws {
    guard !(enable && disable) else {
      throw ValidationError("Use --enable or --disable, not both.")
    }
    guard printUnit?.hasPrefix("/") != false else {
      throw ValidationError("--print-unit needs an absolute path, such as /usr/bin/bellhop.")
    }
  }

  func run() throws {
    if let printUnit { return Commands.printAgentUnit(program: printUnit) }
    let context = try global.context()
    if enable {
      try Commands.enableAgent(context)
    } else if disable {
      try Commands.disableAgent(context)
    } else {
      try Commands.agent(context)
    }
  }
}
