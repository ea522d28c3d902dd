import BellhopModel

extension EngineCore {
  mutating func noteSent(_ local: LocalSummary, at instant: Duration) {
    sending = .nothing
    succeed()
    conflicts = 0
    sendLimit = policy.sendBatchMax
    self.local = local
    // Base has to reach the answer's sequence before the operations may leave the outbox.
    if !Mutant.ownPullLeftOut.isOn { isPullWanted = true }
    pullNotBefore = canWait ? instant + policy.ownPullDelay : instant
    pollInterval = policy.pollFastest
  }

  /// Whether no user and no command waits for base to be up to date.
  var canWait: Bool { phase == .steady && !isRoundWanted }

  mutating func noteSendFailure(
    _ error: TransportError, at instant: Duration, now: Timestamp, _ actions: inout [Action]
  ) {
    sending = .nothing
    switch error {
    case .outOfOrder, .outboxDiverged:
      conflicts += 1
      // One or two conflicts are normal while getting back in step. More need a pause in between.
      if conflicts > 3 { fail(error, at: instant, now: now, &actions) }
      sending = .renumbering
      if case .outOfOrder(let expected) = error {
        actions.append(.renumber(from: expected))
      } else {
        actions.append(.startNewLineage)
      }
    case .forbidden:
      // The registration may be gone. If the store refuses to register too, the user must sign in.
      conflicts += 1
      if conflicts > 1 {
        mustSignIn(error, &actions)
      } else {
        registration = .needed
      }
    case .unknownDevice:
      // Registering brings it back. Its numbers start again, which the store then reports.
      conflicts += 1
      if conflicts > 3 { fail(error, at: instant, now: now, &actions) }
      if !Mutant.registrationForgotten.isOn { registration = .needed }
    case .server(let status, let message) where (400..<500).contains(status):
      // An operation in the batch is unacceptable. Halving the batch finds it, so that one
      // operation never holds up the others.
      if sendLimit > 1, min(sendLimit, local.ready) > 1 {
        sendLimit = max(1, min(sendLimit, local.ready) / 2)
      } else {
        sendLimit = policy.sendBatchMax
        isSettling = true
        actions.append(.refuseFirst(reason: message))
      }
    case .offline, .timedOut, .unauthorized, .signInEnded, .revoked, .resyncRequired, .throttled,
      .server, .badAnswer, .badAddress, .insecure, .providerOffline, .provider, .cache, .cancelled:
      fail(error, at: instant, now: now, &actions)
    }
  }
}
