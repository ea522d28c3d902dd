internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import BellhopTime

/// The options of `bellhop requests edit`, as typed.
package struct ScheduleOptions: Sendable {
  package var at: String?
  package var delay: String?
  package var every: String?
  package var zone: String?

  package init(at: String?, delay: String?, every: String?, zone: String?) {
    self.at = at
    self.delay = delay
    self.every = every
    self.zone = zone
  }
}

extension Commands {
  /// Runs `bellhop requests edit`, which changes when an item is delivered, on every device.
  ///
  /// - Throws: `ClientError` for options that do not suit the item, and for a time in the past.
  package static func reschedule(
    _ context: ClientContext, _ name: String, _ options: ScheduleOptions, waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let item = try access.item(named: name)
    let now = try access.storeTime()
    let schedule = try schedule(options, of: item, now: now)
    let operation = Operation(
      id: context.newID(), onShown: item.id, item.version,
      mutation: .reschedule(schedule, at: now))
    let names = try access.reader().displayNames()
    let object = ChangeText.label(
      item.notification, appName: names[item.notification.effectiveApp])
    let phrase = "changed the time of " + object + ": " + words(schedule)
    var change = CommandChange(
      summary: phrase.string, subject: item.notification.numberOrID)
    if let undo = operation.undo(id: context.newID(), before: item.notification) {
      change.undo.append(undo)
    }
    try failing {
      try access.storage().enqueue([operation], remembering: change, now: now)
    }
    StandardError.say(ChangeText.sentence(phrase))
    try send(access, waits: waits, operations: [operation])
    try reportSuperseded(access, operations: [operation])
  }

  private static func words(_ schedule: Schedule) -> SafeText {
    switch schedule {
    case .once(let time): SafeText(MomentText.localTime(time))
    case .trigger(let trigger): TriggerText.phrase(trigger)
    }
  }

  /// Returns the schedule that the options describe for an item.
  private static func schedule(
    _ options: ScheduleOptions, of item: CachedItem, now: Timestamp
  ) throws -> Schedule {
    let number = item.notification.numberOrID
    let content = item.notification.content
    guard let trigger = content.trigger else {
      guard item.placement == .scheduled else {
        throw ClientError(
          .usage, "\(number) has been delivered.",
          next: "Nothing was changed. To get it again: bellhop snooze.")
      }
      guard options.every == nil, options.zone == nil else {
        throw ClientError(
          .usage, "\(number) is delivered once.",
          next: "Nothing was changed. Use --at or --in.")
      }
      return .once(at: try time(options, before: item.notification.expires, now: now))
    }
    guard !trigger.isForPlace else {
      throw ClientError(
        .usage, "\(number) is delivered \(TriggerText.phrase(trigger)).",
        next: "Nothing was changed. To change that, publish it again.")
    }
    guard let every = options.every, options.at == nil, options.delay == nil else {
      throw ClientError(
        .usage, "\(number) is delivered \(TriggerText.phrase(trigger)).",
        next: "Nothing was changed. Use --every, with a span or times such as \"mon 9:00\".")
    }
    var zone: String? = if case .calendar(_, let zone) = trigger.kind { zone } else { nil }
    if let wanted = options.zone { zone = wanted }
    switch RepeatPhrase.trigger(every, zone: zone, repeats: trigger.repeats) {
    case .success(let trigger): return .trigger(trigger)
    case .failure(let error):
      throw ClientError(
        .usage, "\"\(every.prefix(64))\" is not a valid --every. \(error.description)",
        next: "Nothing was changed.")
    }
  }

  private static func time(
    _ options: ScheduleOptions, before expires: Timestamp?, now: Timestamp
  ) throws -> Timestamp {
    let time: Timestamp
    switch (options.at, options.delay) {
    case (let text?, nil): time = try TimeExpression.instant(text, option: "--at", now: now)
    case (nil, let text?):
      guard let span = SpanPhrase.duration(text) else { throw TimeExpression.notASpan(text) }
      time = now.advanced(by: span)
    case (nil, nil), (_?, _?):
      throw ClientError(
        .usage, "The new time is missing, or given twice.",
        next: "Nothing was changed. Use one of --at and --in.")
    }
    try check(isToCome: time, now: now)
    if let expires, time >= expires {
      throw ClientError(
        .usage, "It expires before then.",
        next: "Nothing was changed. The latest time is \(MomentText.localTime(expires)).")
    }
    return time
  }
}
