#if BELLHOP_POSTGRES
/// The pauses between attempts to connect.
///
/// They double up to a limit. Up to half of each is random, so that processes do not try at the
/// same moments.
struct ReconnectPause {
  private static let pauseMin = Duration.milliseconds(100)
  private static let pauseMax = Duration.seconds(5)

  private let random: @Sendable () -> UInt64
  private var failures = 0

  init(random: @escaping @Sendable () -> UInt64) { self.random = random }

  /// Returns the pause after another failure.
  mutating func next() -> Duration {
    let pause = min(Self.pauseMax, Self.pauseMin * (1 << min(failures, 10)))
    failures += 1
    let share = Double(random() >> 11) / Double(1 << 53)
    return pause * (0.5 + share / 2)
  }

  /// Begins with the shortest pause again.
  mutating func reset() { failures = 0 }
}
#endif
