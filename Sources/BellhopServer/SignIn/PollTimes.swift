internal import BellhopStore

/// The times at which devices polled this process last.
///
/// Another process does not know them, so a poll costs no write. A device that reaches several
/// processes may poll each at its interval.
struct PollTimes: Sendable {
  private var last: [DeviceGrantID: Duration] = [:]
  /// The maximum number of devices. Beyond it, the one that polled the longest time ago is forgotten.
  private let countMax: Int

  init(countMax: Int) { self.countMax = countMax }

  var count: Int { last.count }

  /// Records a poll, and returns whether it came earlier than the grant's interval after the last one.
  ///
  /// - Parameter instant: The time on a monotonic clock.
  mutating func note(_ grant: DeviceGrant, at instant: Duration) -> Bool {
    let previous = last.updateValue(instant, forKey: grant.id)
    if last.count > countMax, let oldest = last.min(by: { $0.value < $1.value })?.key {
      last[oldest] = nil
    }
    return previous.map { instant - $0 < grant.interval } ?? false
  }
}
