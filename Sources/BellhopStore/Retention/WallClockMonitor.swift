package import BellhopModel

/// A reading of a machine's clocks.
package struct ClockReading: Hashable, Sendable {
  package var wall: Timestamp
  /// The monotonic time. It continues while the machine is suspended.
  package var uptime: Duration
  /// Whether the operating system reports that wall-clock time is synchronised with a reference.
  package var isSynchronized: Bool

  package init(wall: Timestamp, uptime: Duration, isSynchronized: Bool) {
    self.wall = wall
    self.uptime = uptime
    self.isSynchronized = isSynchronized
  }
}

/// An implausible wall-clock time, and how long the clock has agreed with it.
package struct ClockDoubt: Hashable, Sendable {
  /// The wall-clock time of the last reading.
  package var wall: Timestamp
  /// The latest accepted time: the last plausible one, advanced by monotonic time.
  package var expected: Timestamp
  /// The monotonic time for which the clock has been consistent with itself.
  package var held: Duration

  package init(wall: Timestamp, expected: Timestamp, held: Duration) {
    self.wall = wall
    self.expected = expected
    self.held = held
  }
}

/// The part of a ``WallClockMonitor`` that is saved between runs.
package struct ClockRecord: Hashable, Sendable {
  /// The last plausible wall-clock time.
  package var trusted: Timestamp
  /// The last implausible time while there is a doubt; ``held`` is how long the clock has agreed
  /// with it.
  package var doubted: Timestamp?
  package var held = Duration.zero

  package init(trusted: Timestamp, doubted: Timestamp? = nil, held: Duration = .zero) {
    self.trusted = trusted
    self.doubted = doubted
    self.held = held
  }
}

