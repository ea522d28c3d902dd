package import BellhopCache
package import BellhopModel

/// What listeners of an engine learn.
package enum EngineEvent: Hashable, Sendable {
  /// How the client stands with the store has changed.
  case status(EngineStatus)
  /// Something shown may have changed, here or by another process: lists are to be read again.
  case dataChanged
  /// New content that this process is to announce: claimed, once on this machine (SYNC-16).
  case arrived([Arrival])
  /// Operations that the store did not carry out, and what is shown no longer pretends.
  case rejected([RejectedOperation])
}

/// What of the things shown may have changed.
package enum ChangeScope: Hashable, Sendable {
  /// Registers or the presence of these items, and what follows from them: counts, for example.
  case items([NotificationID])
  /// Anything.
  case everything

  /// Both.
  package func joined(with other: ChangeScope?) -> ChangeScope {
    guard let other else { return self }
    guard case (.items(let these), .items(let those)) = (self, other) else { return .everything }
    return .items(those + these.filter { !those.contains($0) })
  }
}

/// What an engine is made of; everything that tests replace.
package struct EngineParts: Sendable {
  package var cache: any CacheStorage
  package var transport: any Transport
  package var policy: EnginePolicy
  /// Measures waits; `ContinuousClock` counts time asleep too.
  package var clock: any Clock<Duration>
  /// This machine's clock.
  package var localTime: @Sendable () -> Timestamp
  /// Numbers from 0 up to 1, for jitter.
  package var random: @Sendable () -> Double
  /// A lineage that nobody has used.
  package var newLineage: @Sendable () -> Lineage
  /// Nil where one process is all there is.
  package var nudges: NudgeSocket?
  /// Whether new content is claimed for this process to announce.
  package var announces: Bool
  /// How far back a first synchronisation goes that begins at the store's time given; nil fetches
  /// everything. Asked for each of its pages.
  package var firstSyncSince: (@Sendable (Timestamp) -> Timestamp)?
  /// Called by the engine, and by nothing else, when how it stands with the store has changed: for
  /// processes that come later. It has to be short.
  package var noteStatus: (@Sendable (EngineStatus) -> Void)?
  /// Called at each ``EngineEvent/dataChanged``, before those who listen hear of it: a screen that is
  /// told this way waits for no task. It has to be short.
  package var noteChange: (@Sendable (ChangeScope) -> Void)?
  /// Tells when the machine wakes; see ``MachineWakes``. Nil where late timers have to do.
  package var wakes: (@Sendable () -> AsyncStream<Void>)?

  package init(
    cache: any CacheStorage, transport: any Transport, policy: EnginePolicy,
    clock: any Clock<Duration>, localTime: @escaping @Sendable () -> Timestamp,
    random: @escaping @Sendable () -> Double, newLineage: @escaping @Sendable () -> Lineage,
    nudges: NudgeSocket? = nil, announces: Bool = false,
    wakes: (@Sendable () -> AsyncStream<Void>)? = nil
  ) {
    self.cache = cache
    self.transport = transport
    self.policy = policy
    self.clock = clock
    self.localTime = localTime
    self.random = random
    self.newLineage = newLineage
    self.nudges = nudges
    self.announces = announces
    self.wakes = wakes
  }
}
