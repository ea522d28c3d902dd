/// A user's settings for one app.
///
/// The store keeps the settings, and the delta brings every change to all of the user's devices.
/// They control how long items stay and how a device presents them; they never limit
/// synchronisation. The coded form is that of the store's `apps` call.
public struct AppSettings: Hashable, Sendable {
  /// The app: a `targetHostName`, or an ntfy topic.
  public let app: String
  /// The change counter at the last change; zero for an app that has never been configured.
  public var sequence: SequenceNumber
  /// The name to show for the app; nil for its host.
  public var displayName: String?
  /// Other names under which the app publishes.
  ///
  /// They are topics, since an ntfy topic has no dots. Each belongs to one app of the user.
  public var aliases: [String]
  public var mute: Mute
  /// Whether the app may notify; in the settings for all apps, what a new app begins with.
  public var authorization: AppAuthorization
  public var permissions: AppPermissions
  public var whenFocused: FocusedPresentation
  public var quietHours: QuietHours?
  /// The time zone in which the store delivers triggers without a zone, by its IANA name.
  ///
  /// Only in the settings for all apps; nil for the zone of the store. Each device uses its own.
  /// Times in words from ntfy's clients are in this zone, too.
  public var timeZone: String?
  /// The user's places by name; only in the settings for all apps.
  public var places: [String: Place]
  /// Whether the app may publish items that wait for a place.
  public var usesPlaces: Bool
  /// The retention of items without an expiration, in days; nil for the store's default.
  public var retentionDays: Int?
  /// The parts of the user's handling that the app learns of items that await a response.
  public var responses: AppResponses
  /// The treatment of publications with the same group and title as a live item.
  public var repeats: RepeatPolicy
  /// Whether titles that differ only in numbers are the same for ``repeats``.
  public var repeatsIgnoreNumbers: Bool
  /// The treatment of messages that an alert of the app is resolved.
  public var resolutions: ResolutionPolicy
  /// The categories that the app has registered, by id.
  public var categories: [Category]
  /// The number that the app last set as its badge; nil if it never set one.
  public var badge: Int?

  /// Creates settings; every default is that of an app that has never been configured.
  public init(
    app: String, sequence: SequenceNumber = .zero, displayName: String? = nil,
    aliases: [String] = [], mute: Mute = .off, authorization: AppAuthorization = .authorized,
    permissions: AppPermissions = AppPermissions(), whenFocused: FocusedPresentation = .list,
    quietHours: QuietHours? = nil, timeZone: String? = nil, places: [String: Place] = [:],
    usesPlaces: Bool = false, retentionDays: Int? = nil, responses: AppResponses = .actions,
    repeats: RepeatPolicy = .keep, repeatsIgnoreNumbers: Bool = false,
    resolutions: ResolutionPolicy = .mark, categories: [Category] = [], badge: Int? = nil
  ) {
    self.app = app
    self.sequence = sequence
    self.displayName = displayName
    self.aliases = aliases
    self.mute = mute
    self.authorization = authorization
    self.permissions = permissions
    self.whenFocused = whenFocused
    self.quietHours = quietHours
    self.timeZone = timeZone
    self.places = places
    self.usesPlaces = usesPlaces
    self.retentionDays = retentionDays
    self.responses = responses
    self.repeats = repeats
    self.repeatsIgnoreNumbers = repeatsIgnoreNumbers
    self.resolutions = resolutions
    self.categories = categories
    self.badge = badge
  }

  /// The name to show for the app.
  public var name: String { displayName ?? app }

  /// The way in which titles are compared to find repeats; nil if each is an item of its own.
  package var repeatKey: RepeatKey? {
    switch repeats {
    case .keep: nil
    case .collapse: repeatsIgnoreNumbers ? .ignoringNumbers : .exact
    }
  }
}

/// Whether a device announces an app's arrivals. Muted items are in the tray all the same.
public enum Mute: Hashable, Sendable {
  case off
  case until(Timestamp)
  case forever

  /// Returns whether the mute is in effect at `now`, on the store's clock.
  public func holds(at now: Timestamp) -> Bool {
    switch self {
    case .off: false
    case .until(let end): now < end
    case .forever: true
    }
  }

  /// The mute without its end. Raw values are those of the wire.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case off
    case until
    case forever
  }

  /// The mute without its end.
  public var kind: Kind {
    switch self {
    case .off: .off
    case .until: .until
    case .forever: .forever
    }
  }

  /// The end of the mute; nil if it is off or lasts forever.
  public var end: Timestamp? {
    if case .until(let end) = self { end } else { nil }
  }
}

/// The ways in which a device may present an app's arrivals (`UNAuthorizationOptions`).
///
/// All are granted until the user revokes them, if the app is authorized.
public struct AppPermissions: Hashable, Sendable {
  /// Whether banners and desktop notifications are allowed.
  public var alert: Bool
  public var sound: Bool
  /// Whether the app adds to counts outside the program's own lists.
  public var badge: Bool

  /// No permission.
  public static let none = AppPermissions(alert: false, sound: false, badge: false)

  public init(alert: Bool = true, sound: Bool = true, badge: Bool = true) {
    self.alert = alert
    self.sound = sound
    self.badge = badge
  }
}

extension AppPermissions: Codable {
  private enum CodingKeys: String, CodingKey { case alert, sound, badge }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      alert: try container.decodeIfPresent(Bool.self, forKey: .alert) ?? true,
      sound: try container.decodeIfPresent(Bool.self, forKey: .sound) ?? true,
      badge: try container.decodeIfPresent(Bool.self, forKey: .badge) ?? true)
  }
}

