import BellhopCache
import BellhopModel

/// The effect of each event on the state. Decisions follow in `decide`.
extension EngineCore {
  mutating func note(
    _ event: Event, at instant: Duration, now: Timestamp, _ actions: inout [Action]
  ) {
    switch event {
    case .started(let local, let stage):
      lifecycle = .running
      self.local = local
      enter(stage, adding: 0)
    case .woke: break
    case .resumed:
      endWaits(at: instant)
    case .syncRequested:
      if lifecycle == .signInAgain { lifecycle = .running }
      isRoundWanted = true
      endWaits(at: instant)
    case .flushRequested:
      lifecycle = .flushing
      isRoundWanted = true
      backOff.skipWait()
      if case .closed = signals {} else { actions.append(.closeSignals) }
      signals = .closed(retryAt: instant)
      settle(.own, &actions)
    case .signedIn:
      if lifecycle == .signInAgain { lifecycle = .running }
      registration = .needed
      endWaits(at: instant)
    case .settled(let local):
      isSettling = false
      if local.waiting > self.local.waiting { pollInterval = policy.pollFastest }
      self.local = local
    case .registered, .registrationFailed:
      noteRegistration(event, at: instant, now: now, &actions)
    case .pulled(let summary):
      succeed()
      pulled(summary, at: instant, now: now)
      pulling = .nothing
    case .pullFailed(let error):
      notePullFailure(error, at: instant, now: now, &actions)
    case .baseRebuilt(let local):
      noteRebuilt(local)
    case .sent(let local):
      noteSent(local, at: instant)
    case .sendFailed(let error):
      noteSendFailure(error, at: instant, now: now, &actions)
    case .renumbered(let local):
      sending = .nothing
      self.local = local
    case .cacheFailed(let reason):
      noteCacheFailure(reason, at: instant, now: now, &actions)
    case .signal(let signal):
      note(signal, at: instant)
    case .signalsEnded(let error):
      noteSignalsEnded(error, at: instant, &actions)
    }
  }

  mutating func settle(_ scope: SealScope, _ actions: inout [Action]) {
    isSettling = true
    actions.append(.settle(scope))
  }

  /// Ends every wait, so that postponed work begins at once.
  private mutating func endWaits(at instant: Duration) {
    backOff.skipWait()
    signalBackOff.skipWait()
    if case .closed = signals { signals = .closed(retryAt: instant) }
    isPullWanted = true
    pullNotBefore = instant
    pollInterval = policy.pollFastest
  }

  private mutating func noteRegistration(
    _ event: Event, at instant: Duration, now: Timestamp, _ actions: inout [Action]
  ) {
    if case .registrationFailed(let error) = event {
      registration = .needed
      if case .forbidden = error {
        mustSignIn(error, &actions)
      } else {
        fail(error, at: instant, now: now, &actions)
      }
    } else {
      registration = .done(renewAt: instant + policy.registrationRenewal)
    }
  }

  /// Records a failure of the cache.
  ///
  /// Nothing is lost: the action is tried again, or follows again from the store's answer.
  private mutating func noteCacheFailure(
    _ reason: String, at instant: Duration, now: Timestamp, _ actions: inout [Action]
  ) {
    isSettling = false
    localRetryAt = instant + .seconds(5)
    if pulling == .rebuilding {
      pulling = .nothing
      isPullWanted = true
    }
    if sending == .renumbering { sending = .nothing }
    fail(.cache(reason), at: instant, now: now, &actions)
  }

  private mutating func notePullFailure(
    _ error: TransportError, at instant: Duration, now: Timestamp, _ actions: inout [Action]
  ) {
    if error == .resyncRequired, !Mutant.resyncIgnored.isOn {
      resyncs += 1
      // A store that answers every fresh start with 410 must not be asked without a pause.
      if resyncs > 2 { fail(.resyncRequired, at: instant, now: now, &actions) }
      pulling = .rebuilding
      actions.append(.rebuildBase)
    } else {
      pulling = .nothing
      isPullWanted = true
      fail(error, at: instant, now: now, &actions)
    }
  }

