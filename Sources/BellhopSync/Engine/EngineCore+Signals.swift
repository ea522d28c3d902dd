import BellhopModel

extension EngineCore {
  mutating func note(_ signal: SignalEvent, at instant: Duration) {
    guard lifecycle == .running else { return }
    if case .closed = signals { return }
    let isOpening = if case .opening = signals { true } else { false }
    let silentAt = instant + policy.signalSilence
    switch signal {
    case .opened:
      signals = .opening(silentAt: silentAt)
      reconnectDelay = nil
      // The store may differ from the one that made the promises, even in the same epoch: restored
      // older data counts from further back. The store reports its position first.
      forgetPromises()
      return
    case .changed(let epoch, let sequence, let brought):
      promise(Position(epoch: epoch, sequence: sequence), brought)
    case .heartbeat: break
    case .reconnect(let delay): reconnectDelay = delay
    }
    signals = .open(silentAt: silentAt)
    if isOpening {
      signalBackOff.succeed()
      schedulePoll(at: instant)
    }
  }

  /// Records the store's position. An enclosed delta always goes up to it, or is dropped.
  private mutating func promise(_ position: Position, _ brought: EnclosedDelta?) {
    guard
      promised?.epoch != position.epoch || promised.map({ $0.sequence < position.sequence }) ?? true
    else { return }
    promised = position
    guard let brought, brought.answer.epoch == position.epoch,
      brought.answer.readAt == position.sequence
    else {
      enclosed = nil
      return
    }
    enclosed = enclosed.map { $0.followed(by: brought) ?? brought } ?? brought
  }

  mutating func forgetPromises() {
    promised = nil
    enclosed = nil
    promisedAtPull = nil
    reached = nil
  }

  /// Continues with polling while the channel is closed.
  ///
  /// After a channel that could not be opened, the first pull begins at once. After a channel that
  /// worked, it waits for the next channel, because the channels of thousands of clients may end
  /// together. That one opens at a random time within ``EnginePolicy/reconnectSpread``, or at the time
  /// that the store gave. Then it brings what was missed.
  mutating func noteSignalsEnded(
    _ error: TransportError?, at instant: Duration, _ actions: inout [Action]
  ) {
    if case .closed = signals { return }
    let hasWorked = if case .open = signals { error != .timedOut } else { false }
    signals = .closed(retryAt: instant)
    guard lifecycle == .running else { return }
    if let error, error.endsSignIn { return mustSignIn(error, &actions) }
    if hasWorked {
      let requested = reconnectDelay.map { max($0, policy.reconnectShortest) }
      let wait = requested ?? policy.reconnectSpread * random()
      signalBackOff.wait(min(wait, policy.backOffLongest), at: instant)
      let retryAt = signalBackOff.until ?? instant
      signals = .closed(retryAt: retryAt)
      pollInterval = policy.pollFastest
      return schedulePoll(at: retryAt)
    }
    var asked: Duration?
    if case .throttled(let retryAfter)? = error { asked = retryAfter }
    signalBackOff.fail(at: instant, policy: policy, atLeast: asked, jitter: random())
    signals = .closed(retryAt: signalBackOff.until ?? instant)
    isPullWanted = true
    pollInterval = policy.pollFastest
  }
}
