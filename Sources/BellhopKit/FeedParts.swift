package import BellhopCache
package import BellhopModel
package import BellhopSync

/// The dependencies of a feed, which tests and the program `bellhop` replace.
package struct FeedParts: Sendable {
  package var account: AccountName
  /// Opens the cache for writing; returns the same object every time.
  package var storage: @Sendable () throws -> any CacheStorage
  /// Opens a reader on its own connection; the cache must exist.
  package var reader: @Sendable () throws -> any ChangeReading
  package var transport: any Transport
  /// The user's tokens at the same store.
  package var tokens: any TokenManagement
  /// Closes the transport's connections.
  package var shutdown: @Sendable () async -> Void
  /// The lock whose holder is the account's engine.
  package var lock: EngineLock
  /// The socket that notifies other processes; nil if there is only one process.
  package var nudges: NudgeSocket?
  /// The path of the file with the publish tokens of this feed and others of the account.
  package var tokenFile: String
  package var policy: EnginePolicy
  package var clock: any Clock<Duration> = ContinuousClock()
  /// The local clock of this machine.
  package var localTime: @Sendable () -> Timestamp
  /// Returns 64 random bits.
  package var random: @Sendable () -> UInt64
  /// The range of the first synchronisation, in days back from now; nil for all items.
  package var daysToSync: Int?
  package var announces = false
  /// Called with the engine's status after every change of it. Must return quickly.
  package var noteStatus: (@Sendable (EngineStatus) -> Void)?
  /// Called when something that is shown may have changed. Must return quickly.
  package var noteChange: (@Sendable (ChangeScope) -> Void)?
  /// Returns a stream with an element each time the machine wakes; see `WakeMonitor`.
  package var wakes: (@Sendable () -> AsyncStream<Void>)?

  package init(
    account: AccountName, storage: @escaping @Sendable () throws -> any CacheStorage,
    reader: @escaping @Sendable () throws -> any ChangeReading, transport: any Transport,
    tokens: any TokenManagement, shutdown: @escaping @Sendable () async -> Void = {},
    lock: EngineLock, nudges: NudgeSocket?, tokenFile: String, policy: EnginePolicy,
    localTime: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> UInt64
  ) {
    self.account = account
    self.storage = storage
    self.reader = reader
    self.transport = transport
    self.tokens = tokens
    self.shutdown = shutdown
    self.lock = lock
    self.nudges = nudges
    self.tokenFile = tokenFile
    self.policy = policy
    self.localTime = localTime
    self.random = random
  }

  /// Creates the engine, which does nothing until it is run.
  package func engine() throws -> SyncEngine {
    let random = random
    var parts = EngineParts(
      cache: try storage(), transport: transport, policy: policy, clock: clock,
      localTime: localTime, random: { Double(random() >> 11) / Double(1 << 53) },
      newLineage: Self.newLineage(random), nudges: nudges, announces: announces,
      wakes: wakes)
    parts.firstSyncSince = firstSyncSince
    parts.noteStatus = noteStatus
    parts.noteChange = noteChange
    return SyncEngine(parts)
  }

  /// Returns a function that makes unused lineages.
  package static func newLineage(
    _ random: @escaping @Sendable () -> UInt64
  ) -> @Sendable () -> Lineage {
    { Lineage(String(random(), radix: 16) + "-" + String(random(), radix: 16)) }
  }

  /// Returns the start of a first synchronisation.
  ///
  /// A rebuild goes back at least as far as the oldest cached item.
  private var firstSyncSince: (@Sendable (Timestamp) -> Timestamp)? {
    guard let daysToSync else { return nil }
    let reader = reader
    return { now in
      let since = now.advanced(by: .seconds(-86_400 * Int64(clamping: daysToSync)))
      let oldest = try? reader().rows(of: .history, .last, limit: 1).first?.arrival
      return min(since, oldest ?? since)
    }
  }
}
