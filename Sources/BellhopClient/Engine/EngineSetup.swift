internal import BellhopCache
package import BellhopKit
internal import BellhopModel
package import BellhopSync
internal import BellhopWire

/// What a process needs to synchronise one account, put together.
package struct EngineSetup: Sendable {
  package let access: CacheAccess
  package let transport: HTTPTransport
  package let nudges: NudgeSocket?

  /// - Parameter joinsNudges: whether other processes can tell this one that something changed;
  ///   short commands only tell.
  /// - Throws: ``ClientError``.
  package init(_ access: CacheAccess, joinsNudges: Bool) throws {
    self.access = access
    // Before a process holds the account's lock, which repairing a damaged cache takes. The first
    // use of the cache reports why it does not open.
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

  /// The way to an account's store; the token is read at every use, so that a new one counts.
  ///
  /// - Throws: ``ClientError`` where another user could listen at the store's socket.
  package static func transport(for account: Account, context: ClientContext) throws
    -> HTTPTransport
  {
    try Directories.checkSafety(ofStoreAt: account.url)
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
  package func lock() -> EngineLock {
    EngineLock(path: access.context.directories.lockPath(access.account.name))
  }

  /// The engine; it does nothing until it is run.
  ///
  /// - Parameter noteChange: called when something shown may have changed; it has to be short.
  package func engine(
    announces: Bool, noteChange: (@Sendable (ChangeScope) -> Void)? = nil
  ) throws -> SyncEngine {
    var parts = feedParts()
    parts.announces = announces
    parts.noteChange = noteChange
    return try parts.engine()
  }

  /// The same parts that the library makes of an account's folder, here of this program's folders
  /// and sign-ins.
  package func feedParts() -> FeedParts {
    let (access, context, transport) = (access, access.context, transport)
    var policy = EnginePolicy(channel: context.usesPolling ? .polling : .signal)
    if StoreAddress.isLocal(access.account.url) { policy.backOffLongest = Self.localBackOff }
    var parts = FeedParts(
      account: access.account.name, storage: { try access.storage() },
      reader: { try access.newReader() }, transport: transport,
      shutdown: { await transport.shutdown() }, lock: lock(), nudges: nudges, policy: policy,
      localTime: context.now, random: context.random)
    parts.daysToSync = access.account.daysToSync
    parts.clock = QuietExecutor.clock
    let book = EngineNoteBook(
      path: context.directories.engineNotePath(access.account.name), now: context.now)
    parts.noteStatus = { book.take($0) }
    // A command is over sooner than a machine falls asleep.
    parts.wakes = nudges == nil ? nil : MachineWakes.stream
    return parts
  }
}
