package import BellhopCache
package import BellhopModel
package import BellhopWire

/// All decisions of synchronisation, as a value: events in, actions out. See <doc:Rules>.
///
/// The core reads no clock, uses no network and touches no file: `at` is the time since the engine
/// started on a clock that does not step, and `now` is the store's time. The caller performs the
/// actions in order, returns their results as events, and sends ``Event/woke`` at the time of
/// ``wakeAt(at:now:)``. At most one pull, one send and one registration are in progress at a time.
package struct EngineCore: Sendable {
  let policy: EnginePolicy
  let random: @Sendable () -> Double

  var lifecycle = Lifecycle.idle
  var local = LocalSummary()
  var phase = Phase.steady
  var backOff = BackOff()
  var offlineSince: Timestamp?
  var problem: String?
  var busyUntil: Timestamp?
  /// The revocation that signed this device out; nil while it is signed in.
  var revocation: RevocationPayload?
  var lastSync: Timestamp?
  var hasSynced = false
  /// The number of items in the store, from the pages of a first synchronisation.
  var itemCount: Int?

  var registration = Registration.needed
  var isSettling = false
  var sending = Sending.nothing
  var sendLimit: Int
  var conflicts = 0
  var pulling = Pulling.nothing
  /// The store's position, from the last signal.
  var promised: Position?
  /// The changes up to that position, if the signal enclosed them.
  var enclosed: EnclosedDelta?
  /// The value of ``promised`` when the pull in progress began.
  var promisedAtPull: Position?
  /// Whether the pull in progress takes changes enclosed in a signal.
  var isTakingEnclosed = false
  /// The known position of base.
  var reached: Position?
  var resyncs = 0
  var isPullWanted = true
  var pullNotBefore: Duration = .zero
  var pollInterval: Duration
  var pollAt: Duration?
  var pagesSinceDelta = 0
  var signals = Signals.closed(retryAt: .zero)
  var signalBackOff = BackOff()
  /// The time after which the store wants the next channel, if it gave one on the present channel.
  var reconnectDelay: Duration?
  /// The earliest time for another attempt after the cache failed.
  var localRetryAt: Duration = .zero
  var isRoundWanted = false
  /// An earlier reading of both clocks, with which later ones are compared.
  var knownTime: (instant: Duration, now: Timestamp)?
  /// The time before which no held operation is sealed, because the store's time made a step.
  var sealNotBefore: Duration = .zero

  /// Creates a core that is idle until it starts. `random` returns numbers from 0 up to 1, for
  /// jitter.
  package init(policy: EnginePolicy, random: @escaping @Sendable () -> Double) {
    self.policy = policy
    self.random = random
    sendLimit = policy.sendBatchMax
    pollInterval = policy.pollFastest
  }

  enum Lifecycle: Hashable, Sendable {
    case idle, running, signInAgain, flushing, stopped
  }

  enum Phase: Hashable, Sendable {
    /// Pages are arriving.
    case firstSync(received: Int)
    /// The pages are in the cache. The changes made meanwhile are being pulled.
    case closing(received: Int)
    case steady
  }

  enum Registration: Hashable, Sendable {
    case needed
    case underWay
    case done(renewAt: Duration)
  }

  enum Sending: Hashable, Sendable {
    case nothing, batch, renumbering
  }

  enum Pulling: Hashable, Sendable {
    case nothing, firstSync, changes, rebuilding
  }

  enum Signals: Hashable, Sendable {
    case closed(retryAt: Duration)
    case opening(silentAt: Duration)
    case open(silentAt: Duration)
  }

  struct Position: Hashable, Sendable {
    var epoch: Epoch
    var sequence: SequenceNumber
  }

  /// Handles `event` and returns the actions to perform now.
  package mutating func handle(_ event: Event, at instant: Duration, now: Timestamp) -> [Action] {
    guard lifecycle != .stopped else { return [] }
    var actions: [Action] = []
    noteTime(at: instant, now: now)
    note(event, at: instant, now: now, &actions)
    decide(at: instant, now: now, &actions)
    return actions
  }

  /// Returns the time at which ``Event/woke`` is due.
  ///
  /// Returns nil while only an event from outside can change anything.
  package func wakeAt(at instant: Duration, now: Timestamp) -> Duration? {
    guard lifecycle != .stopped, lifecycle != .idle else { return nil }
    var times: [Duration] = []
    func add(_ time: Timestamp?) {
      if let time { times.append(instant + max(.zero, time.duration(since: now))) }
    }
    if !isSettling {
      if let nextSeal = local.nextSeal {
        let rest = isAfterStep(nextSeal, now: now) ? .zero : nextSeal.duration(since: now)
        times.append(max(sealNotBefore, instant + max(.zero, rest)))
      }
      add(local.nextDue)
    }
    times = times.map { max($0, localRetryAt) }
    if lifecycle == .running {
      let earliest = backOff.until.map { max($0, instant) } ?? instant
      if pulling == .nothing, !mustRegisterFirst {
        times.append(max(earliest, pullNotBefore, pullWantedAt))
      }
      switch signals {
      case .closed(let retryAt):
        if policy.opensSignals { times.append(max(earliest, retryAt)) }
      case .opening(let silentAt), .open(let silentAt): times.append(silentAt)
      }
      if backOff.isWaiting(at: instant) { times.append(earliest) }
      if case .done(let renewAt) = registration { times.append(max(earliest, renewAt)) }
    }
    return times.min().map { min(max($0, instant), instant + .seconds(3600)) }
  }

  /// Whether a first synchronisation is in progress and not held up.
  ///
  /// Its rows come before everything that can wait.
  var isFetchingAll: Bool { phase != .steady && pulling != .nothing }

  /// The status that the header shows.
  package var status: EngineStatus {
    EngineStatus(
      connection: connection, waiting: local.waiting, lastSync: lastSync, problem: problem,
      busyUntil: busyUntil)
  }

  private var connection: ConnectionState {
    if lifecycle == .signInAgain {
      return revocation.map { .signedOut(by: $0.by, at: $0.at) } ?? .signInAgain
    }
    if let offlineSince { return .offline(since: offlineSince) }
    guard hasSynced else { return .connecting }
    switch phase {
    case .firstSync(let received), .closing(let received):
      return .firstSync(received: received, total: itemCount.map { max($0, received) })
    case .steady: break
    }
    if case .open = signals { return .live }
    return .polling(every: pollInterval)
  }
}