/// The parts of a user's handling that an app learns of items that await a response.
///
/// Raw values are those of the wire.
public enum AppResponses: String, Hashable, Sendable, Codable, CaseIterable {
  case none
  /// The actions that the user chooses, with the typed text.
  case actions
  /// Also that the user opened an item, or dismissed one whose category reports that.
  case all
}

/// A time of day without a zone, to the minute.
public struct LocalTime: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The minutes since midnight: 0 to 1439.
  public let minutes: Int

  /// Creates a time of day; nil outside 0 to 1439.
  public init?(minutes: Int) {
    guard (0..<1440).contains(minutes) else { return nil }
    self.minutes = minutes
  }

  /// Parses `HH:MM`, from 00:00 to 23:59.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
    let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - 0x30 }
    guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
    let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
    guard hour < 24, minute < 60 else { return nil }
    minutes = hour * 60 + minute
  }

  public var description: String {
    func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return padded(minutes / 60) + ":" + padded(minutes % 60)
  }

  public static func < (left: LocalTime, right: LocalTime) -> Bool { left.minutes < right.minutes }
}

/// A day of the week. Raw values are Graph's `dayOfWeek`.
public enum Weekday: String, Hashable, Sendable, Codable, CaseIterable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// The previous day.
  public var before: Weekday {
    switch self {
    case .monday: .sunday
    case .tuesday: .monday
    case .wednesday: .tuesday
    case .thursday: .wednesday
    case .friday: .thursday
    case .saturday: .friday
    case .sunday: .saturday
    }
  }
}

/// A daily time span in which a device does not announce an app's arrivals.
public struct QuietHours: Hashable, Sendable {
  public var from: LocalTime
  /// The first minute after the quiet hours.
  ///
  /// If it is before ``from``, they end on the next day.
  public var to: LocalTime
  /// The days on which the quiet hours begin.
  public var days: Set<Weekday>
  /// The IANA name of the time zone; nil for the zone of each device.
  public var timeZone: String?

  public init(
    from: LocalTime, to: LocalTime, days: Set<Weekday> = Set(Weekday.allCases),
    timeZone: String? = nil
  ) {
    self.from = from
    self.to = to
    self.days = days
    self.timeZone = timeZone
  }

  /// Returns whether the quiet hours contain a time on a day, both in their time zone.
  public func contain(_ time: LocalTime, on day: Weekday) -> Bool {
    if from < to { return days.contains(day) && from <= time && time < to }
    return (days.contains(day) && from <= time) || (days.contains(day.before) && time < to)
  }
}

/// A new value for a setting that can be absent.
public enum Replacement<Value: Hashable & Sendable>: Hashable, Sendable {
  case set(Value)
  case clear

  /// The new value; nil for absent.
  public var value: Value? { if case .set(let value) = self { value } else { nil } }
}

/// A change to an app's settings; nil leaves a setting unchanged.
public struct AppSettingsChange: Hashable, Sendable {
  public var displayName: Replacement<String>?
  /// The complete new list of aliases.
  public var aliases: [String]?
  public var mute: Mute?
  public var authorization: AppAuthorization?
  public var alert: Bool?
  public var sound: Bool?
  public var badge: Bool?
  public var whenFocused: FocusedPresentation?
  public var quietHours: Replacement<QuietHours>?
  public var timeZone: Replacement<String>?
  /// Changes to places, by their names; other places stay as they are.
  public var places: [String: PlaceChange]?
  public var usesPlaces: Bool?
  public var retentionDays: Replacement<Int>?
  public var responses: AppResponses?
  public var repeats: RepeatPolicy?
  public var repeatsIgnoreNumbers: Bool?
  public var resolutions: ResolutionPolicy?

  public init() {}

  /// A change that authorizes the app or, in the settings for all apps, new ones.
  public static let allow = {
    var change = AppSettingsChange()
    change.authorization = .authorized
    return change
  }()

  /// Whether nothing changes.
  public var isEmpty: Bool { self == AppSettingsChange() }

  /// Returns the settings after the change; the sequence stays the same.
  ///
  /// - Parameter reporter: The device that makes the change, and its time. Without them, reports on
  ///   places have no effect.
  public func applied(
    to settings: AppSettings, by reporter: (device: DeviceID, time: Timestamp)? = nil
  ) -> AppSettings {
    var settings = settings
    if let displayName { settings.displayName = displayName.value }
    if let aliases { settings.aliases = aliases }
    if let mute { settings.mute = mute }
    if let authorization { settings.authorization = authorization }
    if let alert { settings.permissions.alert = alert }
    if let sound { settings.permissions.sound = sound }
    if let badge { settings.permissions.badge = badge }
    if let whenFocused { settings.whenFocused = whenFocused }
    if let quietHours { settings.quietHours = quietHours.value }
    if let timeZone { settings.timeZone = timeZone.value }
    if let places {
      settings.places = places.applied(to: settings.places, by: reporter).places
    }
    if let usesPlaces { settings.usesPlaces = usesPlaces }
    if let retentionDays { settings.retentionDays = retentionDays.value }
    if let responses { settings.responses = responses }
    if let repeats { settings.repeats = repeats }
    if let repeatsIgnoreNumbers { settings.repeatsIgnoreNumbers = repeatsIgnoreNumbers }
    if let resolutions { settings.resolutions = resolutions }
    return settings
  }
}
