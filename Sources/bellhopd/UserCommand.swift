internal import ArgumentParser
internal import BellhopModel
internal import BellhopStore

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add and list the people whose notifications are kept.",
    discussion: "Example: bellhopd user add alice", subcommands: [Add.self, List.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a user.", discussion: "Example: bellhopd user add alice")
    @Argument(help: "Letters, digits and -_.:~") var name: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await Complaint.reporting {
        _ = try await data.directory().administer { try await $0.addUser(named: name) }
        Output.error("Added \(name). A token for a first device:")
        Output.error("  bellhopd token create --user \(name) --scope device")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the users: name and when added.", discussion: "Example: bellhopd user list")
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await Complaint.reporting {
        let users = try await data.directory().administer { try await $0.users() }
        for user in users { Output.line("\(user.name) \(user.created)") }
      }
    }
  }
}
