internal import BellhopModel
internal import BellhopStore

extension ClockDoubt {
  /// The doubt in words, including what ends it.
  var description: String {
    """
    The system clock shows \(wall), \(ahead) later than expected. No item expires and no tombstone \
    is removed until the system reports a synchronised clock, or the time has been consistent for \
    a day. If the time is right, run: bellhopd expire --confirm
    """
  }

  private var ahead: String {
    let hours = wall.duration(since: expected).milliseconds / 3_600_000
    return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
  }
}
