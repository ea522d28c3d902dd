internal import BellhopCache
internal import BellhopModel
internal import BellhopSync
internal import BellhopWire

/// What a process needs to synchronise one account, put together.
struct EngineSetup: Sendable {
  let access: CacheAccess
  let transport: HTTPTransport
  let nudges: NudgeSocket?

  /// - Parameter joinsNudges: whether other processes can tell this one that something changed;
  ///   short commands only tell.
  /// - Throws: ``ClientError``.
  init(_ access: CacheAccess, joinsNudges: Bool) throws {
    self.access = access
    let context = access.context
    try Directories.make(context.directories.nudgeFolder(access.account.name))
    transport = try Self.transport(for: access.account, context: context)
    nudges =
      joinsNudges
      ? try? NudgeSocket(
        directory: context.directories.nudgeFolder(access.account.name),
        fallbackParent: context.directories.runtime)
      : nil
  }

  /// The way to an account's store; the token is read at every use, so that a new one counts.
  static func transport(for account: Account, context: ClientContext) throws -> HTTPTransport {
    let accounts = context.accounts
    let now = context.now
    return try HTTPTransport(
      HTTPTransport.Configuration(
        url: account.url, device: account.device, deviceName: account.deviceName,
        allowsInsecureHTTP: account.allowsInsecureHTTP ?? false,
        authorityFile: context.configuration.authorityFile),
      localTime: now,
      tokenSource: AccountTokens(account.name, accounts: accounts, context: context))
  }

  /// Asking a store on this machine costs nothing, and a person who just started it is waiting.
  private static let localBackOff: Duration = .seconds(5)

  /// The lock whose holder is the account's engine.
  func lock() -> EngineLock {
    EngineLock(path: access.context.directories.lockPath(access.account.name))
  }

  /// The engine; it does nothing until it is run.
  func engine(announces: Bool) throws -> SyncEngine {
    let context = access.context
    let random = context.random
    var policy = EnginePolicy(channel: context.usesPolling ? .polling : .signal)
    if StoreAddress.isLocal(access.account.url) { policy.backOffLongest = Self.localBackOff }
    return SyncEngine(
      EngineParts(
        cache: try access.storage(), transport: transport,
        policy: policy,
        clock: ContinuousClock(), localTime: context.now,
        random: { Double(random() >> 11) / Double(1 << 53) },
        newLineage: { Lineage(String(random(), radix: 16) + "-" + String(random(), radix: 16)) },
        nudges: nudges, announces: announces))
  }
}
