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
      // The store may differ from the one that made the promises, even in the same epoch: restored
      // older data counts from further back. The store reports its position first.
      forgetPromises()
      return
    case .changed(let epoch, let sequence, let brought):
      promise(Position(epoch: epoch, sequence: sequence), brought)
    case .heartbeat: break
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

  /// Continues with polling while the channel is closed, beginning with a pull at once.
  mutating func noteSignalsEnded(
    _ error: TransportError?, at instant: Duration, _ actions: inout [Action]
  ) {
    if case .closed = signals { return }
    signals = .closed(retryAt: instant)
    guard lifecycle == .running else { return }
    if let error, error.endsSignIn { return mustSignIn(error, &actions) }
    var asked: Duration?
    if case .throttled(let retryAfter)? = error { asked = retryAfter }
    signalBackOff.fail(at: instant, policy: policy, atLeast: asked, jitter: random())
    signals = .closed(retryAt: signalBackOff.until ?? instant)
    isPullWanted = true
    pollInterval = policy.pollFastest
  }
}
