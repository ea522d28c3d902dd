/// Any JSON value, for JSON that is passed on or merged without interpretation.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The number as written in the text, so that nothing is rounded.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// An object. If a member name repeats, the last value counts.
  case object([String: JSONValue])

  /// Parses one value.
  ///
  /// - Throws: ``WireError/malformed(reason:)`` and ``WireError/tooDeep(limit:)``.
  package init(
    parsing bytes: some Collection<UInt8>, depthMax: Int = WireJSON.depthMax
  ) throws(WireError) {
    guard WireJSON.isShallow(bytes, depthMax: depthMax) else { throw .tooDeep(limit: depthMax) }
    self = try QuickReader.whole(bytes) { (json) throws(WireError) in try json.value() }
  }

  /// The value as JSON in UTF-8. Members are sorted by name: equal values give equal bytes.
  package var bytes: [UInt8] {
    var writer = QuickWriter(capacity: 256)
    writer.value(self)
    return writer.bytes
  }

  /// Returns a member of an object; nil for other values and missing members.
  package subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The text of a string; nil for other values.
  package var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// Applies a merge patch: null removes, objects merge, anything else replaces (RFC 7396 §2).
  package func merged(with patch: JSONValue) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var members: [String: JSONValue] = [:]
    if case .object(let present) = self { members = present }
    for (name, change) in changes {
      members[name] = change == .null ? nil : (members[name] ?? .null).merged(with: change)
    }
    return .object(members)
  }
}

extension QuickReader {
  /// Reads any value. It recurses, so the caller checks the nesting before.
  fileprivate mutating func value() throws(WireError) -> JSONValue {
    switch peek() {
    case UInt8(ascii: "{"):
      var members: [String: JSONValue] = [:]
      try expect("{")
      if take("}") { return .object([:]) }
      repeat {
        let name = try string()
        try expect(":")
        members[name] = try value()
      } while take(",")
      try expect("}")
      return .object(members)
    case UInt8(ascii: "["):
      var elements: [JSONValue] = []
      try array { (reader) throws(WireError) in elements.append(try reader.value()) }
      return .array(elements)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try bool())
    case UInt8(ascii: "n"):
      try null()
      return .null
    default: return .number(try numberText())  // open: UInt8?
    }
  }
}

extension QuickWriter {
  mutating func value(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let isTrue): if isTrue { raw("true") } else { raw("false") }
    case .number(let text): raw(Array(text.utf8))
    case .string(let text): string(text)
    case .array(let elements):
      raw("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { raw(",") }
        self.value(element)
      }
      raw("]")
    case .object(let members):
      raw("{")
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { raw(",") }
        string(member.key)
        raw(":")
        self.value(member.value)
      }
      raw("}")
    }
  }
}
