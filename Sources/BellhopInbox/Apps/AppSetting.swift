package import BellhopModel
import BellhopText

/// One line of an app's settings.
enum AppSetting: Int, CaseIterable, Sendable {
  case authorization, alert, sound, badge, mute, quietHours, retention, name, aliases, responses
  case whenFocused, places, repeats, resolutions
  /// The number of items of the app; choosing it shows them.
  case tray, history

  /// The title of the setting, and its meaning or the format of a typed value.
  private var texts: (title: SafeText, help: SafeText) {
    switch self {
    case .authorization: ("notify", "allow, quiet (silent), or never")
    case .alert: ("alert", "banners and desktop notifications")
    case .sound: ("sound", "bell and sounds")
    case .badge: ("badge", "include it in badge counts")
    case .whenFocused: ("focused", "what a screen with the focus shows of it")
    case .mute: ("muted", "no alerts; items still reach the tray")
    case .quietHours: ("quiet", "such as 22:00-07:00 sun,mon, or off")
    case .retention: ("retention", "such as 30d, 12w, or default")
    case .responses: ("responses", "what it learns if it awaits an answer")
    case .places: ("places", "items that wait for one of your places")
    case .repeats: ("repeats", "publications with the same title")
    case .resolutions: ("resolved", "messages that an alert is over")
    case .name: ("name", "display name; empty for the app's own")
    case .aliases: ("aliases", "topics routed to it, separated by spaces")
    case .tray: ("in tray", "Enter shows them")
    case .history: ("total", "Enter shows them")
    }
  }

  var title: SafeText { texts.title }
  var help: SafeText { texts.help }

  /// Whether a permission is granted; nil for settings that are not permissions.
  func isGranted(_ settings: AppSettings) -> Bool? {
    switch self {
    case .alert: settings.permissions.alert
    case .sound: settings.permissions.sound
    case .badge: settings.permissions.badge
    case .authorization, .whenFocused, .mute, .quietHours, .retention, .responses, .places,
      .repeats, .resolutions, .name, .aliases, .tray, .history:
      nil
    }
  }

  /// Returns the change to the next value of a setting with few values.
  func toggled(_ settings: AppSettings) -> AppSettingsChange {
    var change = AppSettingsChange()
    switch self {
    case .authorization: change.authorization = settings.authorization.next
    case .whenFocused: change.whenFocused = settings.whenFocused.next
    case .alert: change.alert = !settings.permissions.alert
    case .sound: change.sound = !settings.permissions.sound
    case .badge: change.badge = !settings.permissions.badge
    case .responses: change.responses = settings.responses.next
    case .places: change.usesPlaces = !settings.usesPlaces
    case .repeats:
      let next = RepeatKey.next(after: settings.repeatKey)
      change.repeats = next == nil ? .keep : .collapse
      change.repeatsIgnoreNumbers = next == .ignoringNumbers
    case .resolutions: change.resolutions = settings.resolutions.next
    case .mute, .quietHours, .retention, .name, .aliases, .tray, .history: break
    }
    return change
  }

  /// Returns the notice about a changed setting of the app with this name.
  func notice(_ name: SafeText, _ settings: AppSettings) -> SafeText {
    switch self {
    case .authorization: name + " " + settings.authorization.words + ", on every device."
    case .places:
      name + (settings.usesPlaces ? " may" : " may not") + " wait for your places."
    case .alert, .sound, .badge:
      name + (isGranted(settings) == true ? ": " : ": no ") + title + ", on every device."
    case .whenFocused: name + " on a focused screen: " + settings.whenFocused.value + "."
    case .responses: name + " learns " + settings.responses.words + " if it awaits an answer."
    case .repeats: name + ": repeats become " + settings.repeatWords + "."
    case .resolutions: name + ": " + settings.resolutions.sentence
    case .mute, .quietHours, .retention, .name, .aliases, .tray, .history:
      name + ": " + title + " is set."
    }
  }

  // MARK: - Typing

  /// Returns the current value as the user would type it.
  func typed(_ settings: AppSettings) -> String {
    switch self {
    case .quietHours: settings.quietHours?.words ?? ""
    case .retention: settings.retentionDays.map { "\($0)d" } ?? ""
    case .name: settings.displayName ?? ""
    case .aliases: settings.aliases.joined(separator: " ")
    case .authorization, .alert, .sound, .badge, .whenFocused, .mute, .responses, .places,
      .repeats, .resolutions, .tray, .history:
      ""
    }
  }

  /// The reason why a typed value is not valid, with the accepted form.
  struct ValueError: Error, Hashable, Sendable {
    var text: SafeText
  }

  private static let nameBytesMax = 256
  private static let aliasBytesMax = 64
  private static let aliasesMax = 16
  private static let retentionDaysMax = 3650

