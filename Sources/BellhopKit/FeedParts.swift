package import BellhopCache
package import BellhopModel
package import BellhopSync

/// What a feed is made of: everything that tests, and the program `bellhop`, put in themselves.
package struct FeedParts: Sendable {
  package var account: AccountName
  /// Opens the writer; the same object every time.
  package var storage: @Sendable () throws -> any CacheStorage
  /// A reader on a connection of its own; the cache is there.
  package var reader: @Sendable () throws -> any ChangeReading
  package var transport: any Transport
  /// Closes the transport's connections.
  package var shutdown: @Sendable () async -> Void
  /// Whoever holds this lock is the account's engine.
  package var lock: EngineLock
  /// Nil where one process is all there is.
  package var nudges: NudgeSocket?
  package var policy: EnginePolicy
  package var clock: any Clock<Duration> = ContinuousClock()
  /// This machine's clock.
  package var localTime: @Sendable () -> Timestamp
  /// 64 random bits.
  package var random: @Sendable () -> UInt64
  /// How many days back the first synchronisation goes; nil for everything.
  package var daysToSync: Int?
  package var announces = false
  /// Called when how the engine stands with the store has changed; it has to be short.
  package var noteStatus: (@Sendable (EngineStatus) -> Void)?
  /// Called when something shown may have changed; it has to be short.
  package var noteChange: (@Sendable (ChangeScope) -> Void)?
  /// Tells when the machine wakes; see ``MachineWakes``.
  package var wakes: (@Sendable () -> AsyncStream<Void>)?

  package init(
    account: AccountName, storage: @escaping @Sendable () throws -> any CacheStorage,
    reader: @escaping @Sendable () throws -> any ChangeReading, transport: any Transport,
    shutdown: @escaping @Sendable () async -> Void = {}, lock: EngineLock, nudges: NudgeSocket?,
    policy: EnginePolicy, localTime: @escaping @Sendable () -> Timestamp,
    random: @escaping @Sendable () -> UInt64
  ) {
    self.account = account
    self.storage = storage
    self.reader = reader
    self.transport = transport
    self.shutdown = shutdown
    self.lock = lock
    self.nudges = nudges
    self.policy = policy
    self.localTime = localTime
    self.random = random
  }

  /// The engine; it does nothing until it is run.
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

  /// A lineage that nobody has used.
  package static func newLineage(
    _ random: @escaping @Sendable () -> UInt64
  ) -> @Sendable () -> Lineage {
    { Lineage(String(random(), radix: 16) + "-" + String(random(), radix: 16)) }
  }

  /// What is here already is fetched again by a rebuild, however old it has become.
  private var firstSyncSince: (@Sendable (Timestamp) -> Timestamp)? {
    guard let daysToSync else { return nil }
    let reader = reader
    return { now in
      let since = now.advanced(by: .seconds(-86_400 * Int64(clamping: daysToSync)))
      let oldest = try? reader().rows(of: .everything, .last, limit: 1).first?.arrival
      return min(since, oldest ?? since)
    }
  }
}
