package import BellhopCache
package import BellhopModel
package import BellhopWire

/// Every decision of synchronisation, as a value: events in, actions out. <doc:Rules> has
/// the rules.
///
/// It reads no clock, asks no network and touches no file: `at` is the time since the engine
/// started on a clock that does not step, `now` is the store's time. Whoever steps it performs
/// the actions in order, brings back their results as events, and calls with ``Event/woke`` when
/// ``wakeAt`` has come. At most one pull, one send and one registration are under way at a time.
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
  /// Who signed this device out, while it is.
  var revocation: RevocationPayload?
  var lastSync: Timestamp?
  var hasSynced = false
  /// How many items the store has, as the pages of a first synchronisation say.
  var itemCount: Int?

  var registration = Registration.needed
  var isSettling = false
  var sending = Sending.nothing
  var sendLimit: Int
  var conflicts = 0
  var pulling = Pulling.nothing
  /// How far the store is, as the last signal said.
  var promised: Position?
  /// What changed up to there, when it came along.
  var enclosed: EnclosedDelta?
  /// The same when the pull under way began.
  var promisedAtPull: Position?
  /// Whether the pull under way takes what came along with a signal.
  var isTakingEnclosed = false
  /// How far base is known to be.
  var reached: Position?
  var resyncs = 0
  var isPullWanted = true
  var pullNotBefore: Duration = .zero
  var pollInterval: Duration
  var pollAt: Duration?
  var pagesSinceDelta = 0
  var signals = Signals.closed(retryAt: .zero)
  var signalBackOff = BackOff()
  /// After the cache failed: not again before this instant.
  var localRetryAt: Duration = .zero
  var isRoundWanted = false
  /// An earlier reading of both clocks, with which later ones are compared.
  var knownTime: (instant: Duration, now: Timestamp)?
  /// Until when nothing held is sealed, because the store's time made a step.
  var sealNotBefore: Duration = .zero

  /// A core that starts when it is told to. `random` gives numbers from 0 up to 1, for jitter.
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
    /// Pages arrive.
    case firstSync(received: Int)
    /// The pages are in; what changed meanwhile is pulled.
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

  /// Steps the core: takes note of `event` and answers with what is to be done now.
  package mutating func handle(_ event: Event, at instant: Duration, now: Timestamp) -> [Action] {
    guard lifecycle != .stopped else { return [] }
    var actions: [Action] = []
    noteTime(at: instant, now: now)
    note(event, at: instant, now: now, &actions)
    decide(at: instant, now: now, &actions)
    return actions
  }

  /// When ``Event/woke`` is due; nil while only an event from outside can change anything.
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
      add(local.nextTurnOver)
    }
    times = times.map { max($0, localRetryAt) }
    if lifecycle == .running {
      let earliest = backOff.until.map { max($0, instant) } ?? instant
      if pulling == .nothing {
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

  /// Whether a first synchronisation is under way, and not held up: rows come before everything
  /// that can wait.
  var isFetchingAll: Bool { phase != .steady && pulling != .nothing }

  /// What the header shows now.
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
  /// Something that happened.
  package enum Event: Hashable, Sendable {
    /// The engine starts over what the cache holds.
    case started(LocalSummary, BaseStage)
    /// ``EngineCore/wakeAt(at:now:)`` has come.
    case woke
    /// The machine was asleep, or the network came back.
    case resumed
    /// Somebody wants everything exchanged now.
    case syncRequested
    /// The program ends: whatever is in the outbox is sealed and, if possible, sent.
    case flushRequested
    /// A new token is there.
    case signedIn
    /// Operations were added, sealed, answered or taken back, or items moved to where they belong.
    case settled(LocalSummary)
    case registered
    case registrationFailed(TransportError)
    case pulled(PullSummary)
    case pullFailed(TransportError)
    /// Base is empty, under a new generation.
    case baseRebuilt(LocalSummary)
    case sent(LocalSummary)
    case sendFailed(TransportError)
    /// Unacknowledged operations have new numbers.
    case renumbered(LocalSummary)
    /// An action on the cache failed: the disk is full, or the file is broken.
    case cacheFailed(String)
    case signal(SignalEvent)
    case signalsEnded(TransportError?)
  }

  /// How complete base is.
  package enum BaseStage: Hashable, Sendable {
    /// Pages of a first synchronisation are missing.
    case paging
    /// The pages are in; the delta since paging began is missing.
    case closing
    case whole
  }

  /// What a pull brought into base.
  package struct PullSummary: Hashable, Sendable {
    /// Rows that were applied.
    package var applied: Int
    /// The highest sequence among them.
    package var through: SequenceNumber?
    /// Whether the answer was complete; otherwise a further page waits.
    package var isComplete: Bool
    package var stage: BaseStage
    package var local: LocalSummary
    /// How many items the store has, when it said so.
    package var itemCount: Int?

    package init(
      applied: Int, through: SequenceNumber?, isComplete: Bool, stage: BaseStage,
      local: LocalSummary, itemCount: Int? = nil
    ) {
      self.itemCount = itemCount
      self.applied = applied
      self.through = through
      self.isComplete = isComplete
      self.stage = stage
      self.local = local
    }
  }

  /// The event that stands for an action whose part on the cache failed.
  ///
  /// A request that could not even be prepared has failed; otherwise it would be waited for.
  package static func failure(of action: Action, _ reason: String) -> Event {
    switch action {
    case .send: .sendFailed(.cache(reason))
    case .pullFirstSync, .pullChanges, .takeEnclosed: .pullFailed(.cache(reason))
    case .register, .settle, .rebuildBase, .renumber, .startNewLineage, .refuseFirst, .openSignals,
      .closeSignals, .roundEnded:
      .cacheFailed(reason)
    }
  }

  /// Something to do now. Each asks for one event in return, but for the last three.
  package enum Action: Hashable, Sendable {
    /// → `registered` or `registrationFailed`.
    case register(ChannelType)
    /// One page of the first synchronisation. → `pulled` or `pullFailed`.
    case pullFirstSync
    /// One page of changes. → `pulled` or `pullFailed`.
    case pullChanges
    /// The same from what came along with a signal, if base is where that begins; else one page of
    /// changes. → `pulled` or `pullFailed`.
    case takeEnclosed(EnclosedDelta)
    /// The first `limit` sealed operations. → `sent` or `sendFailed`.
    case send(limit: Int)
    /// Seals the held operations whose grace period is over or that are in scope, and moves items to
    /// where they belong now. → `settled`.
    case settle(SealScope)
    /// Starts base anew under a new generation. The outbox stays, and is numbered anew: the store
    /// may have lost what it answered. → `baseRebuilt`.
    case rebuildBase
    /// Numbers what is unacknowledged anew, from here. → `renumbered`.
    case renumber(from: Int64)
    /// Begins a new lineage and numbers what is unacknowledged from 1. → `renumbered`.
    case startNewLineage
    /// The first sealed operation can never be accepted: it leaves the outbox and the person is
    /// told. → `settled`.
    case refuseFirst(reason: String)
    case openSignals
    case closeSignals
    /// A round that was asked for has ended.
    case roundEnded(RoundOutcome)
  }
}