/// A judge of whether wall-clock time is plausible, based on its past readings.
///
/// A clock that was set wrong, or a machine that starts without one, may be months ahead for a
/// minute. Then everything that is deleted by age would be deleted, on every device. So a jump
/// ahead is not accepted until the operating system reports a synchronised clock, until the clock
/// has agreed with it for ``trialTime``, or until the administrator confirms it. A clock that is
/// behind deletes nothing too early, and is accepted immediately.
package struct WallClockMonitor: Hashable, Sendable {
  /// The maximum lead of wall-clock time over monotonic time within a run. No drift comes near it.
  package static let stepMax = Duration.seconds(3600)
  /// The maximum lead of wall-clock time over the last saved time at a start. A machine that is off
  /// for a week, as over holidays, raises no doubt.
  package static let absenceMax = Duration.seconds(7 * 86_400)
  /// The time for which a clock must agree with an implausible time before it is accepted.
  package static let trialTime = Duration.seconds(86_400)
  /// The time for which plausible readings are compared with the same one. This makes many small
  /// jumps count as a large one.
  static let comparisonTime = Duration.seconds(86_400)

  private struct Anchor: Hashable {
    var wall: Timestamp
    var uptime: Duration

    func expected(at uptime: Duration) -> Timestamp { wall.advanced(by: uptime - self.uptime) }
  }

  private struct Trial: Hashable {
    var latest: Anchor
    var held: Duration
  }

  private enum State: Hashable {
    /// No reading yet.
    case new(ClockRecord?)
    case trusted(Anchor)
    /// - Parameter tolerance: the plausible lead over the anchor.
    case doubted(Anchor, tolerance: Duration, Trial)
  }

  private var state: State
  /// The record to save, as of the last reading.
  package private(set) var record: ClockRecord?
  /// The doubt about wall-clock time; nil while it is plausible.
  package private(set) var doubt: ClockDoubt?

  /// - Parameter record: the record that an earlier run saved; nil for the first run of a new
  ///   store, which accepts its clock.
  package init(after record: ClockRecord? = nil) {
    state = .new(record)
    self.record = record
  }

  /// Judges another reading.
  package mutating func step(_ reading: ClockReading) {
    switch state {
    case .new(nil): trust(reading)
    case .new(let record?): begin(reading, after: record)
    case .trusted(let anchor):
      let expected = anchor.expected(at: reading.uptime)
      if reading.isSynchronized || reading.wall < expected.advanced(by: .zero - Self.stepMax)
        || reading.uptime - anchor.uptime >= Self.comparisonTime
          && reading.wall <= expected.advanced(by: Self.stepMax)
      {
        trust(reading)
      } else if reading.wall <= expected.advanced(by: Self.stepMax) {
        record = ClockRecord(trusted: reading.wall)
      } else {
        doubt(reading, anchor, tolerance: Self.stepMax, after: nil)
      }
    case .doubted(let anchor, let tolerance, let trial):
      let plausible = anchor.expected(at: reading.uptime).advanced(by: tolerance)
      if reading.isSynchronized || reading.wall <= plausible {
        trust(reading)
      } else {
        doubt(reading, anchor, tolerance: tolerance, after: trial)
      }
    }
  }

  /// Accepts the reading, because the administrator confirms it.
  package mutating func confirm(_ reading: ClockReading) { trust(reading) }

  /// Returns the time by which items expire at a reading; never an implausible one.
  ///
  /// - Parameter isSynchronized: called only if the wall-clock time is otherwise implausible.
  package func expiryTime(
    wall: Timestamp, uptime: Duration, isSynchronized: () -> Bool
  ) -> Timestamp {
    let (anchor, tolerance) =
      switch state {
      case .new: (Anchor?.none, Duration.zero)
      case .trusted(let anchor): (anchor, Self.stepMax)
      case .doubted(let anchor, let tolerance, _): (anchor, tolerance)
      }
    guard let expected = anchor?.expected(at: uptime),
      wall > expected.advanced(by: tolerance), !isSynchronized()
    else { return wall }
    return expected
  }

  private mutating func begin(_ reading: ClockReading, after record: ClockRecord) {
    let anchor = Anchor(wall: record.trusted, uptime: reading.uptime)
    // A restart does not make a time plausible that an earlier run doubted.
    let isDoubted =
      record.doubted.map { reading.wall >= $0.advanced(by: .zero - Self.stepMax) } ?? false
    let isPlausible = reading.wall <= record.trusted.advanced(by: Self.absenceMax) && !isDoubted
    if reading.isSynchronized || isPlausible { return trust(reading) }
    let tolerance = isDoubted ? Self.stepMax : Self.absenceMax
    guard isDoubted, let doubted = record.doubted,
      reading.wall <= doubted.advanced(by: Self.absenceMax)
    else { return doubt(reading, anchor, tolerance: tolerance, after: nil) }
    // The clock continued consistently while the store was off, so the trial continues too.
    let latest = Anchor(wall: reading.wall, uptime: reading.uptime)
    doubt(reading, anchor, tolerance: tolerance, after: Trial(latest: latest, held: record.held))
  }

  private mutating func trust(_ reading: ClockReading) {
    state = .trusted(Anchor(wall: reading.wall, uptime: reading.uptime))
    record = ClockRecord(trusted: reading.wall)
    doubt = nil
  }

  private mutating func doubt(
    _ reading: ClockReading, _ anchor: Anchor, tolerance: Duration, after trial: Trial?
  ) {
    let latest = Anchor(wall: reading.wall, uptime: reading.uptime)
    var held = Duration.zero
    if let trial, Self.isSteady(from: trial.latest, to: latest) {
      held = trial.held + (latest.uptime - trial.latest.uptime)
    }
    guard held < Self.trialTime else { return trust(reading) }
    state = .doubted(anchor, tolerance: tolerance, Trial(latest: latest, held: held))
    let expected = anchor.expected(at: reading.uptime)
    doubt = ClockDoubt(wall: reading.wall, expected: expected, held: held)
    record = ClockRecord(trusted: record?.trusted ?? expected, doubted: reading.wall, held: held)
  }

  /// Whether wall-clock time advanced as monotonic time did.
  private static func isSteady(from first: Anchor, to second: Anchor) -> Bool {
    let difference = second.wall.duration(since: first.expected(at: second.uptime))
    return difference <= stepMax && difference >= .zero - stepMax
  }
}
