internal import BellhopModel
internal import FoundationEssentials

/// The rules for the content of items. Each refusal names the field and the accepted values.
struct ContentRules {
  let limits: StoreLimits
  let now: Timestamp
  /// The time by which items expire. Later times are in the future, whatever the clock says.
  let expiryNow: Timestamp
  /// The user's time zones.
  let wallClock: WallClock

  /// Whether the name is a domain or a topic. It may contain letters, digits, `-`, `_` and single
  /// dots between them, at most 253 bytes.
  static func isAppName(_ name: String) -> Bool {
    guard (1...253).contains(name.utf8.count) else { return false }
    return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .allSatisfy { label in
        (1...64).contains(label.count) && label.allSatisfy(isNameByte)
      }
  }

  /// Whether the text is a valid client-chosen id: letters, digits and `-_.:~`, at most 128 bytes.
  static func isIdentifier(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { isNameByte($0) || ".:~".utf8.contains($0) }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false  // open: UInt8
    }
  }

  /// Throws ``StoreError/invalid(field:expectation:)`` for the first broken rule.
  func check(_ content: Content) throws {
    guard Self.isAppName(content.app) else {
      throw StoreError.invalid(
        field: "targetHostName",
        expectation: "a domain or topic of letters, digits, '-', '_' and single dots, "
          + "at most 253 bytes")
    }
    try checkName(content.appNotificationID, "appNotificationId")
    try checkName(content.group, "groupName")
    guard content.visual != nil || content.raw != nil else {
      throw StoreError.invalid(
        field: "payload", expectation: "visualContent, rawContent or both")
    }
    if let visual = content.visual { try check(visual, "payload.visualContent") }
    if let raw = content.raw {
      try checkBytes(raw, limits.rawBytesMax, "payload.rawContent")
    }
    try checkTags(content.tags)
    try checkURL(content.clickURL, "clickUrl")
    try checkTimes(content)
    try check(content.extras)
  }

  private func check(_ visual: VisualContent, _ field: String) throws {
    try checkBytes(visual.title, limits.titleBytesMax, field + ".title")
    guard !visual.title.allSatisfy(\.isWhitespace) else {
      throw StoreError.invalid(
        field: field + ".title", expectation: "a title that is not empty")
    }
    if let subtitle = visual.subtitle {
      try checkBytes(subtitle, limits.titleBytesMax, field + ".subtitle")
    }
    if let body = visual.body {
      try checkBytes(body, limits.visualBodyBytesMax, field + ".body")
    }
  }

  private func checkTags(_ tags: [String]) throws {
    guard tags.count <= limits.tagsMax else {
      throw StoreError.invalid(field: "tags", expectation: "at most \(limits.tagsMax) tags")
    }
    for tag in tags {
      guard !tag.isEmpty, tag.utf8.count <= limits.tagBytesMax else {
        throw StoreError.invalid(
          field: "tags", expectation: "tags of 1 to \(limits.tagBytesMax) bytes")
      }
      try Self.checkText(tag, "tags")
    }
  }

  private func checkTimes(_ content: Content) throws {
    let latest = now.advanced(by: limits.expirationMax)
    if let expiration = content.expiration {
      guard expiration > min(now, expiryNow) else {
        throw StoreError.invalid(
          field: "expirationDateTime", expectation: "a time after now, \(now)")
      }
      guard expiration <= latest else {
        throw StoreError.invalid(
          field: "expirationDateTime", expectation: "a time no later than \(latest)")
      }
    }
    if let timeToLive = content.displayTimeToLive, timeToLive < .seconds(1) {
      throw StoreError.invalid(
        field: "displayTimeToLive", expectation: "whole seconds, at least 1")
    }
    if let delivery = content.deliverAt {
      let latest = content.expiration ?? now.advanced(by: limits.deliveryMax)
      guard delivery < latest else {
        throw StoreError.invalid(
          field: "deliverAfterDateTime", expectation: "a time before \(latest)")
      }
    }
    if let trigger = content.trigger { try check(trigger, of: content) }
  }

  private func check(_ trigger: Trigger, of content: Content) throws {
    guard content.deliverAt == nil else {
      throw StoreError.invalid(
        field: "trigger", expectation: "either a trigger or deliverAfterDateTime")
    }
    if case .calendar(_, let zone?) = trigger.kind {
      guard Self.isZoneName(zone), wallClock.offsetSeconds(now, zone) != nil else {
        throw StoreError.invalid(
          field: "trigger.timeZone",
          expectation:
            "the name of a time zone such as Europe/Berlin, or null for that of the device")
      }
    }
    guard let first = trigger.next(after: now, published: now, on: wallClock) else {
      throw StoreError.invalid(
        field: "trigger.calendar", expectation: "a trigger with a time after now, \(now)")
    }
    if let expiration = content.expiration, expiration <= first.time, !trigger.isForPlace {
      throw StoreError.invalid(
        field: "expirationDateTime",
        expectation: "a time after the trigger's first one, \(first.time)")
    }
  }

  /// Returns whether the text may name a time zone. The system looks names up as paths of files.
  private static func isZoneName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { isNameByte($0) || "/+".utf8.contains($0) }
  }

  private func check(_ extras: ContentExtras) throws {
    try checkName(extras.category, "category")
    try checkName(extras.sound, "sound")
    try checkURL(extras.icon, "icon")
    guard (0...Int(Int32.max)).contains(extras.badge ?? 0) else {
      throw StoreError.invalid(field: "badge", expectation: "a number from 0")
    }
    try check(extras.actions ?? [])
    let attachments = extras.attachments ?? []
    guard attachments.count <= limits.attachmentsMax else {
      throw StoreError.invalid(
        field: "attachments", expectation: "at most \(limits.attachmentsMax) attachments")
    }
    for attachment in attachments {
      try checkName(attachment.name, "attachments.name")
      try checkName(attachment.type, "attachments.type")
      try checkURL(attachment.url, "attachments.url")
    }
    if let info = extras.userInfo {
      let bytes = try JSONEncoder().encode(info).count
      guard bytes <= limits.userInfoBytesMax else {
        throw StoreError.invalid(
          field: "userInfo",
          expectation: "a JSON object of at most \(limits.userInfoBytesMax) bytes")
      }
    }
    try check(platforms: extras.targetPolicy?.platformTypes, "targetPolicy.platformTypes")
    if let fallback = extras.fallbackPolicy {
      try check(platforms: fallback.platformTypes, "fallbackPolicy.platformTypes")
      guard (60...600).contains(fallback.fallbackDelayInSeconds) else {
        throw StoreError.invalid(
          field: "fallbackPolicy.fallbackDelayInSeconds", expectation: "60 to 600 seconds")
      }
      if let visual = fallback.visualContent {
        try check(visual, "fallbackPolicy.visualContent")
      }
    }
  }

  private func check(platforms: [String]?, _ field: String) throws {
    guard let platforms else { return }
    guard platforms.count <= 8, platforms.allSatisfy({ $0.utf8.count <= 32 }) else {
      throw StoreError.invalid(field: field, expectation: "at most 8 platform names")
    }
    for platform in platforms { try Self.checkText(platform, field) }
  }

  func checkName(_ name: String?, _ field: String) throws {
    guard let name else { return }
    guard !name.isEmpty, name.utf8.count <= limits.nameBytesMax else {
      throw StoreError.invalid(
        field: field, expectation: "1 to \(limits.nameBytesMax) bytes")
    }
    try Self.checkText(name, field)
  }

  func checkURL(_ url: String?, _ field: String) throws {
    guard let url else { return }
    guard !url.isEmpty, url.utf8.count <= limits.urlBytesMax,
      url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else {
      throw StoreError.invalid(
        field: field,
        expectation: "a link of at most \(limits.urlBytesMax) bytes without spaces")
    }
  }

  func checkBytes(_ text: String, _ bytesMax: Int, _ field: String) throws {
    guard text.utf8.count <= bytesMax else {
      throw StoreError.invalid(field: field, expectation: "at most \(bytesMax) bytes")
    }
    try Self.checkText(text, field)
  }

  /// Checks a name that is shown in lists, as the names of devices, tokens and apps are.
  ///
  /// Throws ``StoreError/invalid(field:expectation:)`` for a name with a scalar that
  /// ``isForbiddenInNames`` rejects, or without a visible one unless it is empty.
  static func checkListedName(_ name: String, _ field: String) throws {
    let scalars = name.unicodeScalars
    guard !scalars.contains(where: \.isForbiddenInNames),
      name.isEmpty || scalars.contains(where: \.isVisible)
    else {
      throw StoreError.invalid(
        field: field,
        expectation:
          "one line of visible characters such as Kitchen PC, without control characters, "
          + "text direction controls or invisible characters")
    }
  }

  /// Checks that a text does not contain the character `U+0000`. Databases end a text there or
  /// refuse it, so that it would come back changed, and two names could become one.
  static func checkText(_ text: String, _ field: String) throws {
    guard !text.utf8.contains(0) else {
      throw StoreError.invalid(field: field, expectation: "text without U+0000")
    }
  }
}
