import BellhopCache
import BellhopModel

/// Start and end, rounds that callers wait for, and events for listeners.
extension SyncEngine {
  func start() {
    do throws(CacheError) {
      let state = try parts.cache.syncState()
      clockOffset = parts.transport.clockOffset ?? state.clockOffset
      let summary = try localSummary()
      handle(.started(summary, state.stage))
    } catch {
      handle(.started(LocalSummary(), .paging))
      handle(.cacheFailed(error.description))
    }
    wantTidying()
  }

  func end() {
    role = .ended
    disarm()
    pageAhead.dropHeld()
    jobs?.finish()
    jobs = nil
    endRounds(.stopped(waiting: core.status.waiting))
    lastStatus = core.status
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }

  func round(_ event: EngineCore.Event, within limit: Duration) async -> RoundOutcome {
    guard role != .ended else { return .stopped(waiting: core.status.waiting) }
    nextKey += 1
    let key = nextKey
    let deadline = timekeeper.elapsed() + limit
    let timer = Task {
      guard (try? await timekeeper.sleep(deadline)) != nil else { return }
      giveUpRound(key)
    }
    defer { timer.cancel() }
    return await withCheckedContinuation { continuation in
      rounds[key] = continuation
      handle(event)
    }
  }

  func giveUpRound(_ key: Int) {
    rounds.removeValue(forKey: key)?.resume(returning: .stopped(waiting: core.status.waiting))
  }

  /// - Parameter unlessToSweep: Whether rows that the store no longer has are removed first. A
  ///   caller that learns that everything is fetched then finds nothing else.
  func endRounds(_ outcome: RoundOutcome, unlessToSweep waits: Bool) {
    if waits, case .upToDate = outcome, (try? parts.cache.syncState().needsSweep) == true {
      roundsWaitForSweep = true
      return wantTidying()
    }
    endRounds(outcome)
  }

  /// Ends the rounds that waited for a sweep, when it is done or has failed.
  func endSweptRounds(isFailed: Bool) {
    guard roundsWaitForSweep,
      isFailed || (try? parts.cache.syncState().needsSweep) != true
    else { return }
    endRounds(.upToDate)
  }

  func endRounds(_ outcome: RoundOutcome) {
    roundsWaitForSweep = false
    let waiting = rounds.values
    rounds = [:]
    for continuation in waiting { continuation.resume(returning: outcome) }
  }

  func settle() {
    do throws(CacheError) {
      handle(.settled(try localSummary()))
    } catch {
      handle(.cacheFailed(error.description))
    }
  }

  /// Starts the slow work in the cache, unless it is already running.
  func wantTidying() {
    guard !isTidying else { return }
    isTidying = true
    jobs?.yield(.tidy)
  }

  func tidyingEnded() { isTidying = false }

  /// Postpones tidying until the core no longer fetches everything.
  func tidyingPutOff() {
    isTidying = false
    isTidyingPutOff = true
  }

  func resumeTidying() {
    guard isTidyingPutOff, !core.isFetchingAll else { return }
    isTidyingPutOff = false
    wantTidying()
  }

  // MARK: Events

  func tell(_ event: EngineEvent) {
    if event == .dataChanged { parts.noteChange?(.everything) }
    tellListeners(event)
  }

  private func tellListeners(_ event: EngineEvent) {
    for listener in listeners.values { listener.yield(event) }
  }

  func noteChange(_ scope: ChangeScope) { unreportedChange = scope.joined(with: unreportedChange) }

  func tellChange() {
    guard let scope = unreportedChange else { return }
    unreportedChange = nil
    parts.noteChange?(scope)
    tellListeners(.dataChanged)
    parts.nudges?.broadcast(.dataChanged)
  }

  func tellNews() {
    tellChange()
    let status = core.status
    if status != lastStatus, role == .engine {
      lastStatus = status
      tell(.status(status))
      parts.nudges?.broadcast(.status(status))
      parts.noteStatus?(status)
    }
  }

  func listen(to nudges: AsyncStream<Nudge>) async {
    for await nudge in nudges { receive(nudge) }
  }

  func receive(_ nudge: Nudge) {
    switch nudge {
    case .dataChanged: tell(.dataChanged)
    case .outboxChanged:
      guard role == .engine else { return tell(.dataChanged) }
      noteChange(.everything)
      settle()
    case .syncNow: if role == .engine { handle(.syncRequested) }
    case .statusWanted: if role == .engine { parts.nudges?.broadcast(.status(core.status)) }
    case .status(let status):
      guard role == .waiting else { return }
      lastStatus = status
      tell(.status(status))
    }
  }
}
