extension AppSettings: Codable {
  private enum CodingKeys: String, CodingKey {
    case app = "targetHostName"
    case sequence, displayName, aliases, mute, mutedUntilDateTime, authorization, permissions
    case whenFocused, quietHours, timeZone, places, usesPlaces, retentionDays, responses
    case repeats, repeatsIgnoreNumbers, resolutions, categories, badge
  }

  /// Decodes settings that a store of any version encoded; missing settings take their defaults.
  ///
  /// A word that this version does not know, of a later one, reads as the default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      app: try container.decode(String.self, forKey: .app),
      sequence: try container.decode(SequenceNumber.self, forKey: .sequence),
      displayName: try container.decodeIfPresent(String.self, forKey: .displayName),
      aliases: try container.decodeIfPresent([String].self, forKey: .aliases) ?? [],
      mute: try Mute(
        from: container, kind: .mute, end: .mutedUntilDateTime) ?? .off,
      authorization: try container.decodeIfPresent(String.self, forKey: .authorization)
        .flatMap(AppAuthorization.init) ?? .authorized,
      permissions: try container.decodeIfPresent(AppPermissions.self, forKey: .permissions)
        ?? AppPermissions(),
      whenFocused: try container.decodeIfPresent(String.self, forKey: .whenFocused)
        .flatMap(FocusedPresentation.init) ?? .list,
      quietHours: try container.decodeIfPresent(QuietHours.self, forKey: .quietHours),
      timeZone: try container.decodeIfPresent(String.self, forKey: .timeZone),
      places: try container.decodeIfPresent([String: Place].self, forKey: .places) ?? [:],
      usesPlaces: try container.decodeIfPresent(Bool.self, forKey: .usesPlaces) ?? false,
      retentionDays: try container.decodeIfPresent(Int.self, forKey: .retentionDays),
      responses: try container.decodeIfPresent(String.self, forKey: .responses)
        .flatMap(AppResponses.init) ?? .actions,
      repeats: try container.decodeIfPresent(String.self, forKey: .repeats)
        .flatMap(RepeatPolicy.init) ?? .keep,
      repeatsIgnoreNumbers: try container.decodeIfPresent(
        Bool.self, forKey: .repeatsIgnoreNumbers) ?? false,
      resolutions: try container.decodeIfPresent(String.self, forKey: .resolutions)
        .flatMap(ResolutionPolicy.init) ?? .mark,
      categories: try container.decodeIfPresent([Category].self, forKey: .categories) ?? [],
      badge: try container.decodeIfPresent(Int.self, forKey: .badge))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(app, forKey: .app)
    try container.encode(sequence, forKey: .sequence)
    try container.encodeIfPresent(displayName, forKey: .displayName)
    try container.encode(aliases, forKey: .aliases)
    try container.encode(mute.kind, forKey: .mute)
    try container.encodeIfPresent(mute.end, forKey: .mutedUntilDateTime)
    if authorization != .authorized {
      try container.encode(authorization, forKey: .authorization)
    }
    try container.encode(permissions, forKey: .permissions)
    if whenFocused != .list { try container.encode(whenFocused, forKey: .whenFocused) }
    try container.encodeIfPresent(quietHours, forKey: .quietHours)
    try container.encodeIfPresent(timeZone, forKey: .timeZone)
    if !places.isEmpty { try container.encode(places, forKey: .places) }
    if usesPlaces { try container.encode(usesPlaces, forKey: .usesPlaces) }
    try container.encodeIfPresent(retentionDays, forKey: .retentionDays)
    if responses != .actions { try container.encode(responses, forKey: .responses) }
    if repeats != .keep { try container.encode(repeats, forKey: .repeats) }
    if repeatsIgnoreNumbers {
      try container.encode(repeatsIgnoreNumbers, forKey: .repeatsIgnoreNumbers)
    }
    if resolutions != .mark { try container.encode(resolutions, forKey: .resolutions) }
    if !categories.isEmpty { try container.encode(categories, forKey: .categories) }
    try container.encodeIfPresent(badge, forKey: .badge)
  }
}

extension Mute {
  /// Decodes a mute from its two members; nil if both are missing. An end alone means `until`.
  fileprivate init?<Key: CodingKey>(
    from container: KeyedDecodingContainer<Key>, kind kindKey: Key, end endKey: Key
  ) throws {
    let kind = try container.decodeIfPresent(Kind.self, forKey: kindKey)
    let end = try container.decodeIfPresent(Timestamp.self, forKey: endKey)
    switch (kind, end) {
    case (nil, nil): return nil
    case (.off?, nil): self = .off
    case (.forever?, nil): self = .forever
    case (.until?, let end?), (nil, let end?): self = .until(end)
    case (.until?, nil), (.off?, _?), (.forever?, _?):
      throw container.invalid(
        endKey, expected: "a time with mute until, and no time with off or forever")
    }
  }
}

