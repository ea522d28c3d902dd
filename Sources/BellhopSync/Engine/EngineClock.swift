/// A clock whose instants are the time since it was made.
package struct EngineClock: Sendable {
  package let elapsed: @Sendable () -> Duration
  /// Sleeps until that time, or throws if the task is cancelled.
  package let sleep: @Sendable (_ until: Duration) async throws -> Void

  package init<ClockType: Clock>(_ clock: ClockType) where ClockType.Duration == Duration {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  package static func make(_ clock: any Clock<Duration>) -> EngineClock {
    func opened(_ clock: some Clock<Duration>) -> EngineClock { EngineClock(clock) }
    return opened(clock)
  }
}
