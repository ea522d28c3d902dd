internal import ArgumentParser
internal import BellhopModel
internal import BellhopServer

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add, list and remove users.",
    discussion: "Example: bellhopd user add alice",
    subcommands: [Add.self, List.self, Remove.self, Unlink.self])

  struct Add: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a user.", discussion: "Example: bellhopd user add alice")
    @Argument(help: "The user's name: letters, digits and -_.:~") var name: String
    @OptionGroup var data: DataOptions

    func perform() async throws {
      _ = try await data.administer(.addUser(name))
      Output.error("Added \(name). To create a token for a first device:")
      Output.error("  bellhopd token create --user \(name) --scope device")
    }
  }

  struct List: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List users: name and time added.", discussion: "Example: bellhopd user list")
    @OptionGroup var data: DataOptions

    func perform() async throws {
      let users = try await data.administer(.users)
      for user in users { Output.line("\(user.name) \(user.created)") }
    }
  }

  struct Remove: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Permanently remove a user with all notifications, devices and tokens.",
      discussion: """
        The user's tokens are revoked immediately; the rest is removed in small steps. \
        Repeat the command to complete an interrupted removal.

        Example: bellhopd user remove alice
        """)
    @Argument(help: "The user's name.") var name: String
    @OptionGroup var data: DataOptions

    func perform() async throws {
      let count = try await data.administer(.removeUser(name)).count
      Output.error("Removed \(name): " + count.counted("row") + ".")
    }
  }

  struct Unlink: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "unlink",
      abstract: "Unlink a user from an account at an identity provider.",
      discussion: """
        The first account of a provider that signs in with a user's name is linked to that user, \
        even if it is renamed later. This command ends the link and revokes its sign-ins. The next \
        account that signs in with the name is linked to the user.

        Example: bellhopd user unlink alice https://id.example.com
        """)
    @Argument(help: "The user's name.") var name: String
    @Argument(help: "The issuer's address, as in the configuration.") var issuer: String
    @OptionGroup var data: DataOptions

    func perform() async throws {
      _ = try await data.administer(.forgetSubject(of: name, at: issuer))
      Output.error(
        "\(name) is no longer linked to an account at \(issuer). Its sign-ins were revoked.")
    }
  }
}