// MARK: - Events and actions

extension EngineCore {
  /// An event that the core handles.
  package enum Event: Hashable, Sendable {
    /// The engine has started with the contents of the cache.
    case started(LocalSummary, BaseStage)
    /// The time of ``EngineCore/wakeAt(at:now:)`` has come.
    case woke
    /// The machine woke up, or the network came back.
    case resumed
    /// A user or a command requests an exchange of everything now.
    case syncRequested
    /// The program is ending: its operations are sealed and, if possible, sent.
    case flushRequested
    /// A new token is available.
    case signedIn
    /// Operations were added, sealed, answered or cancelled, or items moved to where they belong.
    case settled(LocalSummary)
    case registered
    case registrationFailed(TransportError)
    case pulled(PullSummary)
    case pullFailed(TransportError)
    /// Base starts from nothing, under a new generation.
    case baseRebuilt(LocalSummary)
    case sent(LocalSummary)
    case sendFailed(TransportError)
    /// Sealed operations have new numbers.
    case renumbered(LocalSummary)
    /// An action on the cache failed: the disk is full, or the file is damaged.
    case cacheFailed(String)
    case signal(SignalEvent)
    case signalsEnded(TransportError?)
  }

  /// The completeness of base.
  package enum BaseStage: Hashable, Sendable {
    /// Pages of a first synchronisation are missing.
    case paging
    /// The pages are in the cache. The delta since the start of paging is missing.
    case closing
    case whole
  }

  /// The result of a pull.
  package struct PullSummary: Hashable, Sendable {
    /// The number of rows that were applied.
    package var applied: Int
    /// The highest sequence among the rows.
    package var through: SequenceNumber?
    /// Whether the answer was complete; otherwise there is another page.
    package var isComplete: Bool
    package var stage: BaseStage
    package var local: LocalSummary
    /// The number of items in the store, if the store reported it.
    package var itemCount: Int?
  }

  /// Returns the event for an action whose work on the cache failed.
  ///
  /// A request that could not be prepared has failed too; the core would otherwise wait for it.
  package static func failure(of action: Action, _ reason: String) -> Event {
    switch action {
    case .send: .sendFailed(.cache(reason))
    case .pullFirstSync, .pullChanges, .takeEnclosed: .pullFailed(.cache(reason))
    case .register, .settle, .rebuildBase, .renumber, .startNewLineage, .refuseFirst, .openSignals,
      .closeSignals, .roundEnded:
      .cacheFailed(reason)
    }
  }

  /// An action to perform now. Each expects one event in return, except for the last three.
  package enum Action: Hashable, Sendable {
    /// Registers the device. → `registered` or `registrationFailed`.
    case register(ChannelType)
    /// Pulls one page of the first synchronisation. → `pulled` or `pullFailed`.
    case pullFirstSync
    /// Pulls one page of changes. → `pulled` or `pullFailed`.
    case pullChanges
    /// Applies a delta enclosed in a signal. → `pulled` or `pullFailed`.
    ///
    /// If the delta does not begin at base, pulls one page of changes instead.
    case takeEnclosed(EnclosedDelta)
    /// Sends the first `limit` sealed operations. → `sent` or `sendFailed`.
    case send(limit: Int)
    /// Seals held operations, and moves items to where they belong now. → `settled`.
    ///
    /// Seals the operations whose grace period is over or that are in scope.
    case settle(SealScope)
    /// Starts to rebuild base under a new generation. → `baseRebuilt`.
    ///
    /// The outbox stays, and is renumbered, because the store may have lost what it answered.
    case rebuildBase
    /// Renumbers the sealed operations from this number. → `renumbered`.
    case renumber(from: Int64)
    /// Begins a new lineage and numbers the unanswered operations from 1. → `renumbered`.
    case startNewLineage
    /// Removes the first sealed operation, which the store can never accept. → `settled`.
    ///
    /// The user is informed.
    case refuseFirst(reason: String)
    case openSignals
    case closeSignals
    /// Reports that a requested round has ended.
    case roundEnded(RoundOutcome)
  }
}
