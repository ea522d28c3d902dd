/// A payload whose JSON is read or written by a codec of its own, because it comes by the thousand.
typealias QuickCodable = QuickDecodable & QuickEncodable

/// Read by a quick reader.
protocol QuickDecodable: Decodable {
  /// Reads the payload, and says what is wrong with one that is not as it should be.
  init(from json: inout QuickReader) throws(WireError)
}

extension QuickDecodable {
  /// The payload that the bytes hold.
  init(quickly bytes: some Collection<UInt8>) throws(WireError) {
    self = try QuickReader.whole(bytes) { (json) throws(WireError) in try Self(from: &json) }
  }

  /// Decodes the payload as a part of another one.
  package init(from decoder: any Decoder) throws {
    try self.init(quickly: JSONValue(from: decoder).bytes)
  }
}

/// Written by a quick writer.
protocol QuickEncodable: Encodable {
  func write(into json: inout QuickWriter) throws(WireError)
}

extension QuickEncodable {
  /// The payload as JSON in UTF-8.
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