  private mutating func noteRebuilt(_ local: LocalSummary) {
    pulling = .nothing
    // A store that was restored or rolled back may not know the device.
    if policy.registersFirst, case .done = registration { registration = .needed }
    self.local = local
    phase = .firstSync(received: 0)
    itemCount = nil
    forgetPromises()
    isPullWanted = true
    pagesSinceDelta = 0
  }

  private mutating func pulled(_ summary: PullSummary, at instant: Duration, now: Timestamp) {
    hasSynced = true
    local = summary.local
    itemCount = summary.itemCount ?? itemCount
    enter(summary.stage, adding: pulling == .firstSync ? summary.applied : 0)
    guard pulling == .changes else { return }
    guard summary.isComplete else {
      isPullWanted = true
      pullNotBefore = instant
      return
    }
    resyncs = 0
    if let promisedAtPull = Mutant.signalDuringPull.isOn ? promised : promisedAtPull {
      let through = max(promisedAtPull.sequence, summary.through ?? .zero)
      reached = Position(epoch: promisedAtPull.epoch, sequence: through)
    }
    if phase == .steady { lastSync = now }
    if summary.applied > 0 {
      pollInterval = policy.pollFastest
    } else {
      pollInterval = min(pollInterval * 2, policy.pollSlowest)
    }
    // A delta enclosed in a signal shows neither the store's time nor that nothing else was lost.
    // The store is polled as if the delta had not come.
    if !isTakingEnclosed { schedulePoll(at: instant) }
  }

  private mutating func enter(_ stage: BaseStage, adding count: Int) {
    let received =
      switch phase {
      case .firstSync(let received), .closing(let received): received + count
      case .steady: count
      }
    switch stage {
    case .paging: phase = .firstSync(received: received)
    case .closing:
      phase = .closing(received: received)
      isPullWanted = true
    case .whole: phase = .steady
    }
  }

  /// Whether the store is known, or suspected, to have more than base.
  var needsPull: Bool {
    if isPullWanted { return true }
    guard let promised else { return false }
    guard let reached, reached.epoch == promised.epoch else { return true }
    return promised.sequence > reached.sequence
  }

  mutating func schedulePoll(at instant: Duration) {
    let jitter = (Mutant.pollLeftOut.isOn ? 1_000_000 : 0.9) + random() / 5
    if case .open = signals {
      pollAt = instant + policy.safetyPoll * jitter
    } else {
      pollAt = instant + pollInterval * jitter
    }
  }
}

// MARK: - Failures

extension EngineCore {
  mutating func succeed() {
    backOff.succeed()
    offlineSince = nil
    problem = nil
    busyUntil = nil
    if lifecycle == .signInAgain { lifecycle = .running }
  }

  mutating func fail(
    _ error: TransportError, at instant: Duration, now: Timestamp, _ actions: inout [Action]
  ) {
    if error.endsSignIn { return mustSignIn(error, &actions) }
    // A request that this program cancelled says nothing about the store.
    if error != .cancelled { problem = error.description }
    var asked: Duration?
    if case .throttled(let retryAfter) = error { asked = retryAfter }
    backOff.fail(at: instant, policy: policy, atLeast: asked, jitter: random())
    busyUntil =
      if case .throttled = error {
        backOff.until.map { now.advanced(by: $0 - instant) }
      } else {
        nil
      }
    if error.isUnreachable { offlineSince = offlineSince ?? now }
    endRound(.failed(error, waiting: local.waiting), &actions)
  }

  /// Stops sending until the user signs in again. The outbox is kept.
  mutating func mustSignIn(_ error: TransportError, _ actions: inout [Action]) {
    problem = error.description
    revocation = if case .revoked(let revocation) = error { revocation } else { nil }
    if lifecycle == .running { lifecycle = .signInAgain }
    registration = .needed
    if case .closed = signals {} else { actions.append(.closeSignals) }
    signals = .closed(retryAt: .zero)
    endRound(.failed(error, waiting: local.waiting), &actions)
  }

  mutating func endRound(_ outcome: RoundOutcome, _ actions: inout [Action]) {
    guard isRoundWanted else { return }
    isRoundWanted = false
    actions.append(.roundEnded(outcome))
    if lifecycle == .flushing { lifecycle = .stopped }
  }
}
