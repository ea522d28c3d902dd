internal import BellhopClient
package import BellhopModel
internal import BellhopTime
internal import BellhopWire

/// The options of `bellhop apps set`, as typed.
package struct AppRequest: Sendable {
  /// The app's name; empty for its host.
  package var name: String?
  /// All aliases; nil leaves them unchanged.
  package var aliases: [String]?
  /// The end of the mute: `off`, `forever`, a span or a time, optionally preceded by `until`.
  package var mute: String?
  package var authorization: AppAuthorization?
  package var alert: Bool?
  package var sound: Bool?
  package var badge: Bool?
  package var whenFocused: FocusedPresentation?
  /// The quiet hours, such as `22:00-07:00`, or `off`.
  package var quiet: String?
  /// The days on which quiet hours begin, such as `mon,tue`.
  package var quietDays: String?
  package var timeZone: String?
  /// The retention, such as `30d`, or `default`.
  package var retention: String?
  /// The parts of the user's handling that the app learns if it awaits a response.
  package var responses: AppResponses?
  /// Whether the app may publish items that wait for a place.
  package var places: Bool?
  package var repeats: RepeatPolicy?
  /// Whether titles that differ only in numbers are equal.
  package var ignoresNumbers: Bool?
  package var resolutions: ResolutionPolicy?

  /// Whether the app may be one that has not published yet.
  package var mayBeNew = false

  package init() {}

  /// Returns the change at `now`, on the store's clock.
  ///
  /// Detects every error that can be found without the store, because a change sent later cannot be
  /// corrected.
  ///
  /// - Throws: `ClientError` that names the accepted form.
  package func change(now: Timestamp) throws -> AppSettingsChange {
    var change = AppSettingsChange()
    change.displayName = try displayName()
    change.aliases = try checkedAliases()
    change.mute = try parsedMute(now: now)
    change.authorization = authorization
    change.alert = alert
    change.sound = sound
    change.badge = badge
    change.whenFocused = whenFocused
    change.quietHours = try quietHours()
    if let retention {
      change.retentionDays = retention == "default" ? .clear : .set(try days(retention))
    }
    change.responses = responses
    change.usesPlaces = places
    change.repeats = repeats
    change.repeatsIgnoreNumbers = ignoresNumbers
    change.resolutions = resolutions
    guard !change.isEmpty else {
      throw ClientError(
        .usage, "No setting was given.", next: "bellhop apps set --help lists the settings.")
    }
    return change
  }

  private static let nameBytesMax = 256

  private func displayName() throws -> Replacement<String>? {
    guard let name else { return nil }
    if name.isEmpty { return .clear }
    guard name.utf8.count <= Self.nameBytesMax, !name.allSatisfy(\.isWhitespace) else {
      throw ClientError(
        .usage, "--name must have 1 to \(Self.nameBytesMax) bytes that are not all blank.",
        next: "An empty --name removes the name.")
    }
    return .set(name)
  }

  private func checkedAliases() throws -> [String]? {
    guard let aliases else { return nil }
    for alias in aliases {
      guard (1...64).contains(alias.utf8.count), alias.isASCIIAlphanumeric(or: "-_"),
        !Route.reservedTopics.contains(alias.lowercased())
      else {
        throw ClientError(
          .usage, "\"\(alias.prefix(64))\" is not a valid --alias.",
          next:
            "Use a topic: 1 to 64 letters, digits, - and _, and not a name that the store reserves."
        )
      }
    }
    return aliases
  }

  private func parsedMute(now: Timestamp) throws -> Mute? {
    guard let mute else { return nil }
    switch mute {
    case "off": return .off
    case "forever": return .forever
    default:  // open: String
      let text = mute.hasPrefix("until ") ? String(mute.dropFirst(6)) : mute
      switch TimeExpression.instant(text, now: now) {
      case .success(let end): return .until(end)
      case .failure(let problem):
        throw ClientError(
          .usage, "--mute \(mute.prefix(64)): \(problem)",
          next: "Use a span such as 2h, a time such as \"fri 9:00\", forever, or off.")
      }
    }
  }

  private func days(_ text: String) throws -> Int {
    let millisecondsPerDay: Int64 = 86_400_000
    guard let span = SpanPhrase.duration(text)?.milliseconds, span % millisecondsPerDay == 0
    else {
      throw ClientError(
        .usage, "\"\(text.prefix(64))\" is not a valid --retention.",
        next: "Nothing was changed. Use whole days, such as 30d or 12w, or default.")
    }
    return Int(span / millisecondsPerDay)
  }

  private func quietHours() throws -> Replacement<QuietHours>? {
    guard let quiet, quiet != "off" else {
      guard quietDays == nil, timeZone == nil else {
        throw ClientError(
          .usage, "--quiet-days and --time-zone need --quiet.",
          next: "For example: --quiet 22:00-07:00 --quiet-days mon,tue.")
      }
      return quiet.map { _ in .clear }
    }
    let ends = quiet.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let from = LocalTime(String(ends[0])),
      let to = LocalTime(String(ends[1])), from != to
    else {
      throw ClientError(
        .usage, "\"\(quiet.prefix(64))\" is not a valid --quiet.",
        next: "Nothing was changed. Use two times of day, such as 22:00-07:00, or off.")
    }
    if let timeZone {
      guard SystemClock.wallClock.offsetSeconds(.distantPast, timeZone) != nil else {
        throw ClientError(
          .usage, "\"\(timeZone.prefix(64))\" is not a valid --time-zone.",
          next: "Nothing was changed. Use a name from /usr/share/zoneinfo, such as Europe/Berlin.")
      }
    }
    return .set(
      QuietHours(
        from: from, to: to, days: try quietDays.map(Self.weekdays) ?? Set(Weekday.allCases),
        timeZone: timeZone))
  }

  /// Parses days such as `mon,tue`, in any case. Three letters of a day are enough.
  private static func weekdays(_ text: String) throws -> Set<Weekday> {
    let days = text.split(separator: ",").map { part in
      Weekday.allCases.first { part.count >= 3 && $0.rawValue.hasPrefix(part.lowercased()) }
    }
    let known = days.compactMap { $0 }
    guard !known.isEmpty, known.count == days.count else {
      throw ClientError(
        .usage, "\"\(text.prefix(64))\" is not a valid --quiet-days.",
        next: "Nothing was changed. Use days such as mon,tue,wed,thu,fri,sat,sun.")
    }
    return Set(known)
  }
}
