internal import ArgumentParser
internal import BellhopCommands

struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Your devices: list them, sign one in, or sign one out.",
    discussion: """
      The list shows name, state, last use, platform and id; * marks this device. A registration \
      expires after 90 days without use; each use renews it.

      Example: bellhop devices approve BCDF-GHJK
      """,
    subcommands: [All.self, Approve.self, Deny.self, Rename.self, Revoke.self],
    defaultSubcommand: All.self)

  struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List your devices.")
    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try Commands.devices(try global.context(), asJSON: output.json) }
  }

  struct Approve: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "approve",
      abstract: "Approve the sign-in of the device that shows a code.",
      discussion: """
        Shows which device asks, and from where, then asks you to confirm.

        Example: bellhop devices approve BCDF-GHJK
        """)
    @Argument(help: "The code that the device shows.") var code: String
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run() throws {
      try Commands.approveDevice(try global.context(), code: code, isAgreed: yes)
    }
  }

  struct Deny: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "deny",
      abstract: "Refuse the sign-in of the device that shows a code.",
      discussion: "Example: bellhop devices deny BCDF-GHJK")
    @Argument(help: "The code that the device shows.") var code: String
    @OptionGroup var global: GlobalOptions

    func run() throws { try Commands.denyDevice(try global.context(), code: code) }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Rename this device.",
      discussion: "Example: bellhop devices rename \"work laptop\"")
    @Argument(help: "The new name.") var name: String
    @OptionGroup var global: GlobalOptions

    func run() throws { try Commands.renameDevice(try global.context(), name: name) }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Sign out another device for good: its token is revoked.",
      discussion: "Example: bellhop devices revoke old-laptop-1f2e3d4c")
    @Argument(help: "Its id from the list, or its name.") var id: String
    @OptionGroup var global: GlobalOptions

    func run() throws { try Commands.revokeDevice(try global.context(), id: id) }
  }
}
