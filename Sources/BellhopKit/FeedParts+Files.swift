internal import BellhopCache
internal import BellhopModel
internal import BellhopSync
internal import BellhopTime
internal import BellhopWire
internal import FoundationEssentials
internal import Synchronization

extension FeedParts {
  /// Creates the parts of a feed from an account's folder and its store's address.
  ///
  /// - Throws: ``FeedError/store(_:)`` if another user could listen at the store's socket.
  init(_ account: FeedAccount, tokenSource: any TokenSource) throws {
    if let (socket, risk) = FolderSafety.risk(ofStoreAt: account.url) {
      throw FeedError.store("\(socket) is not safe to use. \(risk) \(risk.fix)")
    }
    try FileManager.default.createDirectory(
      atPath: account.folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let localTime: @Sendable () -> Timestamp = {
      Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
    let random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    let transport = try HTTPTransport(
      HTTPTransport.Configuration(
        url: account.url, device: account.device, deviceName: account.deviceName,
        environment: account.environment, allowsInsecureHTTP: account.allowsInsecureHTTP,
        authorityFile: account.authorityFile),
      localTime: localTime, tokenSource: tokenSource)
    let lock = EngineLock(path: account.folder + "/engine.lock")
    var policy = EnginePolicy(channel: account.channel == .polling ? .polling : .signal)
    policy.environment = account.environment
    let files = CacheFiles(
      path: account.folder + "/cache.sqlite", account: account.name,
      environment: account.environment, lock: lock, localTime: localTime,
      newLineage: Self.newLineage(random))
    self.init(
      account: account.name, storage: { try files.storage() },
      reader: { try CacheReader(path: files.path, account: files.account) },
      transport: transport, tokens: transport, shutdown: { await transport.shutdown() },
      lock: lock, nudges: try NudgeSocket(directory: account.folder + "/nudges"),
      tokenFile: account.folder + "/publish-tokens.json", policy: policy, localTime: localTime,
      random: random)
    daysToSync = account.daysToSync
    wakes = WakeMonitor.stream
  }
}

/// The cache in an account's folder, opened at its first use.
///
/// Replaces a damaged cache, after rescuing the operations that were not sent.
private final class CacheFiles: Sendable {
  let path: String
  let account: AccountName
  private let environment: RegistrationEnvironment
  private let lock: EngineLock
  private let localTime: @Sendable () -> Timestamp
  private let newLineage: @Sendable () -> Lineage
  private let opened = Mutex<SQLiteCache?>(nil)

  init(
    path: String, account: AccountName, environment: RegistrationEnvironment, lock: EngineLock,
    localTime: @escaping @Sendable () -> Timestamp,
    newLineage: @escaping @Sendable () -> Lineage
  ) {
    self.path = path
    self.account = account
    self.environment = environment
    self.lock = lock
    self.localTime = localTime
    self.newLineage = newLineage
  }

  func storage() throws -> SQLiteCache {
    try opened.withLock { opened in
      if let opened { return opened }
      let cache = try open()
      opened = cache
      return cache
    }
  }

  private func open() throws -> SQLiteCache {
    let identity = CacheIdentity(
      account: account, wallClock: SystemZone.wallClock,
      form: CacheIdentity.form(WireForm.number, in: environment), newLineage: newLineage)
    do throws(CacheError) {
      return try SQLiteCache(path: path, identity: identity)
    } catch {
      // No other process may have the file open while it is set aside.
      guard case .corrupt = error, try !lock.isHeld && lock.tryLock() else { throw error }
      defer { lock.unlock() }
      _ = try SQLiteCache.salvage(at: path, identity: identity, now: localTime())
      return try SQLiteCache(path: path, identity: identity)
    }
  }
}
