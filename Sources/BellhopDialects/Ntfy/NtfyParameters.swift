internal import BellhopModel
internal import BellhopServer
internal import BellhopTime
internal import BellhopWire
internal import HTTPTypes

/// The parameters of an ntfy publication.
///
/// A JSON body has precedence over headers, and headers over the query. Each parameter has several
/// names.
struct NtfyParameters {
  /// The accepted names of each parameter.
  private static let names: [String: [String]] = [
    "title": ["x-title", "title", "t"],
    "message": ["x-message", "message", "m"],
    "priority": ["x-priority", "priority", "prio", "p"],
    "tags": ["x-tags", "tags", "tag", "ta"],
    "click": ["x-click", "click"],
    "icon": ["x-icon", "icon"],
    "markdown": ["x-markdown", "markdown", "md"],
    "sequence-id": ["x-sequence-id", "sequence-id", "sid"],
    "attach": ["x-attach", "attach", "a"],
    "filename": ["x-filename", "filename", "file", "f"],
    "actions": ["x-actions", "actions", "action"],
    "delay": ["x-delay", "delay", "x-at", "at", "x-in", "in"],
    "cache": ["x-cache", "cache"],
    "email": ["x-email", "x-e-mail", "email", "e-mail", "mail", "e"],
    "call": ["x-call", "call"],
    "template": ["x-template", "template", "tpl"],
  ]

  private var values: [String: String] = [:]

  init(headers: HTTPFields, query: Query) {
    for (parameter, names) in Self.names {
      if let value = names.lazy.compactMap({ Self.header($0, in: headers) }).first
        ?? names.lazy.compactMap({ query[$0] }).first
      {
        values[parameter] = value
      }
    }
    // A header cannot contain line breaks.
    values["message"] = values["message"]?.replacing("\\n", with: "\n")
    if headers[.contentType]?.lowercased().hasPrefix("text/markdown") == true {
      values["markdown"] = "yes"
    }
  }

  private static func header(_ name: String, in headers: HTTPFields) -> String? {
    guard let field = HTTPField.Name(name), let value = headers[field], !value.isEmpty else {
      return nil
    }
    // Browsers and curl send RFC 9218's `Priority: u=1, i` on their own.
    if name == "priority", value.hasPrefix("u="), value.count <= 6 { return nil }
    return EncodedWord.decode(value)
  }

  // MARK: - JSON

  /// Takes the values of a JSON publication. Missing, null and empty members change nothing.
  ///
  /// - Throws: `RequestError` for a member of the wrong type.
  mutating func fill(from message: JSONValue) throws {
    let texts = [
      "title", "message", "click", "icon", "attach", "filename", "delay", "cache", "email", "call",
      "markdown", "priority",
    ]
    for name in texts { try set(name, Self.text(message[name], name)) }
    try set("sequence-id", Self.text(message["sequence_id"], "sequence_id"))
    switch message["tags"] {
    case nil, .null?: break
    case .array(let tags)?:
      try set("tags", tags.compactMap { try Self.text($0, "tags") }.joined(separator: ","))
    case let tags?: try set("tags", Self.text(tags, "tags"))
    }
    switch message["actions"] {
    case nil, .null?: break
    case .array(let actions)?:
      if !actions.isEmpty {
        set("actions", String(decoding: JSONValue.array(actions).bytes, as: UTF8.self))
      }
    case let actions?: try set("actions", Self.text(actions, "actions"))
    }
  }

  private mutating func set(_ name: String, _ value: String?) {
    if let value, !value.isEmpty { values[name] = value }
  }

  /// Returns a text, number or flag as text; nil for null, false and a priority of 0.
  static func text(_ value: JSONValue?, _ name: String) throws -> String? {
    switch value {
    case nil, .null?: nil
    case .string(let text)?: text
    case .number(let text)?: name == "priority" && text == "0" ? nil : text
    case .bool(let flag)?: flag ? "true" : nil
    case .array?, .object?: throw RequestError.ntfy(.notMessage, "\(name) has the wrong type")
    }
  }

  // MARK: - Values

  /// Returns the trimmed parameter; nil when it is missing or empty.
  subscript(parameter: String) -> String? {
    guard let value = values[parameter]?.trimmed, !value.isEmpty else { return nil }
    return value
  }

  /// Returns the comma-separated values of the parameter.
  func list(_ parameter: String) -> [String] {
    (self[parameter] ?? "").split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
  }

  /// Whether the parameter is true.
  func isTrue(_ parameter: String) -> Bool {
    ["1", "true", "yes"].contains(self[parameter]?.lowercased() ?? "")
  }

  /// Returns the level, from 1 to 5 or its word.
  func priority() throws -> Priority {
    guard let text = self["priority"] else { return .normal }
    guard let priority = Self.priority(text) else {
      throw RequestError.ntfy(.priority, "expected 1 to 5, min, low, default, high, max or urgent")
    }
    return priority
  }

  static func priority(_ text: String) -> Priority? {
    if let number = Int(text), let priority = Priority(rawValue: number) { return priority }
    let isNtfyWord = !["normal", "none"].contains(text.lowercased())
    return isNtfyWord ? Priority(name: text) : nil
  }

  /// Returns a web link.
  func webLink(_ parameter: String, orElse fault: NtfyError) throws -> String? {
    guard let link = self[parameter] else { return nil }
    let start = link.prefix(8).lowercased()
    guard start.hasPrefix("http://") || start.hasPrefix("https://") else {
      throw RequestError.ntfy(fault, "expected http:// or https://")
    }
    return link
  }

  /// Returns the delivery time; nil for immediate delivery.
  ///
  /// - Parameter latest: The end of the times that the store accepts.
  /// - Parameter zone: The time zone of times in words.
  func delivery(now: Timestamp, latest: Timestamp, zone: ZoneRules) throws -> Timestamp? {
    guard let text = self["delay"] else { return nil }
    guard !isNotCached else { throw RequestError.ntfy(.delayNotStored) }
    let time: Timestamp
    switch NtfyTime.instant(text, now: now, zone: zone) {
    case .success(let meant): time = meant
    case .failure(let problem):
      throw RequestError.ntfy(
        .delayUnreadable,
        "expected a span such as 30m, words such as tomorrow 9am, a Unix or an RFC 3339 time: "
          + problem.description)
    }
    guard time > now else { throw RequestError.ntfy(.delayPast, "that time has passed") }
    guard time < latest else {
      throw RequestError.ntfy(.delayTooLong, "expected a time before \(latest)")
    }
    return time
  }

  /// Whether the publisher wants the message only for readers that are listening now.
  var isNotCached: Bool { ["0", "no", "false"].contains(self["cache"]?.lowercased() ?? "") }

  /// Throws for a feature of ntfy that this store lacks. Ignoring it would do something else.
  func refuseUnsupported() throws {
    if self["email"] != nil { throw RequestError.ntfy(.noEmail) }
    if self["call"] != nil { throw RequestError.ntfy(.noCalls) }
    if let template = self["template"], !["no", "0", "false"].contains(template.lowercased()) {
      throw RequestError.ntfy(
        .badRequest, "templates are supported only for web hooks; nothing was published")
    }
  }

  /// All parameters that affect a publication, for an idempotency key.
  var fingerprint: [[UInt8]] {
    values.sorted { $0.key < $1.key }.flatMap { [Array($0.key.utf8), Array($0.value.utf8)] }
  }
}
