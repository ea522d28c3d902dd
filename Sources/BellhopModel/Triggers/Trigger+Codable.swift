extension Trigger: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case interval, calendar, timeZone, place, repeats
  }

  /// Decodes a trigger, strictly: a member that is ignored would make it fire at other times.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.stringValue))
    let seconds = try container.decodeIfPresent(Int64.self, forKey: .interval)
    let pattern = try container.decodeIfPresent(CalendarPattern.self, forKey: .calendar)
    let zone = try container.decodeIfPresent(String.self, forKey: .timeZone)
    let crossing = try container.decodeIfPresent(PlaceCrossing.self, forKey: .place)
    let repeats = try container.decodeIfPresent(Bool.self, forKey: .repeats) ?? false
    let kind: Kind
    switch (seconds, pattern, crossing) {
    case (let seconds?, nil, nil): kind = .interval(seconds: seconds)
    case (nil, let pattern?, nil): kind = .calendar(pattern, timeZone: zone)
    case (nil, nil, let crossing?): kind = .place(crossing)
    default:  // open: (Int64?, CalendarPattern?, PlaceCrossing?)
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "expected one of interval, calendar and place"))
    }
    guard pattern != nil || zone == nil else {
      throw container.invalid(.timeZone, expected: "no zone without calendar")
    }
    do throws(FormatError) {
      try self.init(kind, repeats: repeats)
    } catch {
      throw error.decodingError(at: decoder.codingPath)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch kind {
    case .interval(let seconds): try container.encode(seconds, forKey: .interval)
    case .calendar(let pattern, let zone):
      try container.encode(pattern, forKey: .calendar)
      try container.encodeIfPresent(zone, forKey: .timeZone)
    case .place(let crossing): try container.encode(crossing, forKey: .place)
    }
    try container.encode(repeats, forKey: .repeats)
  }
}

extension PlaceCrossing: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case place = "name"
    case direction = "on"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.stringValue))
    let place = try container.decode(String.self, forKey: .place)
    guard let direction = Direction(rawValue: try container.decode(String.self, forKey: .direction))
    else {
      throw container.invalid(.direction, expected: "entry or exit")
    }
    self.init(direction, of: place)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(place, forKey: .place)
    try container.encode(direction, forKey: .direction)
  }
}

extension CalendarPattern: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case minute, hour, weekday, day, month, year
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.stringValue))
    func component(_ key: CodingKeys) throws -> Int? {
      try container.decodeIfPresent(Int.self, forKey: key)
    }
    let (minute, hour) = (try component(.minute), try component(.hour))
    let (weekdays, day) = (try Self.weekdays(in: container), try component(.day))
    let (month, year) = (try component(.month), try component(.year))
    do throws(Trigger.FormatError) {
      try self.init(
        minute: minute, hour: hour, weekdays: weekdays, day: day, month: month, year: year)
    } catch {
      throw error.decodingError(at: decoder.codingPath.dropLast())
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(minute, forKey: .minute)
    try container.encodeIfPresent(hour, forKey: .hour)
    if weekdays.count == 1 {
      try container.encode(weekdays[0], forKey: .weekday)
    } else if !weekdays.isEmpty {
      try container.encode(weekdays, forKey: .weekday)
    }
    try container.encodeIfPresent(day, forKey: .day)
    try container.encodeIfPresent(month, forKey: .month)
    try container.encodeIfPresent(year, forKey: .year)
  }

  /// Decodes one weekday, or several.
  private static func weekdays(
    in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> [Int] {
    guard try container.contains(.weekday) && !container.decodeNil(forKey: .weekday) else {
      return []
    }
    if let one = try? container.decode(Int.self, forKey: .weekday) { return [one] }
    guard let several = try? container.decode([Int].self, forKey: .weekday), !several.isEmpty
    else {
      throw container.invalid(
        .weekday, expected: "a number from 1 (Sunday) to 7, or several such as [2, 6]")
    }
    return several
  }
}

extension Trigger.FormatError {
  /// The error of a decoder that reads the trigger at `path`.
  fileprivate func decodingError(at path: some Collection<any CodingKey>) -> DecodingError {
    let members = field.split(separator: ".").map { MemberKey(stringValue: String($0)) }
    return .dataCorrupted(
      DecodingError.Context(
        codingPath: Array(path) + members, debugDescription: "expected " + expectation))
  }
}
