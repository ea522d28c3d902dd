/// The times at which an item is delivered, set by its publisher.
///
/// Each of these times is an ``Occurrence``. Every device computes them from the trigger, the time of
/// publication and a clock, so that they are due without a network, and nothing is stored for them.
/// Modelled on the triggers of the UserNotifications framework.
public struct Trigger: Hashable, Sendable {
  /// The rule for the times.
  public enum Kind: Hashable, Sendable {
    /// A number of seconds after the publication, and after each occurrence if the trigger repeats.
    case interval(seconds: Int64)
    /// Wall-clock times in the time zone with this IANA name; for nil, in that of each device.
    case calendar(CalendarPattern, timeZone: String?)
    /// The times at which the user's devices enter or leave one of the user's places.
    case place(PlaceCrossing)
  }

  public let kind: Kind
  /// Whether the trigger has further occurrences after the first.
  public let repeats: Bool

  /// The reason why a trigger is not valid.
  public struct FormatError: Error, Hashable {
    /// The path of the member at fault, as in `calendar.day`; empty for the whole trigger.
    public var field: String
    /// The accepted form: completes the sentence "expected …".
    public var expectation: String

    public init(field: String, expectation: String) {
      self.field = field
      self.expectation = expectation
    }
  }

  /// The shortest interval of a trigger that repeats, as in the framework.
  static let repeatedSecondsMin: Int64 = 60
  /// The longest interval: a leap year. A longer rhythm is better a calendar trigger.
  static let secondsMax: Int64 = 366 * 86_400

  /// Whether its times are in the time zone of each device.
  package var isFloating: Bool { if case .calendar(_, nil) = kind { true } else { false } }

  /// Whether its times are those of crossings, which only devices notice.
  package var isForPlace: Bool { if case .place = kind { true } else { false } }

  /// Creates a trigger. The time zone is not checked: see ``WallClock``.
  ///
  /// - Throws: ``FormatError`` for an interval that is too short or too long, and for a text that
  ///   cannot be the name of a place.
  public init(_ kind: Kind, repeats: Bool) throws(FormatError) {
    switch kind {
    case .interval(let seconds):
      let minimum = repeats ? Self.repeatedSecondsMin : 1
      guard (minimum...Self.secondsMax).contains(seconds) else {
        throw FormatError(
          field: "interval",
          expectation: "whole seconds from \(minimum) to \(Self.secondsMax)"
            + (repeats ? " for a trigger that repeats" : ""))
      }
    case .calendar: break
    case .place(let crossing):
      guard Place.isName(crossing.place) else {
        throw FormatError(field: "place.name", expectation: Place.nameForm)
      }
    }
    self.kind = kind
    self.repeats = repeats
  }
}
