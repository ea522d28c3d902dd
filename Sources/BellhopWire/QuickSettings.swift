internal import BellhopModel

/// The members of an app's settings in a delta, collected in the order of the JSON.
///
/// Settings that the store omits have their defaults. Unknown settings, from later versions, are
/// ignored.
struct QuickSettings {
  private var app: String?
  private var sequence: SequenceNumber?
  private var displayName: String?
  private var aliases: [String] = []
  private var muteKind: Mute.Kind?
  private var muteEnd: Timestamp?
  private var permissions = AppPermissions()
  private var quietHours: QuietHours?
  private var retentionDays: Int?

  static func read(_ json: inout QuickReader) throws(WireError) -> AppSettings {
    var row = QuickSettings()
    try json.object { (name, json) throws(WireError) in
      try row.take(name, &json)
    }
    return AppSettings(
      app: try row.app.required("targetHostName"),
      sequence: try row.sequence.required("sequence"), displayName: row.displayName,
      aliases: row.aliases,
      mute: try row.mute(), permissions: row.permissions, quietHours: row.quietHours,
      retentionDays: row.retentionDays)
  }

  private func mute() throws(WireError) -> Mute {
    switch (muteKind, muteEnd) {
    case (nil, nil), (.off?, nil): .off
    case (.forever?, nil): .forever
    case (.until?, let end?), (nil, let end?): .until(end)
    case (.until?, nil), (.off?, _?), (.forever?, _?):
      throw .invalid(
        field: "mutedUntilDateTime",
        expectation: "a time with mute until, and no time with off or forever")
    }
  }

  private mutating func take(
    _ name: UnsafeBufferPointer<UInt8>, _ json: inout QuickReader
  ) throws(WireError) {
    if name.isEqual(to: "targetHostName") {
      app = try json.string()
    } else if name.isEqual(to: "sequence") {
      sequence = SequenceNumber(try json.number())
    } else if name.isEqual(to: "displayName") {
      displayName = try json.string()
    } else if name.isEqual(to: "aliases") {
      aliases = try json.all { (json) throws(WireError) in try json.string() }
    } else if name.isEqual(to: "mute") {
      muteKind = try Self.word(&json)
    } else if name.isEqual(to: "mutedUntilDateTime") {
      muteEnd = try json.time()
    } else if name.isEqual(to: "permissions") {
      permissions = try Self.permissions(&json)
    } else if name.isEqual(to: "quietHours") {
      quietHours = try Self.quietHours(&json)
    } else if name.isEqual(to: "retentionDays") {
      retentionDays = Int(try json.number())
    } else {
      _ = try json.value()
    }
  }

  private static func permissions(
    _ json: inout QuickReader
  ) throws(WireError) -> AppPermissions {
    var permissions = AppPermissions()
    try json.object { (name, json) throws(WireError) in
      if name.isEqual(to: "alert") {
        permissions.alert = try json.bool()
      } else if name.isEqual(to: "sound") {
        permissions.sound = try json.bool()
      } else if name.isEqual(to: "badge") {
        permissions.badge = try json.bool()
      } else {
        _ = try json.value()
      }
    }
    return permissions
  }

  private static func quietHours(_ json: inout QuickReader) throws(WireError) -> QuietHours {
    var from: LocalTime?
    var to: LocalTime?
    var days = Set(Weekday.allCases)
    var timeZone: String?
    try json.object { (name, json) throws(WireError) in
      if name.isEqual(to: "from") {
        from = try time(&json)
      } else if name.isEqual(to: "to") {
        to = try time(&json)
      } else if name.isEqual(to: "days") {
        days = Set(try json.all { (json) throws(WireError) in try word(&json) })
      } else if name.isEqual(to: "timeZone") {
        timeZone = try json.string()
      } else {
        _ = try json.value()
      }
    }
    return QuietHours(
      from: try from.required("from"), to: try to.required("to"), days: days, timeZone: timeZone)
  }

  private static func time(_ json: inout QuickReader) throws(WireError) -> LocalTime {
    guard let time = LocalTime(try json.string()) else {
      throw .invalid(field: "", expectation: "a time of day from 00:00 to 23:59")
    }
    return time
  }

  private static func word<Word: RawRepresentable<String>>(
    _ json: inout QuickReader
  ) throws(WireError) -> Word {
    guard let word = Word(rawValue: try json.string()) else {
      throw .invalid(field: "", expectation: "one of the documented values")
    }
    return word
  }
}
