/// The times at which a client looks after a private store that it cannot reach, and starts it again.
///
/// The first start comes ``firstWait`` after the store was found gone, so that a store which ends
/// with the machine or for an update is left alone. Each further start waits twice as long as the one
/// before, up to ``longestWait``. A store that ran for ``steadyTime`` counts as sound again.
///
/// Instants are times since the program started, on a clock that does not step.
struct RestartPlan: Hashable, Sendable {
  /// The answer to a look at the store.
  enum Decision: Hashable, Sendable {
    case leave
    case start
  }

  /// The wait before the first start; it doubles with each further one.
  static let firstWait: Duration = .seconds(1)
  /// The longest wait between two starts, so that a store that can run again does so by itself.
  static let longestWait: Duration = .seconds(60)
  /// The time after which an end is no longer taken for the result of the start before.
  static let steadyTime: Duration = .seconds(60)
  /// The time between two looks at a store that was stopped by a person, or runs and does not answer.
  static let lookSpacing: Duration = .seconds(10)

  /// When the store is to be looked at next; nil while it can be reached.
  private(set) var nextLook: Duration?
  private var startCount = 0
  private var lastStart: Duration?
  private var earliestStart: Duration = .zero

  /// Records that the store cannot be reached. Only the first report after a success counts.
  mutating func noteUnreachable(at instant: Duration) {
    guard nextLook == nil else { return }
    if let lastStart, instant - lastStart >= Self.steadyTime { startCount = 0 }
    earliestStart = max(instant + Self.firstWait, lastStart.map { $0 + wait } ?? .zero)
    nextLook = instant
  }

  /// Records that the store answers.
  mutating func noteReachable() { nextLook = nil }

  /// Decides what to do about a store in this condition, and when to look again.
  mutating func decide(_ condition: PrivateStore.Condition, at instant: Duration) -> Decision {
    guard nextLook != nil else { return .leave }
    switch condition {
    case .running, .stopped:
      nextLook = instant + Self.lookSpacing
      return .leave
    case .ended:
      nextLook = earliestStart
      return instant >= earliestStart ? .start : .leave
    }
  }

  /// Records that a start was tried, with whatever result.
  mutating func noteStart(at instant: Duration) {
    startCount += 1
    lastStart = instant
    earliestStart = instant + wait
    if nextLook != nil { nextLook = earliestStart }
  }

  /// The shortest time between the last start and the next.
  private var wait: Duration {
    // More doublings than this are past the longest wait.
    min(Self.firstWait * (1 << min(startCount, 6)), Self.longestWait)
  }
}
