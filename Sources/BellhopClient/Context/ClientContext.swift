package import BellhopModel
internal import BellhopSettings
internal import Glibc

/// The environment of one run of the client, and its only sources of time and randomness.
///
/// It includes the locations of files and the user's configuration.
package struct ClientContext: Sendable {
  package let directories: Directories
  /// The settings of `config.toml`, and its errors.
  package let configurationFile: ConfigurationFile
  package let environment: [String: String]
  /// The account named with `--account`.
  package let accountName: String?
  /// Whether changes are detected by polling only.
  package let usesPolling: Bool
  /// The lifeline that ends the private store of these directories; nil if it runs until it is
  /// stopped.
  let lifeline: LifetimePipe?
  /// This machine's time.
  package let now: @Sendable () -> Timestamp
  /// 64 random bits.
  package let random: @Sendable () -> UInt64

  /// Returns the context that the environment and `config.toml` describe.
  ///
  /// - Parameters:
  ///   - usesPolling: The value of `--channel`; nil leaves the choice to the configuration.
  ///   - saysWarnings: Whether to report ignored parts of the configuration on standard error. The
  ///     screen reports them itself.
  /// - Throws: ``ClientError``.
  package static func live(
    account: String? = nil, usesPolling: Bool? = nil, saysWarnings: Bool = true
  ) throws -> ClientContext {
    let environment = processEnvironment()
    let context = try ClientContext(
      directories: Directories(environment: environment, userID: getuid()),
      environment: environment, account: account, usesPolling: usesPolling)
    if saysWarnings { context.sayWarnings() }
    return context
  }

  package var configuration: Configuration { configurationFile.configuration }

  /// Reports the ignored parts of the configuration on standard error.
  package func sayWarnings() {
    for finding in configurationFile.findings {
      StandardError.say(
        "Warning: " + ConfigurationFinding.text(of: [finding], in: configurationFile.path))
    }
  }

  /// Creates a context with other directories.
  ///
  /// - Parameter lifeline: For temporary directories: their private store ends with this program,
  ///   and uses any free port.
  package init(
    directories: Directories, environment: [String: String], account: String?, usesPolling: Bool?,
    lifeline: LifetimePipe? = nil
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
    usesPolling: Bool?, configurationFile: ConfigurationFile, lifeline: LifetimePipe? = nil
  ) {
    // If the reader ends (`bellhop list | head`), the write fails instead.
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

  /// Returns a context with the defaults and the problem if `config.toml` has errors.
  ///
  /// - Throws: ``ClientError`` if there is no place for files.
  package static func tolerant(
    account: String?
  ) throws -> (context: ClientContext, problem: ClientError?) {
    do {
      return (try live(account: account, saysWarnings: false), nil)
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

  /// Creates an id for an operation or an item.
  package func newID<Tag>() -> UniqueID<Tag> { .version7(at: now(), random: (random(), random())) }

  /// Returns the account to use, or the private store's if this device has none and it may be
  /// started.
  ///
  /// - Parameter startsStore: Whether to start the private store if it was stopped or there is no
  ///   account. The screen and commands that need an answer do so; commands that use only the cache
  ///   do not.
  /// - Returns: The account, a sentence for the user if something about it changed, and whether
  ///   this call started the private store.
  /// - Throws: ``ClientError``, also if there is no account and none is created.
  package func account(
    startsStore: Bool
  ) throws -> (account: Account, notice: String?, wasStarted: Bool) {
    if let account = try accounts.current(named: accountName) {
      guard account.isPrivate, startsStore else { return (account, nil, false) }
      // A cache is useful without its store, so a failure here must not prevent reading.
      do {
        return try privateStore().start(accounts: accounts)
      } catch let error as ClientError {
        return (account, error.what, false)
      }
    }
    // The first sign-in may end soon, and a store that the user did not request would be in the
    // way.
    guard !SignInLock.isHeld(in: directories) else {
      throw ClientError(
        .tryLater, "bellhop login is signing this device in, in another terminal.",
        next: "Try again after that, or cancel it there with Ctrl-C.")
    }
    guard startsStore else {
      throw ClientError(
        .usage, "This device has no account yet.",
        next:
          "For a private store on this machine, start bellhop or run bellhop publish TEXT. To use "
          + "another store: bellhop login https://store.example.com")
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
  /// Returns the path of an account's cache file.
  package func cachePath(_ name: AccountName) -> String { account(name) + "/cache.sqlite" }
  /// Returns the path of the lock whose holder is the account's engine.
  package func lockPath(_ name: AccountName) -> String { account(name) + "/engine.lock" }
  /// Returns the path of the file with the last engine's status.
  package func engineNotePath(_ name: AccountName) -> String {
    account(name) + "/engine-status.json"
  }
  /// Returns the folder through which processes that share an account's cache notify each other.
  package func nudgeFolder(_ name: AccountName) -> String { runtime + "/" + name.rawValue }
}
