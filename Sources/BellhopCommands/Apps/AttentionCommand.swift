internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
package import BellhopModel
internal import BellhopText
internal import BellhopTime

/// The options of `bellhop dnd`, as typed.
package struct AttentionRequest: Sendable {
  /// Whether do-not-disturb is on until it is turned off, or off; nil leaves it unchanged.
  package var isOn: Bool?
  /// The span of do-not-disturb, such as `2h`.
  package var span: String?
  /// The end of do-not-disturb, such as `tomorrow 9:00`.
  package var until: String?
  /// The quiet hours, such as `22:00-07:00`, or `off`, with ``quietDays`` and ``timeZone``.
  package var quiet: String?
  package var quietDays: String?
  package var timeZone: String?

  package init() {}

  /// Whether the command changes a setting. Otherwise it only prints the state.
  var setsSomething: Bool {
    isOn != nil || span != nil || until != nil || quiet != nil || quietDays != nil
      || timeZone != nil
  }

  /// Returns the change at `now`, on the store's clock.
  ///
  /// - Throws: `ClientError` that names the accepted form.
  package func change(now: Timestamp) throws -> AppSettingsChange {
    guard [span, until].compactMap({ $0 }).count < 2, isOn != false || (span ?? until) == nil else {
      throw ClientError(
        .usage, "Use only one of off, --for and --until.", next: "For example: bellhop dnd --for 2h"
      )
    }
    var request = AppRequest()
    request.quiet = quiet
    request.quietDays = quietDays
    request.timeZone = timeZone
    if let span {
      guard SpanPhrase.duration(span) != nil else {
        throw TimeExpression.notASpan(span)
      }
      request.mute = span
    } else if let until {
      request.mute = "until " + until
    } else if let isOn {
      request.mute = isOn ? "forever" : "off"
    }
    return try request.change(now: now)
  }
}

extension Commands {
  /// Runs `bellhop dnd`, which applies to all devices of the user, and to this one immediately.
  package static func attention(
    _ context: ClientContext, _ request: AttentionRequest, waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    if request.setsSomething {
      let change = try request.change(now: try access.storeTime())
      try configure(access, app: AppSettings.everyApp, change, waits: waits)
    }
    StandardOutput.line(SafeText(try Attention(access).sentence))
  }
}

/// A description of whether an account currently rings.
struct Attention {
  let settings: AppSettings
  let silence: Silence

  init(_ access: CacheAccess) throws {
    let now = try access.storeTime()
    settings =
      try access.newReader().appSettings(of: AppSettings.everyApp)
      ?? AppSettings(app: AppSettings.everyApp)
    silence = settings.silence(at: now, on: SystemClock.wallClock)
  }

  /// The state for programs: `off`, `on` or the end time.
  var word: String {
    guard case .doNotDisturb(let until) = silence else { return "off" }
    return until?.description ?? "on"
  }

  var sentence: String {
    let hours = settings.quietHours.map { "; quiet " + $0.words } ?? ""
    switch silence {
    case .none: return "do not disturb: off" + hours
    case .doNotDisturb(let until?):
      return "do not disturb: until \(MomentText.localTime(until))" + hours
    case .doNotDisturb(nil): return "do not disturb: on" + hours
    case .quietHours(let time): return "do not disturb: quiet hours until \(time)" + hours
    }
  }
}
