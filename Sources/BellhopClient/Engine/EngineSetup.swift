internal import BellhopCache
package import BellhopKit
internal import BellhopModel
package import BellhopSync
internal import BellhopWire

/// The parts that a process needs to synchronise one account.
package struct EngineSetup: Sendable {
  package let access: CacheAccess
  package let transport: HTTPTransport
  package let nudges: NudgeSocket?

  /// - Parameter joinsNudges: Whether other processes can notify this one of changes. Short
  ///   commands only notify others.
  /// - Throws: ``ClientError``.
  package init(_ access: CacheAccess, joinsNudges: Bool) throws {
    self.access = access
    // Before the process holds the account's lock, which the repair of a damaged cache needs. The
    // first use of the cache reports why it does not open.
    _ = try? access.storage()
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

  /// Returns the transport to an account's store. It reads the token at every use, so a new one
  /// counts.
  ///
  /// - Parameter tokens: The tokens to use; nil for those of the account.
  /// - Throws: ``ClientError`` if another user could listen at the store's socket.
  package static func transport(
    for account: Account, context: ClientContext, tokens: (any TokenSource)? = nil
  ) throws -> HTTPTransport {
    try Directories.checkSafety(ofStoreAt: account.url)
    return try HTTPTransport(
      HTTPTransport.Configuration(
        url: account.url, device: account.device, deviceName: account.deviceName,
        environment: account.environment ?? .production,
        allowsInsecureHTTP: account.allowsInsecureHTTP ?? false,
        authorityFile: context.configuration.authorityFile),
      localTime: context.now,
      tokenSource: tokens
        ?? AccountTokens(account.name, accounts: context.accounts, context: context))
  }

  /// The longest back-off for a local store: requests cost nothing, and the user waits for its
  /// start.
  private static let localBackOff: Duration = .seconds(5)

  /// Returns the lock whose holder is the account's engine.
  package func lock() -> EngineLock {
    EngineLock(path: access.context.directories.lockPath(access.account.name))
  }

  /// Returns the engine, which does nothing until it runs.
  ///
  /// - Parameter noteChange: A short closure, called when displayed data may have changed.
  package func engine(
    announces: Bool, noteChange: (@Sendable (ChangeScope) -> Void)? = nil
  ) throws -> SyncEngine {
    var parts = feedParts()
    parts.announces = announces
    parts.noteChange = noteChange
    return try parts.engine()
  }

  /// Returns the parts of a feed, made from this program's folders and sign-ins.
  ///
  /// The library makes the same parts from an account's folder.
  package func feedParts() -> FeedParts {
    let (access, context, transport) = (access, access.context, transport)
    var policy = EnginePolicy(channel: context.usesPolling ? .polling : .signal)
    policy.environment = access.account.environment ?? .production
    if StoreAddress.isLocal(access.account.url) { policy.backOffLongest = Self.localBackOff }
    var parts = FeedParts(
      account: access.account.name, storage: { try access.storage() },
      reader: { try access.newReader() }, transport: transport, tokens: transport,
      shutdown: { await transport.shutdown() }, lock: lock(), nudges: nudges,
      tokenFile: context.directories.account(access.account.name) + "/publish-tokens.json",
      policy: policy, localTime: context.now, random: context.random)
    parts.daysToSync = access.account.daysToSync
    parts.clock = QuietExecutor.clock
    let book = EngineReportWriter(
      path: context.directories.engineNotePath(access.account.name), now: context.now)
    parts.noteStatus = { book.take($0) }
    // A command ends before the machine goes to sleep.
    parts.wakes = nudges == nil ? nil : WakeMonitor.stream
    return parts
  }
}
