internal import ArgumentParser
internal import BellhopDialects
internal import BellhopModel
internal import BellhopServer
internal import BellhopStore

struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Create, list and revoke access tokens.",
    discussion: """
      Examples:
        bellhopd token create --user alice --scope device --name laptop
        bellhopd token create --user alice --scope publish --app 'ci.*' --expires 90d
        bellhopd token revoke 0198c0de
      """,
    subcommands: [Create.self, List.self, Revoke.self])

  enum Scope: String, ExpressibleByArgument, CaseIterable {
    case device
    case publish
    case app
    case enrol
  }

  struct Create: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Create a token and print it once. The store keeps only a hash.",
      discussion: """
        A device token may read and change everything of its user, and is bound to the first \
        device that registers with it. A publish token may only publish. An app token may publish \
        and read for one app; it is for clients of other notification servers. An enrol token \
        signs in one device, with bellhop login, and expires after an hour unless --expires is \
        given (at most 7d).

        Example: bellhopd token create --user alice --scope publish --app nas
        """)
    @Option(help: "The user whose notifications it is for.") var user: String
    @Option(help: "device, publish, app or enrol.") var scope: Scope
    @Option(
      help: ArgumentHelp(
        "The app that it may publish for; with publish, ci.* for all apps below ci.",
        valueName: "host"))
    var app: String?
    @Flag(help: "Allow any app (publish tokens only).") var anyApp = false
    @Option(help: "The token's name in lists.") var name: String?
    @Option(
      help: ArgumentHelp(
        "When it expires: 90d, 12h, 30m, or a time such as 2027-01-31T00:00Z.",
        valueName: "when"))
    var expires: String?
    @OptionGroup var data: DataOptions

    func perform() async throws {
      let scope = try accessScope()
      let end = try expires.map { try Expiry.time($0, now: SystemTime.now) }
      let request = try AdminRequest.mint(
        NewTokenPayload(
          user: user, scope: scope.text, name: name ?? defaultName, expires: end))
      Output.line(try await data.administer(request).token)
      for line in recipes(scope) { Output.error(line) }
    }

    /// Returns usage examples for all kinds of publishers. They omit the token, as they may be
    /// logged.
    private func recipes(_ scope: AccessScope) -> [String] {
      let topic: String
      switch scope {
      case .publish(.app(let app)), .app(let app): topic = app
      case .publish, .device, .enrol: return []
      }
      let store = "store.example.com"
      var lines = ["Examples, with TOKEN set to this token and your store's address:"]
      // An app may have any name; a topic has no dots and is not a word that the store reserves.
      if Topics.take(topic) {
        lines += [
          "  curl -H \"Authorization: Bearer $TOKEN\" -d \"Job done\" https://\(store)/\(topic)",
          "  ntfy publish --token \"$TOKEN\" https://\(store)/\(topic) \"Job done\"",
          "  apprise -b \"Job done\" \"ntfys://any:$TOKEN@\(store)/\(topic)\"",
        ]
      }
      return lines + [
        "  curl -F message=\"Job done\" \"https://\(store)/message?token=$TOKEN\"  # as for Gotify",
        "  apprise -b \"Job done\" \"gotifys://\(store)/$TOKEN\"",
        "  apprise -b \"Job done\" \"jsons://any:$TOKEN@\(store)/notify\"",
      ]
    }

    private var defaultName: String {
      switch scope {
      case .device: "device"
      case .publish, .app: app ?? "any app"
      case .enrol: "enrol"
      }
    }

    private func accessScope() throws -> AccessScope {
      switch (scope, app, anyApp) {
      case (.device, nil, false): return .device(nil)
      case (.enrol, nil, false): return .enrol
      case (.device, _, _), (.enrol, _, _):
        throw ProgramError.usage("--app and --any-app are not for device and enrol tokens.")
      case (.app, let app?, false):
        guard case .app(let name)? = AppPattern(app) else {
          throw ProgramError.usage("--app is wrong: expected one host or topic such as nas.")
        }
        return .app(name)
      case (.app, _, _): throw ProgramError.usage("An app token needs --app HOST.")
      case (.publish, nil, true): return .publish(.any)
      case (.publish, let app?, false):
        guard let pattern = AppPattern(app) else {
          throw ProgramError.usage(
            "--app is wrong: expected a host or topic such as nas, or ci.* for all apps below ci.")
        }
        return .publish(pattern)
      case (.publish, _, _):
        throw ProgramError.usage("A publish token needs either --app HOST or --any-app.")
      }
    }
  }

  struct List: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List tokens: id, user, scope, state, name.",
      discussion: "Example: bellhopd token list --user alice")
    @Option(help: "Only this user's tokens.") var user: String?
    @OptionGroup var data: DataOptions

    func perform() async throws {
      let now = SystemTime.now
      for token in try await data.administer(.tokens(of: user)) {
        Output.line(
          "\(token.id) \(token.user) \(token.scope) \(token.state(at: now)) \(token.name)")
      }
    }
  }

  struct Revoke: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Revoke a token permanently, with immediate effect.",
      discussion: "Example: bellhopd token revoke 0198c0de-0000-7000-8000-000000000000")
    @Argument(help: "The token's id from the list, or a unique beginning of it.") var id: String
    @OptionGroup var data: DataOptions

    func perform() async throws {
      guard !id.isEmpty else {
        throw ProgramError.usage("Give a token's id, or the beginning of one.")
      }
      _ = try await data.administer(.revokeToken(id))
    }
  }
}

extension TokenPayload {
  /// Returns `active`, `until TIME`, `expired` or `revoked`.
  fileprivate func state(at now: Timestamp) -> String {
    if revoked != nil { return "revoked" }
    guard let expires else { return "active" }
    return expires <= now ? "expired" : "until \(expires)"
  }
}

/// The end of a token's validity, as typed: a span from now or a time.
enum Expiry {
  private static let unitSeconds: [Character: Int64] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
  ]
  /// The largest number in a span: a century of days. Larger numbers are mistakes.
  private static let countMax: Int64 = 36_500

  static func time(_ text: String, now: Timestamp) throws -> Timestamp {
    if let time = Timestamp(text), time > now { return time }
    if let unit = text.last.flatMap({ unitSeconds[$0] }), let count = Int64(text.dropLast()),
      (1...countMax).contains(count)
    {
      return now.advanced(by: .seconds(count * unit))
    }
    throw ProgramError.usage(
      "--expires is wrong: expected a span such as 90d, or a future time in UTC.")
  }
}
