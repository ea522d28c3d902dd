/// A payload with its own JSON codec, because it occurs in thousands.
typealias QuickCodable = QuickDecodable & QuickEncodable

/// A payload that a ``QuickReader`` reads.
protocol QuickDecodable: Decodable {
  /// Reads the payload. The error names the invalid field and the accepted form.
  init(from json: inout QuickReader) throws(WireError)
}

extension QuickDecodable {
  /// Parses the payload from bytes.
  init(quickly bytes: some Collection<UInt8>) throws(WireError) {
    self = try QuickReader.whole(bytes) { (json) throws(WireError) in try Self(from: &json) }
  }

  /// Decodes the payload as a part of another one.
  package init(from decoder: any Decoder) throws {
    try self.init(quickly: JSONValue(from: decoder).bytes)
  }
}

/// A payload that a ``QuickWriter`` writes.
protocol QuickEncodable: Encodable {
  func write(into json: inout QuickWriter) throws(WireError)
}

extension QuickEncodable {
  /// Returns the payload as JSON in UTF-8.
  func quickBytes() throws(WireError) -> [UInt8] {
    var json = QuickWriter(capacity: 1024)
    try write(into: &json)
    return json.bytes
  }

  /// Encodes the payload as a part of another one.
  package func encode(to encoder: any Encoder) throws {
    try JSONValue(parsing: quickBytes()).encode(to: encoder)
  }
}
