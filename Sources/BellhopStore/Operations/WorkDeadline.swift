/// The end of the time that one piece of work may take, on a clock that does not step.
///
/// A limit on rows alone is not enough: a filter can cost milliseconds per row.
package struct WorkDeadline: Sendable {
  private let uptime: @Sendable () -> Duration
  private let end: Duration

  /// - Parameters:
  ///   - time: the time that the work may take, from now on.
  ///   - uptime: see ``StoreEnvironment/workUptime``.
  package init(after time: Duration, uptime: @escaping @Sendable () -> Duration) {
    self.uptime = uptime
    end = uptime() + time
  }

  private init(end: Duration, uptime: @escaping @Sendable () -> Duration) {
    self.uptime = uptime
    self.end = end
  }

  /// The deadline after half the remaining time. Reads the clock.
  package var half: WorkDeadline {
    let now = uptime()
    return WorkDeadline(end: now + (end - now) / 2, uptime: uptime)
  }

  /// Whether the time has passed. Reads the clock.
  package var hasPassed: Bool { uptime() >= end }
}

extension StoreLogic {
  func deadline(after time: Duration) -> WorkDeadline {
    WorkDeadline(after: time, uptime: environment.workUptime)
  }
}
