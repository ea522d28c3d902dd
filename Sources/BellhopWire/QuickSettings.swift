internal import BellhopModel

/// The members of an app's settings in a delta, as they come. What the other reader fills in is
/// filled in here too.
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

  static func read(_ reader: inout QuickReader) throws(NotQuick) -> AppSettings {
    var row = QuickSettings()
    try reader.object { (name, reader) throws(NotQuick) in
      try row.take(name, &reader)
    }
    guard let app = row.app, let sequence = row.sequence else { throw NotQuick() }
    return AppSettings(
      app: app, sequence: sequence, displayName: row.displayName, aliases: row.aliases,
      mute: try row.mute(), permissions: row.permissions, quietHours: row.quietHours,
      retentionDays: row.retentionDays)
  }

  private func mute() throws(NotQuick) -> Mute {
    switch (muteKind, muteEnd) {
    case (nil, nil), (.off?, nil): .off
    case (.forever?, nil): .forever
    case (.until?, let end?), (nil, let end?): .until(end)
    case (.until?, nil), (.off?, _?), (.forever?, _?): throw NotQuick()
    }
  }

  private mutating func take(
    _ name: UnsafeBufferPointer<UInt8>, _ reader: inout QuickReader
  ) throws(NotQuick) {
    if name.isEqual(to: "targetHostName") {
      app = try reader.string()
    } else if name.isEqual(to: "sequence") {
      sequence = SequenceNumber(try reader.number())
    } else if name.isEqual(to: "displayName") {
      displayName = try reader.string()
    } else if name.isEqual(to: "aliases") {
      var names: [String] = []
      try reader.array { (reader) throws(NotQuick) in names.append(try reader.string()) }
      aliases = names
    } else if name.isEqual(to: "mute") {
      guard let kind = Mute.Kind(rawValue: try reader.string()) else { throw NotQuick() }
      muteKind = kind
    } else if name.isEqual(to: "mutedUntilDateTime") {
      muteEnd = try reader.time()
    } else if name.isEqual(to: "permissions") {
      permissions = try Self.permissions(&reader)
    } else if name.isEqual(to: "quietHours") {
      quietHours = try Self.quietHours(&reader)
    } else if name.isEqual(to: "retentionDays") {
      retentionDays = Int(try reader.number())
    } else {
      throw NotQuick()
    }
  }

  private static func permissions(
    _ reader: inout QuickReader
  ) throws(NotQuick) -> AppPermissions {
    var permissions = AppPermissions()
    try reader.object { (name, reader) throws(NotQuick) in
      if name.isEqual(to: "alert") {
        permissions.alert = try reader.bool()
      } else if name.isEqual(to: "sound") {
        permissions.sound = try reader.bool()
      } else if name.isEqual(to: "badge") {
        permissions.badge = try reader.bool()
      } else {
        throw NotQuick()
      }
    }
    return permissions
  }

  private static func quietHours(_ reader: inout QuickReader) throws(NotQuick) -> QuietHours {
    var from: LocalTime?
    var to: LocalTime?
    var days = Set(Weekday.allCases)
    var timeZone: String?
    try reader.object { (name, reader) throws(NotQuick) in
      if name.isEqual(to: "from") {
        from = LocalTime(try reader.string())
      } else if name.isEqual(to: "to") {
        to = LocalTime(try reader.string())
      } else if name.isEqual(to: "days") {
        var named: Set<Weekday> = []
        try reader.array { (reader) throws(NotQuick) in
          guard let day = Weekday(rawValue: try reader.string()) else { throw NotQuick() }
          named.insert(day)
        }
        days = named
      } else if name.isEqual(to: "timeZone") {
        timeZone = try reader.string()
      } else {
        throw NotQuick()
      }
    }
    guard let from, let to else { throw NotQuick() }
    return QuietHours(from: from, to: to, days: days, timeZone: timeZone)
  }
}
