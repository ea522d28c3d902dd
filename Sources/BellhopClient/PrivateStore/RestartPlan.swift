/// The times at which a client checks a private store that it cannot reach, and restarts it.
///
/// The first start happens ``firstWait`` after the store was found gone, so that a store that ends
/// with the machine or for an update is left alone. The wait doubles with each further start, up to
/// ``longestWait``. A store that ran for ``steadyTime`` counts as healthy again.
///
/// Instants are times since the program started, on a monotonic clock.
struct RestartPlan: Hashable, Sendable {
  /// The result of a check of the store.
  enum Decision: Hashable, Sendable {
    case leave
    case start
  }

  /// The wait before the first start, which doubles with each further one.
  static let firstWait: Duration = .seconds(1)
  /// The longest wait between two starts, so that a store that can run again is started in time.
  static let longestWait: Duration = .seconds(60)
  /// The running time after which an end no longer counts as a failure of the last start.
  static let steadyTime: Duration = .seconds(60)
  /// The time between two checks of a store that the user stopped, or that runs without answering.
  static let checkSpacing: Duration = .seconds(10)

  /// The time of the next check of the store; nil while the store can be reached.
  private(set) var nextCheck: Duration?
  private var startCount = 0
  private var lastStart: Duration?
  private var earliestStart: Duration = .zero

  /// Records that the store cannot be reached. Only the first report after a success counts.
  mutating func noteUnreachable(at instant: Duration) {
    guard nextCheck == nil else { return }
    if let lastStart, instant - lastStart >= Self.steadyTime { startCount = 0 }
    earliestStart = max(instant + Self.firstWait, lastStart.map { $0 + wait } ?? .zero)
    nextCheck = instant
  }

  /// Records that the store can be reached.
  mutating func noteReachable() { nextCheck = nil }

  /// Decides what to do about a store in this condition, and when to check again.
  mutating func decide(_ condition: PrivateStore.Condition, at instant: Duration) -> Decision {
    guard nextCheck != nil else { return .leave }
    switch condition {
    case .running, .stopped:
      nextCheck = instant + Self.checkSpacing
      return .leave
    case .ended:
      nextCheck = earliestStart
      return instant >= earliestStart ? .start : .leave
    }
  }

  /// Records an attempt to start the store, whether successful or not.
  mutating func noteStart(at instant: Duration) {
    startCount += 1
    lastStart = instant
    earliestStart = instant + wait
    if nextCheck != nil { nextCheck = earliestStart }
  }

  /// The shortest time between the last start and the next one.
  private var wait: Duration {
    // More doublings would exceed the longest wait.
    min(Self.firstWait * (1 << min(startCount, 6)), Self.longestWait)
  }
}
