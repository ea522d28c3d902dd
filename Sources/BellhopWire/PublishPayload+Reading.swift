internal import BellhopModel

extension PublishPayload {
  /// Reads the common members of a publication. Returns nil for rare members and for errors.
  ///
  /// `Codable` then reads the publication, and explains errors better.
  init?(plainly bytes: some Collection<UInt8>) {
    let content = try? QuickReader.whole(bytes) { (json) throws(WireError) in
      try Self.content(&json)
    }
    guard let content else { return nil }
    self.init(content)
  }

  private static func content(_ reader: inout QuickReader) throws(WireError) -> Content {
    var content = Content(app: "")
    var seen = Members()
    try reader.object { (name, reader) throws(WireError) in
      if name.isEqual(to: "targetHostName") {
        try seen.note(.app)
        content.app = try reader.string()
      } else if name.isEqual(to: "appNotificationId") {
        try seen.note(.appID)
        content.appNotificationID = try reader.string()
      } else if name.isEqual(to: "groupName") {
        try seen.note(.group)
        content.group = try reader.string()
      } else if name.isEqual(to: "clickUrl") {
        try seen.note(.clickURL)
        content.clickURL = try reader.string()
      } else if name.isEqual(to: "priority") {
        try seen.note(.priority)
        guard let priority = Priority(name: try reader.string()) else {
          throw QuickReader.malformed
        }
        content.priority = priority
      } else if name.isEqual(to: "tags") {
        try seen.note(.tags)
        try reader.array { (reader) throws(WireError) in content.tags.append(try reader.string()) }
      } else if name.isEqual(to: "payload") {
        try seen.note(.payload)
        try payload(&reader, into: &content)
      } else if name.isEqual(to: "expirationDateTime") {
        try seen.note(.expiration)
        content.expiration = try reader.time()
      } else {
        throw QuickReader.malformed
      }
    }
    guard seen.contains([.app, .payload]) else { throw QuickReader.malformed }
    return content
  }

  private static func payload(
    _ reader: inout QuickReader, into content: inout Content
  ) throws(WireError) {
    try reader.object { (name, reader) throws(WireError) in
      if name.isEqual(to: "rawContent"), content.raw == nil {
        content.raw = try reader.string()
      } else if name.isEqual(to: "visualContent"), content.visual == nil {
        content.visual = try visual(&reader)
      } else {
        throw QuickReader.malformed
      }
    }
    guard content.raw != nil || content.visual != nil else { throw QuickReader.malformed }
  }

  private static func visual(_ reader: inout QuickReader) throws(WireError) -> VisualContent {
    var title: String?
    var subtitle: String?
    var body: String?
    try reader.object { (name, reader) throws(WireError) in
      if name.isEqual(to: "title"), title == nil {
        title = try reader.string()
      } else if name.isEqual(to: "subtitle"), subtitle == nil {
        subtitle = try reader.string()
      } else if name.isEqual(to: "body"), body == nil {
        body = try reader.string()
      } else {
        throw QuickReader.malformed
      }
    }
    guard let title else { throw QuickReader.malformed }
    return VisualContent(title: title, subtitle: subtitle, body: body)
  }
}

/// The members that were read. A repeated member is left to the `Codable` reader.
private struct Members: OptionSet {
  let rawValue: Int

  static let app = Members(rawValue: 1)
  static let appID = Members(rawValue: 2)
  static let group = Members(rawValue: 4)
  static let clickURL = Members(rawValue: 8)
  static let priority = Members(rawValue: 16)
  static let tags = Members(rawValue: 32)
  static let payload = Members(rawValue: 64)
  static let expiration = Members(rawValue: 128)

  mutating func note(_ member: Members) throws(WireError) {
    guard insert(member).inserted else { throw QuickReader.malformed }
  }
}
