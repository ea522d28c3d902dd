package import BellhopCache
package import BellhopModel

/// An event for the listeners of an engine.
package enum EngineEvent: Hashable, Sendable {
  /// The status of the engine has changed.
  case status(EngineStatus)
  /// The shown state may have changed, in this process or another: lists must be read again.
  case dataChanged
  /// New content that this process is to announce: claimed, once on this machine (SYNC-16).
  case arrived([Arrival])
  /// Operations that the store did not carry out, and that the shown state no longer contains.
  case rejected([RejectedOperation])
}

/// The part of the shown state that may have changed.
package enum ChangeScope: Hashable, Sendable {
  /// The registers or the presence of these items, and what follows from them, such as counts.
  case items([NotificationID])
  /// Any part.
  case everything

  /// Returns the scope that covers both.
  package func joined(with other: ChangeScope?) -> ChangeScope {
    guard let other else { return self }
    guard case (.items(let these), .items(let those)) = (self, other) else { return .everything }
    return .items(those + these.filter { !those.contains($0) })
  }
}

/// The parts of an engine: everything that tests replace.
package struct EngineParts: Sendable {
  package var cache: any CacheStorage
  package var transport: any Transport
  package var policy: EnginePolicy
  /// The clock that measures waits. `ContinuousClock` counts time asleep too.
  package var clock: any Clock<Duration>
  /// This machine's clock.
  package var localTime: @Sendable () -> Timestamp
  /// Returns numbers from 0 up to 1, for jitter.
  package var random: @Sendable () -> Double
  /// Makes a lineage that was never used before.
  package var newLineage: @Sendable () -> Lineage
  /// The messages of other processes; nil if there is only one process.
  package var nudges: NudgeSocket?
  /// Whether new content is claimed for this process to announce.
  package var announces: Bool
  /// Returns the earliest arrival for a first synchronisation at the given store time.
  ///
  /// Nil fetches everything. Called for each page.
  package var firstSyncSince: (@Sendable (Timestamp) -> Timestamp)?
  /// Called by the engine only, when its status has changed.
  ///
  /// It informs processes that start later. It has to be short.
  package var noteStatus: (@Sendable (EngineStatus) -> Void)?
  /// Called at each ``EngineEvent/dataChanged``, before listeners receive the event.
  ///
  /// A screen that is informed in this way waits for no task. It has to be short.
  package var noteChange: (@Sendable (ChangeScope) -> Void)?
  /// Reports when the machine wakes; see ``WakeMonitor``. Nil if late timers must suffice.
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
