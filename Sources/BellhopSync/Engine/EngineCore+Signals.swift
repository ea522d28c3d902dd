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
      // The store may be another than the one that made the promises, even of the same life: older
      // data, put in place, counts from further back. It says first where it is.
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

  /// What is enclosed always goes up to what is promised, or is not kept.
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

  /// Polling goes on by itself while the channel is away, and begins with a look at once.
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
