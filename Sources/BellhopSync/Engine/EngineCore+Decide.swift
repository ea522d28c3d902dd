import BellhopCache
import BellhopModel

/// What follows from the state: everything that can be done now is done now.
extension EngineCore {
  mutating func decide(at instant: Duration, now: Timestamp, _ actions: inout [Action]) {
    guard lifecycle != .idle, lifecycle != .stopped else { return }
    decideLocally(at: instant, now: now, &actions)
    switch lifecycle {
    case .running:
      closeSilentSignals(at: instant, &actions)
      if !backOff.isWaiting(at: instant) {
        decideSend(at: instant, &actions)
        decidePull(at: instant, &actions)
        decideSignals(at: instant, &actions)
      }
      endRoundIfDone(&actions)
    case .flushing:
      decideSend(at: instant, &actions)
      if !isSettling, sending == .nothing, registration != .underWay, local.ready == 0 {
        endRound(.upToDate, &actions)
      }
    case .idle, .signInAgain, .stopped: break
    }
  }

  /// What needs no store goes on in every state.
  private mutating func decideLocally(
    at instant: Duration, now: Timestamp, _ actions: inout [Action]
  ) {
    guard instant >= localRetryAt else { return }
    guard !isSettling else { return }
    if let nextSeal = local.nextSeal, instant >= sealNotBefore {
      if isAfterStep(nextSeal, now: now) { return settle(.all, &actions) }
      if nextSeal <= now { return settle(.due, &actions) }
    }
    if let nextTurnOver = local.nextTurnOver, nextTurnOver <= now { settle(.none, &actions) }
  }

  /// Whether the end of a grace period is further ahead than any grace: the clock was set back.
  func isAfterStep(_ nextSeal: Timestamp, now: Timestamp) -> Bool {
    nextSeal.duration(since: now) > policy.deleteGrace
  }

  /// Compares the store's time with monotonic time. After a step, what is held keeps all of its grace
  /// period from then on.
  mutating func noteTime(at instant: Duration, now: Timestamp) {
    guard let known = knownTime else {
      knownTime = (instant, now)
      return
    }
    let passed = instant - known.instant
    let step = now.duration(since: known.now) - passed
    let isStep = step > Self.stepMax || step < .zero - Self.stepMax
    if isStep { sealNotBefore = instant + policy.deleteGrace }
    // Not with each reading: many small steps are a large one.
    if isStep || passed >= policy.deleteGrace { knownTime = (instant, now) }
  }

  /// How far the store's time may get off monotonic time within a grace period: its answers say it to
  /// a second.
  private static let stepMax = Duration.seconds(1)

  private mutating func decideSend(at instant: Duration, _ actions: inout [Action]) {
    switch registration {
    case .needed:
      registration = .underWay
      actions.append(.register(policy.channel))
      return
    case .underWay: return
    case .done(let renewAt):
      if instant >= renewAt, lifecycle == .running {
        registration = .underWay
        actions.append(.register(policy.channel))
        return
      }
    }
    guard sending == .nothing, !isSettling, local.ready > 0 else { return }
    sending = .batch
    // A pull follows the answer; the signal for these operations needs none of its own before.
    if isPatient { pullNotBefore = max(pullNotBefore, instant + policy.pullSpacing) }
    actions.append(.send(limit: sendLimit))
  }

  private mutating func decidePull(at instant: Duration, _ actions: inout [Action]) {
    guard pulling == .nothing, instant >= pullNotBefore, instant >= pullWantedAt else { return }
    if case .firstSync = phase {
      guard isDeltaDue else {
        pagesSinceDelta += 1
        pulling = .firstSync
        actions.append(.pullFirstSync)
        return
      }
      pagesSinceDelta = 0
    } else {
      pullNotBefore = instant + policy.pullSpacing
    }
    pulling = .changes
    // Whoever wants a pull for another reason wants to know what the store says now.
    let isSignalled = !isPullWanted && phase == .steady && pollAt.map { $0 > instant } ?? false
    isPullWanted = false
    promisedAtPull = promised
    isTakingEnclosed = isSignalled && enclosed != nil
    if isSignalled, let enclosed {
      actions.append(.takeEnclosed(enclosed))
    } else {
      actions.append(.pullChanges)
    }
    enclosed = nil
  }

  /// From when on there is a reason to ask the store for more: at once for a page, or for what it is
  /// known to have, else when it is looked whether it has anything.
  var pullWantedAt: Duration {
    if case .firstSync = phase { return .zero }
    return needsPull ? .zero : pollAt ?? .zero
  }

  /// Whether a delta comes before the next page of a first synchronisation.
  ///
  /// What changes meanwhile comes from the delta of the moment paging began, when a signal says so
  /// and now and then in any case; its token comes with the first page (SYNC-14).
  private var isDeltaDue: Bool {
    needsPull && pagesSinceDelta > 0 || pagesSinceDelta >= policy.pagesPerDelta
  }

  /// While a page of a first synchronisation is being written: whether the next pull is for another
  /// page, as far as is known now.
  var asksForPageNext: Bool {
    guard lifecycle == .running, pulling == .firstSync, case .firstSync = phase
    else { return false }
    return !isDeltaDue
  }

  private mutating func decideSignals(at instant: Duration, _ actions: inout [Action]) {
    guard policy.opensSignals, case .closed(let retryAt) = signals, retryAt <= instant
    else { return }
    signals = .opening(silentAt: instant + policy.signalSilence)
    actions.append(.openSignals)
  }

  private mutating func closeSilentSignals(at instant: Duration, _ actions: inout [Action]) {
    switch signals {
    case .closed: return
    case .opening(let silentAt), .open(let silentAt):
      guard instant >= silentAt else { return }
      actions.append(.closeSignals)
      noteSignalsEnded(.timedOut, at: instant, &actions)
    }
  }

  private mutating func endRoundIfDone(_ actions: inout [Action]) {
    guard isRoundWanted, sending == .nothing, pulling == .nothing, !isSettling, local.ready == 0,
      phase == .steady, !needsPull, registration != .underWay
    else { return }
    endRound(.upToDate, &actions)
  }
}
