package import BellhopCache
package import BellhopModel
internal import BellhopSync

/// The reason why an operation is still in the outbox.
package enum WaitReason: Hashable, Sendable {
  /// The grace period, in which the operation can still be undone.
  case grace(until: Timestamp)
  case offline(since: Timestamp, isTried: Bool)
  case busy(until: Timestamp, isTried: Bool)
  case signedOut
  /// Another failure of the last attempt, described with text from the server.
  case failed(String, isTried: Bool)
  case connecting
  case sending
  /// No running engine, so nothing is sent.
  case idle
  /// An operation that the store has carried out.
  case settling

  package init(_ stage: WaitingOperation.Stage, engine: EngineObservation) {
    switch stage {
    case .held(let until): self = .grace(until: until)
    case .answered: self = .settling
    case .unsent: self = Self.unsent(engine)
    }
  }

  private static func unsent(_ engine: EngineObservation) -> WaitReason {
    let isTried = engine.isRunning
    guard let note = engine.note else { return isTried ? .connecting : .idle }
    switch note.connection {
    case .signInAgain, .signedOut: return .signedOut
    case .offline(let since): return .offline(since: since, isTried: isTried)
    case .connecting, .live, .polling, .firstSync:
      if let until = note.busyUntil { return .busy(until: until, isTried: isTried) }
      if let problem = note.problem { return .failed(problem, isTried: isTried) }
      return isTried ? .sending : .idle
    }
  }

  /// The reason as a word for programs.
  package var word: String {
    switch self {
    case .grace: "grace"
    case .offline: "offline"
    case .busy: "busy"
    case .signedOut: "signedOut"
    case .failed: "failed"
    case .connecting: "connecting"
    case .sending: "sending"
    case .idle: "idle"
    case .settling: "settling"
    }
  }

  package var until: Timestamp? {
    switch self {
    case .grace(let until), .busy(let until, _): until
    case .offline, .signedOut, .failed, .connecting, .sending, .idle, .settling: nil
    }
  }

  package var since: Timestamp? {
    if case .offline(let since, _) = self { since } else { nil }
  }

  /// Returns the reason as text for the user.
  package func text(url: String, now: Timestamp) -> String {
    func later(_ isTried: Bool) -> String {
      isTried ? "" : "; to try again: bellhop sync"
    }
    switch self {
    case .grace(let until):
      return "not sent yet: can be undone until " + MomentText.clockWithSeconds(until)
    case .offline(let since, let isTried):
      return "not sent yet: offline since " + MomentText.moment(since, now: now) + later(isTried)
    case .busy(let until, let isTried):
      return "not sent yet: the store is busy until " + MomentText.moment(until, now: now)
        + later(isTried)
    case .signedOut: return "not sent yet: signed out; sign in again: bellhop login \(url)"
    case .failed(let problem, let isTried): return "not sent yet: \(problem)" + later(isTried)
    case .connecting: return "not sent yet: connecting"
    case .sending: return "being sent"
    case .idle: return "not sent yet: no bellhop is running; to send it: bellhop sync"
    case .settling: return "sent; not yet in the store's lists"
    }
  }
}
