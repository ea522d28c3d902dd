/// The members have the names of those of an item that they change.
extension RuleActions: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case level = "priority"
    case isSilent = "silent"
    case marksRead = "readState"
    case dismisses = "dismiss"
    case snooze
    case pins = "kept"
    case tags
    case group = "groupName"
    case app = "targetHostName"
    case collapse
    case stops = "stop"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.stringValue))
    func flag(_ key: CodingKeys) throws -> Bool {
      try container.decodeIfPresent(Bool.self, forKey: key) ?? false
    }
    self.init()
    level = try container.priorityIfPresent(forKey: .level)
    isSilent = try flag(.isSilent)
    switch try container.decodeIfPresent(ReadState.self, forKey: .marksRead) {
    case .read: marksRead = true
    case .unread: throw container.invalid(.marksRead, expected: "read")
    case nil: break
    }
    dismisses = try flag(.dismisses)
    snooze = try container.decodeIfPresent(RuleSnooze.self, forKey: .snooze)
    pins = try flag(.pins)
    tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    group = try container.decodeIfPresent(String.self, forKey: .group)
    app = try container.decodeIfPresent(String.self, forKey: .app)
    collapse = try container.decodeIfPresent(RepeatKey.self, forKey: .collapse)
    stops = try flag(.stops)
    guard tags.count <= Self.tagsMax,
      tags.allSatisfy({ (1...Self.tagBytesMax).contains($0.utf8.count) })
    else {
      throw container.invalid(
        .tags, expected: "at most \(Self.tagsMax) tags of 1 to \(Self.tagBytesMax) bytes")
    }
    guard !isEmpty else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "expected one or more actions"))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(level?.name, forKey: .level)
    if isSilent { try container.encode(true, forKey: .isSilent) }
    if marksRead { try container.encode(ReadState.read, forKey: .marksRead) }
    if dismisses { try container.encode(true, forKey: .dismisses) }
    try container.encodeIfPresent(snooze, forKey: .snooze)
    if pins { try container.encode(true, forKey: .pins) }
    if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
    try container.encodeIfPresent(group, forKey: .group)
    try container.encodeIfPresent(app, forKey: .app)
    try container.encodeIfPresent(collapse, forKey: .collapse)
    if stops { try container.encode(true, forKey: .stops) }
  }
}

extension RuleSnooze: Codable {
  private enum CodingKeys: String, CodingKey { case seconds, until }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let seconds = try container.decodeIfPresent(Int64.self, forKey: .seconds)
    let time = try container.decodeIfPresent(LocalTime.self, forKey: .until)
    switch (seconds, time) {
    case (let seconds?, nil):
      guard (1...Self.secondsMax).contains(seconds) else {
        throw container.invalid(
          .seconds, expected: "whole seconds from 1 to \(Self.secondsMax)")
      }
      self = .for(.seconds(seconds))
    case (nil, let time?): self = .until(time)
    case (nil, nil), (_?, _?):
      throw container.invalid(.seconds, expected: "either seconds or until")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .for(let duration):
      try container.encode(duration.milliseconds / 1000, forKey: .seconds)
    case .until(let time): try container.encode(time, forKey: .until)
    }
  }
}
