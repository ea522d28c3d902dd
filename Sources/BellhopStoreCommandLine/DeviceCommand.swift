internal import ArgumentParser
internal import BellhopModel
internal import BellhopServer

struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List a user's devices, sign one in, or revoke one.",
    discussion: """
      Examples:
        bellhopd device list --user alice
        bellhopd device approve BCDF-GHJK --user alice
        bellhopd device revoke --user alice laptop-1
      """, subcommands: [List.self, Approve.self, Deny.self, Revoke.self])

  struct List: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List devices: id, platform, last use, name.",
      discussion: "Example: bellhopd device list --user alice")
    @Option(help: "The user's name.") var user: String
    @OptionGroup var data: DataOptions

    func perform() async throws {
      for device in try await data.administer(.devices(of: user)) {
        Output.line("\(device.id) \(device.platform) \(device.renewed) \(device.name)")
      }
    }
  }

  struct Approve: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "approve",
      abstract: "Sign in the device that shows a code, for a user.",
      discussion: """
        The device shows the code after "bellhop login URL". It may then read and change \
        everything of the user.

        Example: bellhopd device approve BCDF-GHJK --user alice
        """)
    @Argument(help: "The code that the device shows.") var code: String
    @Option(help: "The user whose device it becomes.") var user: String
    @OptionGroup var data: DataOptions

    func perform() async throws {
      let waiting = try await data.administer(.waitingDevice(code, for: user))
      if waiting.isKnownDevice == true {
        Output.error(
          "A device with this id is already registered. Its previous token is revoked.")
      }
      let device = try await data.administer(
        .decide(code, isApproved: true, for: user))
      Output.error("Approved for \(user): \(DeviceCommand.words(device))")
    }
  }

  struct Deny: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "deny",
      abstract: "Deny the device that shows a code.",
      discussion: "Example: bellhopd device deny BCDF-GHJK --user alice")
    @Argument(help: "The code that the device shows.") var code: String
    @Option(help: "The user's name.") var user: String
    @OptionGroup var data: DataOptions

    func perform() async throws {
      let device = try await data.administer(
        .decide(code, isApproved: false, for: user))
      Output.error("Denied: \(DeviceCommand.words(device))")
    }
  }

  /// Returns a line about the requesting device.
  private static func words(_ device: WaitingDevicePayload) -> String {
    "\(device.name) (\(device.platform)) at \(device.address)"
  }

  struct Revoke: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Remove a device and revoke its tokens, with immediate effect.",
      discussion: "Example: bellhopd device revoke --user alice laptop-1")
    @Option(help: "The user's name.") var user: String
    @Argument(help: "The device's id, from the list.") var id: String
    @OptionGroup var data: DataOptions

    func perform() async throws {
      _ = try await data.administer(.revokeDevice(DeviceID(id), of: user))
    }
  }
}
