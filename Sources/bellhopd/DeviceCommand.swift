internal import ArgumentParser
internal import BellhopModel
internal import BellhopServer

struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "List and revoke a user's devices.",
    discussion: """
      Examples:
        bellhopd device list --user alice
        bellhopd device revoke --user alice laptop-1
      """, subcommands: [List.self, Revoke.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List devices: id, platform, when last used, name.",
      discussion: "Example: bellhopd device list --user alice")
    @Option(help: "Whose devices.") var user: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await Complaint.reporting {
        for device in try await data.administer(.devices(of: user)) {
          Output.line("\(device.id) \(device.platform) \(device.renewed) \(device.name)")
        }
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a device's registration and revoke its tokens; a running store obeys at once.",
      discussion: "Example: bellhopd device revoke --user alice laptop-1")
    @Option(help: "Whose device.") var user: String
    @Argument(help: "Its id from the list.") var id: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await Complaint.reporting {
        _ = try await data.administer(.revokeDevice(DeviceID(id), of: user))
      }
    }
  }
}
