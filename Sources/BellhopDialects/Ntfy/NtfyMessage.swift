internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import Crypto

/// The messages and events of ntfy, in its own format.
enum NtfyMessage {
  // MARK: - Messages

  /// Returns the message id of an item.
  ///
  /// Readers ignore a message whose id they already have. So an item that its publisher may still
  /// replace, or that its trigger delivers again, gets a new id for each content and delivery. The id reveals nothing about the item's state.
  static func id(of item: UserNotification) -> String {
    guard item.content.appNotificationID != nil || item.content.trigger != nil else {
      return item.id.description
    }
    var hasher = SHA256()
    withUnsafeBytes(of: item.arrival.milliseconds.littleEndian) { hasher.update(bufferPointer: $0) }
    for text in [item.content.visual?.title, item.content.visual?.body] {
      hasher.update(data: Array((text ?? "").utf8) + [0])
    }
    let mark = hasher.finalize().prefix(4).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return "\(item.id)_\(mark.joined())"
  }

  /// Returns the item that a message id refers to.
  static func item(_ id: String) -> NotificationID? {
    NotificationID(id.prefix { $0 != "_" })
  }

  /// Returns the id that paths use to replace, clear or delete an item.
  static func sequence(of item: UserNotification) -> String {
    item.content.appNotificationID ?? item.id.description
  }

  /// Returns the event of a message.
  ///
  /// It contains what its publisher wrote with the effective level and tags, but no state.
  ///
  /// - Parameter base: The store's scheme and authority, for the addresses of its files.
  static func message(
    _ item: UserNotification, topic: String, id: String, expires: Timestamp? = nil, base: String
  ) -> JSONValue {
    let content = item.content
    var members: [String: JSONValue] = [
      "id": .string(id), "sequence_id": .string(sequence(of: item)),
      "time": seconds(item.arrival), "event": "message", "topic": .string(topic),
    ]
    members["expires"] = (expires ?? content.expiration).map(seconds)
    if let visual = content.visual {
      let (title, message) = MessageText.texts(of: visual)
      members["title"] = title.map { .string($0) }
      members["message"] = .string(message)
    }
    let (level, tags) = (item.announcedPriority, item.effectiveTags)
    if level != .normal { members["priority"] = .integer(level.rawValue) }
    if !tags.isEmpty { members["tags"] = .array(tags.map { .string($0) }) }
    members["click"] = content.clickURL.map { .string($0) }
    members["icon"] = content.extras.icon.map { .string($0) }
    if content.extras.markdown == true { members["content_type"] = "text/markdown" }
    let actions = (content.extras.actions ?? []).compactMap(\.ntfy)
    if !actions.isEmpty { members["actions"] = .array(actions) }
    if let attachment = content.extras.attachments?.first {
      let isOurs = FileID(url: attachment.url) != nil
      var parts: [String: JSONValue] = [
        "name": .string(attachment.name ?? "attachment"),
        "url": .string((isOurs ? base : "") + attachment.url),
      ]
      parts["type"] = attachment.type.map { .string($0) }
      parts["size"] = attachment.size.map { .integer($0) }
      if isOurs { parts["expires"] = (attachment.expires ?? content.expiration).map(seconds) }
      members["attachment"] = .object(parts)
    }
    return .object(members)
  }

  /// Returns a `message_clear` or `message_delete` event for a sequence id.
  static func event(
    _ name: String, of sequence: String, topic: String, id: String, at time: Timestamp
  ) -> JSONValue {
    [
      "id": .string(id), "sequence_id": .string(sequence), "time": seconds(time),
      "event": .string(name), "topic": .string(topic),
    ]
  }

  static func seconds(_ time: Timestamp) -> JSONValue { .number(String(time.milliseconds / 1000)) }
}
