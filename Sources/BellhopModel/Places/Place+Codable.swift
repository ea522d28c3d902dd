extension Place {
  private enum CodingKeys: String, CodingKey { case devices }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let devices = try container.decodeIfPresent([String: Timestamp].self, forKey: .devices) ?? [:]
    self.init(
      devices: Dictionary(
        devices.map { (DeviceID(rawValue: $0.key), $0.value) }, uniquingKeysWith: { $1 }))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let devices = Dictionary(
      devices.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { $1 })
    if !devices.isEmpty { try container.encode(devices, forKey: .devices) }
  }
}

/// The changes to places in a `PATCH` body, by name: `null` removes a place, and `{}` adds it.
struct PlaceChangesBody: Codable {
  /// A device's report; an empty object adds the place.
  private struct Report: Codable {
    var inside: Bool?
    var dateTime: Timestamp?
    var crossing: Bool?
  }

  var changes: [String: PlaceChange]

  init(_ changes: [String: PlaceChange]) { self.changes = changes }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    changes = try container.decode([String: Report?].self).mapValues { report in
      guard let report else { return .remove }
      switch (report.inside, report.dateTime) {
      case (nil, nil): return .add
      case (let isInside?, let time?):
        return .report(
          PlaceReport(isInside: isInside, at: time, isCrossing: report.crossing ?? false))
      case (_?, nil), (nil, _?):
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "expected {} for a new place, null for one to remove, or inside with "
            + "dateTime")
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      changes.mapValues { change -> Report? in
        switch change {
        case .add: Report()
        case .remove: nil
        case .report(let report):
          Report(
            inside: report.isInside, dateTime: report.time,
            crossing: report.isCrossing ? true : nil)
        }
      })
  }
}