  /// Parses a typed value.
  ///
  /// - Parameter knowsZone: Whether this machine knows a zone by its IANA name.
  func change(
    from text: String, settings: AppSettings, knowsZone: (String) -> Bool
  ) -> Result<AppSettingsChange, ValueError> {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    var change = AppSettingsChange()
    switch self {
    case .quietHours:
      if words.isEmpty || words == ["off"] {
        change.quietHours = .clear
        return .success(change)
      }
      return Self.quietHours(words, zone: settings.quietHours?.timeZone, knowsZone).map {
        change.quietHours = .set($0)
        return change
      }
    case .retention:
      if words.isEmpty || words == ["default"] {
        change.retentionDays = .clear
        return .success(change)
      }
      guard words.count == 1, let days = Self.days(words[0]) else {
        return .failure(
          ValueError(
            text: "Not a valid retention. Use 30d, 12w or default; at most "
              + "\(Self.retentionDaysMax) days."))
      }
      change.retentionDays = .set(days)
    case .name:
      guard text.utf8.count <= Self.nameBytesMax else {
        return .failure(ValueError(text: "A name can have at most \(Self.nameBytesMax) bytes."))
      }
      change.displayName = words.isEmpty ? .clear : .set(words.joined(separator: " "))
    case .aliases:
      let aliases = text.split { $0 == "," || $0.isWhitespace }.map(String.init)
      if let wrong = aliases.first(where: { !Self.isTopic($0) }) {
        let shown = SafeText(wrong, byteLimit: Self.aliasBytesMax)
        return .failure(
          ValueError(
            text: "\"" + shown + "\" is not a valid topic. Use 1 to 64 letters, digits, - and _."))
      }
      guard aliases.count <= Self.aliasesMax else {
        return .failure(ValueError(text: "An app can have at most \(Self.aliasesMax) aliases."))
      }
      change.aliases = aliases
    case .authorization, .alert, .sound, .badge, .whenFocused, .mute, .responses, .places,
      .repeats, .resolutions, .tray, .history:
      break
    }
    return .success(change)
  }

  private static func isTopic(_ text: String) -> Bool {
    (1...aliasBytesMax).contains(text.utf8.count) && text.isASCIIAlphanumeric(or: "-_")
  }

  private static func days(_ text: String) -> Int? {
    let digits = text.prefix { $0.isNumber }
    let unit = text.dropFirst(digits.count)
    guard let number = Int(digits), (1...retentionDaysMax).contains(number),
      ["", "d", "w"].contains(unit)
    else { return nil }
    let days = unit == "w" ? number * 7 : number
    return days <= retentionDaysMax ? days : nil
  }

  private static func quietHours(
    _ words: [String], zone: String?, _ knowsZone: (String) -> Bool
  ) -> Result<QuietHours, ValueError> {
    let ends = words[0].split(separator: "-", omittingEmptySubsequences: false).map(time)
    guard ends.count == 2, let from = ends[0], let to = ends[1], from != to else {
      return .failure(
        ValueError(text: "Not valid quiet hours. Use 22:00-07:00, or 22:00-07:00 sun,mon."))
    }
    var hours = QuietHours(from: from, to: to, timeZone: zone)
    for word in words.dropFirst() {
      if let days = weekdays(word) {
        hours.days = days
      } else if knowsZone(word) {
        hours.timeZone = word
      } else {
        let shown = SafeText(word, byteLimit: 64)
        return .failure(
          ValueError(
            text: "\"" + shown + "\" is not valid. Use days, such as sun,mon, or a time zone."))
      }
    }
    return .success(hours)
  }

  /// Parses a time: `22:00`, `7:30`, `22`.
  private static func time(_ text: Substring) -> LocalTime? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
      let hour = Int(parts[0]), (0..<24).contains(hour)
    else { return nil }
    guard parts.count == 2 else { return LocalTime(minutes: hour * 60) }
    guard parts[1].utf8.count == 2, let minute = Int(parts[1]), (0..<60).contains(minute) else {
      return nil
    }
    return LocalTime(minutes: hour * 60 + minute)
  }

  /// Parses days: `sun,mon`, in any case; three letters of each day are enough.
  private static func weekdays(_ text: String) -> Set<Weekday>? {
    let parts = text.lowercased().split(separator: ",")
    let days = parts.compactMap { part in
      Weekday.allCases.first { part.count >= 3 && $0.rawValue.hasPrefix(part) }
    }
    return days.isEmpty || days.count != parts.count ? nil : Set(days)
  }
}

extension AppResponses {
  /// The value that follows when the user goes through them.
  fileprivate var next: AppResponses {
    switch self {
    case .none: .actions
    case .actions: .all
    case .all: .none
    }
  }

  /// The things that the app learns, in a few words.
  var words: SafeText {
    switch self {
    case .none: "nothing"
    case .actions: "chosen actions"
    case .all: "all handling"
    }
  }
}

extension QuietHours {
  /// The quiet hours as the user types them: `22:00-07:00 sun,mon Europe/Berlin`.
  package var words: String {
    var words = ["\(from)-\(to)"]
    if days.count < Weekday.allCases.count {
      let names = Weekday.allCases.filter(days.contains).map { $0.rawValue.prefix(3) }
      words.append(names.joined(separator: ","))
    }
    return (words + [timeZone].compactMap { $0 }).joined(separator: " ")
  }
}
