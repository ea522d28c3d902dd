internal import FoundationEssentials

/// The JSON codec that client and server share.
package enum WireJSON {
  /// The maximum nesting. Deeper input is refused before a parser recurses into it.
  package static let depthMax = 64

  /// Returns the value as JSON in UTF-8, with unescaped slashes.
  ///
  /// With `sortingKeys`, equal values give equal bytes, which takes longer.
  ///
  /// - Throws: ``WireError`` only for values that JSON cannot represent, which no payload has.
  package static func encode(
    _ value: some Encodable, sortingKeys isSorted: Bool = false
  ) throws(WireError) -> [UInt8] {
    if let quick = value as? any QuickEncodable {
      let bytes = try quick.quickBytes()
      return isSorted ? try JSONValue(parsing: bytes).bytes : bytes
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      isSorted ? [.withoutEscapingSlashes, .sortedKeys] : [.withoutEscapingSlashes]
    do {
      return [UInt8](try encoder.encode(value))
    } catch {
      throw .malformed(reason: "a value cannot be written")
    }
  }

  /// Decodes a value from bytes.
  ///
  /// - Throws: ``WireError``, which names the invalid field and the accepted form.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: some Collection<UInt8>, depthMax: Int = depthMax
  ) throws(WireError) -> Value {
    if let quick = type as? any QuickDecodable.Type,
      let value = try quick.init(quickly: bytes) as? Value
    {
      return value
    }
    if type == PublishPayload.self, let value = PublishPayload(plainly: bytes) as? Value {
      return value
    }
    guard isShallow(bytes, depthMax: depthMax) else { throw .tooDeep(limit: depthMax) }
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch let error as DecodingError {
      throw WireError(error)
    } catch let error as WireError {
      throw error
    } catch {
      throw .malformed(reason: "it cannot be read")
    }
  }

  /// Whether brackets outside strings nest no deeper than `depthMax`.
  static func isShallow(_ bytes: some Collection<UInt8>, depthMax: Int = depthMax) -> Bool {
    let quick = bytes.withContiguousStorageIfAvailable {
      isShallow(buffer: $0, depthMax: depthMax)
    }
    return quick
      ?? [UInt8](bytes).withUnsafeBufferPointer { isShallow(buffer: $0, depthMax: depthMax) }
  }

  private static func isShallow(buffer: UnsafeBufferPointer<UInt8>, depthMax: Int) -> Bool {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in buffer {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > depthMax { return false }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break  // open: UInt8
      }
    }
    return true
  }
}

extension WireError {
  /// Converts a decoder's error to the terms of the wire format.
  init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context):
      self = .invalid(
        field: Self.path(context.codingPath + [key]), expectation: "a value; it is missing")
    case .typeMismatch(let type, let context):
      self = .invalid(field: Self.path(context.codingPath), expectation: Self.name(of: type))
    case .valueNotFound(let type, let context):
      self = .invalid(
        field: Self.path(context.codingPath), expectation: Self.name(of: type) + ", not null")
    case .dataCorrupted(let context):
      if context.codingPath.isEmpty, !context.debugDescription.hasPrefix("expected ") {
        self = .malformed(reason: "it is incomplete or has an unexpected character")
      } else {
        self = .invalid(
          field: Self.path(context.codingPath), expectation: Self.expectation(context))
      }
    @unknown default:
      self = .malformed(reason: "it cannot be read")
    }
  }

  /// Returns the accepted form that the error describes.
  ///
  /// Our own decoders begin their descriptions with "expected"; the library's may quote input.
  private static func expectation(_ context: DecodingError.Context) -> String {
    let text = context.debugDescription
    if text.hasPrefix("expected ") { return String(text.dropFirst("expected ".count)) }
    if text.hasPrefix("userActionState snoozed") { return text }
    if text.hasPrefix("Cannot initialize") { return "one of the documented values" }
    return "a value in range"
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    var path = ""
    for key in keys {
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += (path.isEmpty ? "" : ".") + key.stringValue.prefix(64)
      }
    }
    return path
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [String: Any].Type: "a JSON object"
    case is any ArrayMarker.Type: "an array"
    default: "a JSON object"  // open: any Any.Type
    }
  }
}

/// A marker by which an error can name any array type.
private protocol ArrayMarker {}
extension Array: ArrayMarker {}
