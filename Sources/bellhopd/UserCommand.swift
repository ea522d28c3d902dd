internal import ArgumentParser
internal import BellhopModel
internal import BellhopServer

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add, list and remove the people whose notifications are kept.",
    discussion: "Example: bellhopd user add alice",
    subcommands: [Add.self, List.self, Remove.self, Unlink.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a user.", discussion: "Example: bellhopd user add alice")
    @Argument(help: "Letters, digits and -_.:~") var name: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await ProgramError.reporting {
        _ = try await data.administer(.addUser(name))
        Output.error("Added \(name). A token for a first device:")
        Output.error("  bellhopd token create --user \(name) --scope device")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the users: name and when added.", discussion: "Example: bellhopd user list")
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await ProgramError.reporting {
        let users = try await data.administer(.users)
        for user in users { Output.line("\(user.name) \(user.created)") }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a user with all notifications, devices and tokens, for good.",
      discussion: """
        Tokens stop to hold at once, also in a store that serves; the rest goes in small steps. \
        What was interrupted is finished by the same command.

        Example: bellhopd user remove alice
        """)
    @Argument(help: "The user's name.") var name: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await ProgramError.reporting {
        let count = try await data.administer(.removeUser(name)).count
        Output.error("Removed \(name): " + count.counted("row") + ".")
      }
    }
  }

  struct Unlink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unlink",
      abstract: "Let another person of an identity provider be this user.",
      discussion: """
        The first person of a provider who signs in under a user's name is that user from then on, \
        whatever they are called later. This ends it: their sign-ins are revoked, and the next \
        person with the name is the user.

        Example: bellhopd user unlink alice https://id.example.com
        """)
    @Argument(help: "The user's name.") var name: String
    @Argument(help: "The issuer's address, as in the configuration.") var issuer: String
    @OptionGroup var data: DataOptions

    func run() async throws {
      try await ProgramError.reporting {
        _ = try await data.administer(.forgetSubject(of: name, at: issuer))
        Output.error("\(name) is nobody's at \(issuer) now; sign-ins from there were revoked.")
      }
    }
  }
}