extension LocalTime: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let time = LocalTime(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a time of day from 00:00 to 23:59")
    }
    self = time
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension QuietHours: Codable {
  private enum CodingKeys: String, CodingKey { case from, to, days, timeZone }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      from: try container.decode(LocalTime.self, forKey: .from),
      to: try container.decode(LocalTime.self, forKey: .to),
      days: Set(
        try container.decodeIfPresent([Weekday].self, forKey: .days) ?? Weekday.allCases),
      timeZone: try container.decodeIfPresent(String.self, forKey: .timeZone))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(from, forKey: .from)
    try container.encode(to, forKey: .to)
    try container.encode(Weekday.allCases.filter(days.contains), forKey: .days)
    try container.encodeIfPresent(timeZone, forKey: .timeZone)
  }
}

extension AppSettingsChange: Codable {
  private enum CodingKeys: String, CodingKey {
    case displayName, aliases, mute, mutedUntilDateTime, authorization, permissions, whenFocused
    case quietHours, timeZone, places, usesPlaces, retentionDays, responses
    case repeats, repeatsIgnoreNumbers, resolutions
  }

  /// The permissions in a `PATCH` body: a missing member stays as it is, `null` clears it.
  private struct Permissions: Codable {
    var alert: Bool?
    var sound: Bool?
    var badge: Bool?
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func replacement<Value: Decodable & Hashable & Sendable>(
      _ key: CodingKeys
    ) throws -> Replacement<Value>? {
      guard container.contains(key) else { return nil }
      return try container.decodeIfPresent(Value.self, forKey: key).map(Replacement.set) ?? .clear
    }
    self.init()
    displayName = try replacement(.displayName)
    aliases = try container.decodeIfPresent([String].self, forKey: .aliases)
    mute = try Mute(from: container, kind: .mute, end: .mutedUntilDateTime)
    authorization = try container.decodeIfPresent(AppAuthorization.self, forKey: .authorization)
    let permissions = try container.decodeIfPresent(Permissions.self, forKey: .permissions)
    alert = permissions?.alert
    sound = permissions?.sound
    badge = permissions?.badge
    whenFocused = try container.decodeIfPresent(FocusedPresentation.self, forKey: .whenFocused)
    quietHours = try replacement(.quietHours)
    timeZone = try replacement(.timeZone)
    places = try container.decodeIfPresent(PlaceChangesBody.self, forKey: .places)?.changes
    usesPlaces = try container.decodeIfPresent(Bool.self, forKey: .usesPlaces)
    retentionDays = try replacement(.retentionDays)
    responses = try container.decodeIfPresent(AppResponses.self, forKey: .responses)
    repeats = try container.decodeIfPresent(RepeatPolicy.self, forKey: .repeats)
    repeatsIgnoreNumbers = try container.decodeIfPresent(Bool.self, forKey: .repeatsIgnoreNumbers)
    resolutions = try container.decodeIfPresent(ResolutionPolicy.self, forKey: .resolutions)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func encode<Value: Encodable & Hashable & Sendable>(
      _ replacement: Replacement<Value>?, _ key: CodingKeys
    ) throws {
      switch replacement {
      case .set(let value): try container.encode(value, forKey: key)
      case .clear: try container.encodeNil(forKey: key)
      case nil: break
      }
    }
    try encode(displayName, .displayName)
    try container.encodeIfPresent(aliases, forKey: .aliases)
    try container.encodeIfPresent(mute?.kind, forKey: .mute)
    try container.encodeIfPresent(mute?.end, forKey: .mutedUntilDateTime)
    try container.encodeIfPresent(authorization, forKey: .authorization)
    if alert != nil || sound != nil || badge != nil {
      try container.encode(
        Permissions(alert: alert, sound: sound, badge: badge), forKey: .permissions)
    }
    try container.encodeIfPresent(whenFocused, forKey: .whenFocused)
    try encode(quietHours, .quietHours)
    try encode(timeZone, .timeZone)
    try container.encodeIfPresent(places.map(PlaceChangesBody.init), forKey: .places)
    try container.encodeIfPresent(usesPlaces, forKey: .usesPlaces)
    try encode(retentionDays, .retentionDays)
    try container.encodeIfPresent(responses, forKey: .responses)
    try container.encodeIfPresent(repeats, forKey: .repeats)
    try container.encodeIfPresent(repeatsIgnoreNumbers, forKey: .repeatsIgnoreNumbers)
    try container.encodeIfPresent(resolutions, forKey: .resolutions)
  }
}
