import BellhopCache
import BellhopModel

/// The decisions that follow from the state: everything that can be done now is done now.
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

  /// Decides on work that needs no store, in every state.
  private mutating func decideLocally(
    at instant: Duration, now: Timestamp, _ actions: inout [Action]
  ) {
    guard instant >= localRetryAt else { return }
    guard !isSettling else { return }
    if let nextSeal = local.nextSeal, instant >= sealNotBefore {
      if isAfterStep(nextSeal, now: now) { return settle(.all, &actions) }
      if nextSeal <= now { return settle(.due, &actions) }
    }
    if let nextDue = local.nextDue, nextDue <= now { settle(.none, &actions) }
  }

  /// Returns whether a grace period ends further ahead than any grace period lasts.
  ///
  /// In that case the clock was set back.
  func isAfterStep(_ nextSeal: Timestamp, now: Timestamp) -> Bool {
    nextSeal.duration(since: now) > policy.deleteGrace
  }

  /// Compares the store's time with monotonic time.
  ///
  /// After a step, held operations have their whole grace period from then on.
  mutating func noteTime(at instant: Duration, now: Timestamp) {
    guard let known = knownTime else {
      knownTime = (instant, now)
      return
    }
    let passed = instant - known.instant
    let step = now.duration(since: known.now) - passed
    let isStep = step > Self.stepMax || step < .zero - Self.stepMax
    if isStep { sealNotBefore = instant + policy.deleteGrace }
    // Not with each reading, because many small steps make a large one.
    if isStep || passed >= policy.deleteGrace { knownTime = (instant, now) }
  }

  /// The maximum deviation of the store's time from monotonic time within a grace period.
  ///
  /// The store's answers give its time to a second.
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
    // A pull follows the answer, so the signal for these operations needs no pull before.
    if canWait { pullNotBefore = max(pullNotBefore, instant + policy.pullSpacing) }
    actions.append(.send(limit: sendLimit))
  }

  private mutating func decidePull(at instant: Duration, _ actions: inout [Action]) {
    guard pulling == .nothing, !mustRegisterFirst, instant >= pullNotBefore,
      instant >= pullWantedAt
    else { return }
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
    // A pull for any other reason must get the store's present state.
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

  /// Whether nothing may be pulled until the store has registered the device.
  var mustRegisterFirst: Bool {
    guard policy.registersFirst else { return false }
    switch registration {
    case .needed, .underWay: return true
    case .done: return false
    }
  }

  /// The time from which there is a reason to request more from the store.
  ///
  /// This is at once for a page, or if the store is known to have more; otherwise it is the time of
  /// the next poll.
  var pullWantedAt: Duration {
    if case .firstSync = phase { return .zero }
    return needsPull ? .zero : pollAt ?? .zero
  }

  /// Whether a delta comes before the next page of a first synchronisation.
  ///
  /// The delta since the start of paging brings the changes made meanwhile. It is pulled when a
  /// signal reports changes, and from time to time in any case. Its token comes with the first page
  /// (SYNC-14).
  private var isDeltaDue: Bool {
    needsPull && pagesSinceDelta > 0 || pagesSinceDelta >= policy.pagesPerDelta
  }

  /// Whether the next pull requests another page, as far as is known while a page is written.
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
