/// The actions of a rule on a publication that meets its condition.
///
/// ``level``, ``isSilent``, ``tags``, ``group`` and ``app`` change how the item is listed and announced,
/// and leave the publisher's content as it is (``AppliedEffect``).
public struct RuleActions: Hashable, Sendable {
  public var level: Priority?
  /// Whether devices neither show nor sound an alert for the item.
  public var isSilent = false
  public var marksRead = false
  public var dismisses = false
  /// The time for which the item leaves the tray. It has no effect if the rule also dismisses.
  public var snooze: RuleSnooze?
  public var pins = false
  /// Further tags: at most ``tagsMax``, of at most ``tagBytesMax`` bytes each.
  public var tags: [String] = []
  /// The group in which the item is listed.
  public var group: String?
  /// The app under which the item is listed.
  public var app: String?
  /// The way in which a publication joins a live item that is equal to it.
  public var collapse: RepeatKey?
  /// Whether the rules after this one do not act.
  public var stops = false

  /// The most tags that a rule adds.
  public static let tagsMax = 8
  /// The longest of these tags.
  public static let tagBytesMax = 64

  public init() {}

  /// Whether the snooze ends at a time of day, which may be one in the zone of the user.
  package var namesTime: Bool { if case .until? = snooze { true } else { false } }

  /// Whether the rule would do nothing.
  public var isEmpty: Bool { self == RuleActions() }
}

/// The end of a snooze that a rule sets.
public enum RuleSnooze: Hashable, Sendable {
  /// This time after the publication: 1 to ``secondsMax`` whole seconds.
  case `for`(Duration)
  /// The next time at which clocks in the rule's zone show this time.
  case until(LocalTime)

  /// The longest snooze in seconds: a year, for which a store keeps an item by default.
  public static let secondsMax: Int64 = 31_536_000

  /// Returns the end of the snooze of an item that is published at `now`.
  ///
  /// - Parameters:
  ///   - zone: The rule's zone; nil, or one that the clock does not know, for the clock's own.
  ///   - clock: The user's time zones.
  package func end(after now: Timestamp, in zone: String?, on clock: WallClock) -> Timestamp {
    switch self {
    case .for(let duration): now.advanced(by: duration)
    case .until(let time): time.first(after: now, in: clock.rulesOrOwn(of: zone))
    }
  }
}

extension LocalTime {
  /// Returns the first instant after `now` at which the clocks of a zone show this time.
  ///
  /// If the clocks skip the time, it is the end of the gap.
  func first(after now: Timestamp, in zone: ZoneRules) -> Timestamp {
    var date = zone.local(now).date
    while true {
      let local = CivilTime(date: date, hour: minutes / 60, minute: minutes % 60)
      let instants = zone.instants(of: local)
      let times = instants.isEmpty ? [zone.endOfGap(at: local)] : instants
      if let next = times.first(where: { $0 > now }) { return next }
      date = date.adding(days: 1)
    }
  }
}
