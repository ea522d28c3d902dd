internal import BellhopModel
internal import BellhopStore

extension ClockDoubt {
  /// The doubt in words, including what ends it.
  var description: String {
    """
    The clock says \(wall), \(ahead) later than expected. No item expires and no tombstone is \
    dropped until the system reports a synchronised clock, or the clock has kept to this for a day. \
    If it is right, run: bellhopd expire --confirm
    """
  }

  private var ahead: String {
    let hours = wall.duration(since: expected).milliseconds / 3_600_000
    return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
  }
}
