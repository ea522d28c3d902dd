package import BellhopModel
internal import Glibc

/// The version of this program.
package enum ClientVersion {
  package static let text = "0.1.0"
}

/// The surroundings of one run of the client: where its files are, what the person configured, and
/// the only sources of time and randomness.
package struct ClientContext: Sendable {
  package let directories: Directories
  /// What `config.toml` says, and what is wrong with it.
  package let configurationFile: ConfigurationFile
  package let environment: [String: String]
  /// The account asked for with `--account`.
  package let accountName: String?
  /// Whether changes are noticed by polling only.
  package let usesPolling: Bool
  /// What a private store of these directories ends with; nil where it stays until it is stopped.
  let lifeline: Lifeline?
  /// This machine's time.
  package let now: @Sendable () -> Timestamp
  /// 64 random bits.
  package let random: @Sendable () -> UInt64

  /// The surroundings as the environment and `config.toml` say.
  ///
  /// - Parameters:
  ///   - usesPolling: `--channel`; nil leaves it to the configuration.
  ///   - saysWarnings: Whether what is left out of the configuration is said on standard error; the
  ///     screen says it by itself.
  /// - Throws: ``ClientError``.
  package static func live(
    account: String?, usesPolling: Bool?, saysWarnings: Bool = true
  ) throws -> ClientContext {
    let environment = processEnvironment()
    let context = try ClientContext(
      directories: Directories(environment: environment, userID: getuid()),
      environment: environment, account: account, usesPolling: usesPolling)
    if saysWarnings { context.sayWarnings() }
    return context
  }

  package var configuration: Configuration { configurationFile.configuration }

  /// Says what is left out of the configuration on standard error.
  package func sayWarnings() {
    for finding in configurationFile.findings {
      StandardError.say(
        "Warning: " + ConfigurationFile.text(of: [finding], in: configurationFile.path))
    }
  }

  /// The surroundings below other directories.
  ///
  /// - Parameter lifeline: For directories that are thrown away: their private store ends with this
  ///   program, and takes any free port.
  package init(
    directories: Directories, environment: [String: String], account: String?, usesPolling: Bool?,
    lifeline: Lifeline? = nil
  ) throws {
    let file = try ConfigurationFile(path: Self.configPath(in: directories))
    if let failure = file.failure { throw failure }
    self.init(
      directories: directories, environment: environment, account: account,
      usesPolling: usesPolling, configurationFile: file, lifeline: lifeline)
    if let zone = configuration.timeZone { try SystemClock.use(zone: zone) }
  }

  private init(
    directories: Directories, environment: [String: String], account: String?,
    usesPolling: Bool?, configurationFile: ConfigurationFile, lifeline: Lifeline? = nil
  ) {
    // A reader that goes away (`bellhop list | head`) shows in the failing write.
    signal(SIGPIPE, SIG_IGN)
    umask(0o077)
    self.directories = directories
    self.environment = environment
    self.configurationFile = configurationFile
    accountName = account
    self.lifeline = lifeline
    self.usesPolling = usesPolling ?? configurationFile.configuration.usesPolling
    now = { SystemClock.now() }
    random = { UInt64.random(in: .min ... .max) }
  }

  /// The same also where `config.toml` is wrong: with the defaults, and with what is wrong.
  ///
  /// - Throws: ``ClientError`` when there is no place for files at all.
  package static func tolerant(
    account: String?
  ) throws -> (context: ClientContext, problem: ClientError?) {
    do {
      return (try live(account: account, usesPolling: nil, saysWarnings: false), nil)
    } catch let problem as ClientError {
      let environment = processEnvironment()
      let directories = try Directories(environment: environment, userID: getuid())
      let context = ClientContext(
        directories: directories, environment: environment, account: account, usesPolling: nil,
        configurationFile: ConfigurationFile(defaultsFor: Self.configPath(in: directories)))
      return (context, problem)
    }
  }

  package var configPath: String { Self.configPath(in: directories) }

  private static func configPath(in directories: Directories) -> String {
    directories.config + "/config.toml"
  }

  package var accounts: Accounts { Accounts(directories: directories) }

  /// A new id for an operation or an item.
  package func newID<Tag>() -> UniqueID<Tag> { .version7(at: now(), random: (random(), random())) }

  /// The account to use; with none on this device, the private store's, if that may be started.
  ///
  /// - Parameter startsStore: Whether the private store is started, where it was stopped or there is
  ///   no account: by the screen and by what needs an answer, not by commands that work on the cache.
  /// - Returns: the account, a sentence for the person when something about it changed, and whether
  ///   the private store was started.
  /// - Throws: ``ClientError``, also where there is no account and none is made.
  package func account(
    startsStore: Bool
  ) throws -> (account: Account, notice: String?, wasStarted: Bool) {
    if let account = try accounts.current(named: accountName) {
      guard account.isPrivate, startsStore else { return (account, nil, false) }
      // A cache is useful without its store: reading must not fail because of it.
      do {
        return try privateStore().start(accounts: accounts)
      } catch let error as ClientError {
        return (account, error.what, false)
      }
    }
    // The first sign-in may end in a moment: a store that was not asked for would be in its way.
    guard !SignInMark.isHeld(in: directories) else {
      throw ClientError(
        .tryLater, "This device is being signed in, by bellhop login in another terminal.",
        next: "Try again when that is done. Ctrl-C there gives it up.")
    }
    guard startsStore else {
      throw ClientError(
        .usage, "There is no account on this device yet, and so no items.",
        next: "Start bellhop, or publish with bellhop publish TEXT, for a private store on this "
          + "machine, or sign in to a store: bellhop login https://store.example.com")
    }
    return try privateStore().start(accounts: accounts)
  }

  package func privateStore() throws -> PrivateStore {
    try PrivateStore(
      directories: directories, environment: environment,
      preferredPort: lifeline == nil ? PrivateStore.usualPort : 0, lifeline: lifeline)
  }

  static func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let pair = String(cString: text).split(separator: "=", maxSplits: 1)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    return variables
  }
}

extension Directories {
  /// An account's cache file.
  package func cachePath(_ name: AccountName) -> String { account(name) + "/cache.sqlite" }
  /// The lock whose holder is the account's engine.
  package func lockPath(_ name: AccountName) -> String { account(name) + "/engine.lock" }
  /// How the last engine stood with its store.
  package func engineNotePath(_ name: AccountName) -> String {
    account(name) + "/engine-status.json"
  }
  /// Where the processes that share an account's cache nudge each other.
  package func nudgeFolder(_ name: AccountName) -> String { runtime + "/" + name.rawValue }
}
