internal import BellhopModel

/// A reader of JSON values from bytes, one after the other.
///
/// A value of another type than the requested one throws ``WireError/invalid(field:expectation:)``
/// with the path of the value.
struct QuickReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  static let malformed = WireError.malformed(
    reason: "it is incomplete or has an unexpected character")

  /// Returns the error for a value of the wrong type, or for anything but a value.
  private mutating func mismatch(_ expectation: String) -> WireError {
    guard let byte = peek() else { return Self.malformed }
    let first = Unicode.Scalar(byte)
    let beginsValue = "\"{[-0123456789tfn".unicodeScalars.contains(first)
    return beginsValue ? .invalid(field: "", expectation: expectation) : Self.malformed
  }

  /// Reads bytes that contain one value and nothing else.
  static func whole<Value>(
    _ bytes: some Collection<UInt8>,
    _ read: (inout QuickReader) throws(WireError) -> Value
  ) throws(WireError) -> Value {
    let bytes = ContiguousArray(bytes)
    var result: Result<Value, WireError> = .failure(malformed)
    bytes.withUnsafeBufferPointer { buffer in
      var reader = QuickReader(buffer)
      do throws(WireError) {
        let value = try read(&reader)
        if reader.isAtEnd { result = .success(value) }
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  /// Whether only white space is left.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return position == bytes.count
    }
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0a, 0x0d, 0x09: position += 1
      default: return  // open: UInt8
      }
    }
  }

  /// Consumes the byte if it is next.
  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  mutating func expect(_ mark: Unicode.Scalar) throws(WireError) {
    guard take(mark) else { throw Self.malformed }
  }

  /// Reads an object: `member` receives each name and reads the value. Null members are skipped.
  mutating func object(
    _ member: (UnsafeBufferPointer<UInt8>, inout QuickReader) throws(WireError) -> Void
  ) throws(WireError) {
    guard take("{") else { throw mismatch("a JSON object") }
    if take("}") { return }
    repeat {
      let name = try plainString()
      try expect(":")
      if takeWord("null") { continue }
      do throws(WireError) {
        try member(name, &self)
      } catch {
        throw error.inside(String(decoding: name.prefix(64), as: UTF8.self))
      }
    } while take(",")
    try expect("}")
  }

  mutating func array(
    _ element: (inout QuickReader) throws(WireError) -> Void
  ) throws(WireError) {
    guard take("[") else { throw mismatch("an array") }
    if take("]") { return }
    var index = 0
    repeat {
      do throws(WireError) {
        try element(&self)
      } catch {
        throw error.inside("[\(index)]")
      }
      index += 1
    } while take(",")
    try expect("]")
  }

  /// Reads an array whose elements `element` reads.
  mutating func all<Value>(
    _ element: (inout QuickReader) throws(WireError) -> Value
  ) throws(WireError) -> [Value] {
    var values: [Value] = []
    try array { (json) throws(WireError) in values.append(try element(&json)) }
    return values
  }

  /// Reads a string without escapes, in place.
  mutating func plainString() throws(WireError) -> UnsafeBufferPointer<UInt8> {
    try scanPlainString().bytes
  }

  private mutating func scanPlainString() throws(WireError) -> (
    bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool
  ) {
    try expect("\"")
    let start = position
    var all: UInt8 = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return (UnsafeBufferPointer(rebasing: bytes[start..<(position - 1)]), all < 0x80)
      }
      if byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      all |= byte
      position += 1
    }
    position = start - 1
    throw Self.malformed
  }

  mutating func string() throws(WireError) -> String {
    guard peek() == UInt8(ascii: "\"") else { throw mismatch("a string") }
    let start = position
    do throws(WireError) {
      let plain = try scanPlainString()
      // Most strings are ASCII and need no validation.
      if plain.isASCII { return String(decoding: plain.bytes, as: UTF8.self) }
      guard let text = String(validating: plain.bytes, as: UTF8.self) else { throw Self.malformed }
      return text
    } catch {
      position = start
      return try escapedString()
    }
  }

  private mutating func escapedString() throws(WireError) -> String {
    try expect("\"")
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw Self.malformed }
        return text
      case UInt8(ascii: "\\"): try escape(into: &text)
      case ..<0x20: throw Self.malformed
      default: text.append(byte)  // open: UInt8
      }
    }
    throw Self.malformed
  }

  private mutating func escape(into text: inout [UInt8]) throws(WireError) {
    guard position < bytes.count else { throw Self.malformed }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "u"):
      var value = try hexQuad()
      if (0xd800..<0xdc00).contains(value) {
        // The other half of a surrogate pair must follow (RFC 8259 §7).
        guard position + 2 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
          bytes[position + 1] == UInt8(ascii: "u")
        else { throw Self.malformed }
        position += 2
        let low = try hexQuad()
        guard (0xdc00..<0xe000).contains(low) else { throw Self.malformed }
        value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
      }
      guard let scalar = Unicode.Scalar(value) else { throw Self.malformed }
      text.append(contentsOf: Array(String(Character(scalar)).utf8))
    default: throw Self.malformed  // open: UInt8
    }
  }

  private mutating func hexQuad() throws(WireError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 { value = value << 4 | UInt32(try hexDigit()) }
    return value
  }

  private mutating func hexDigit() throws(WireError) -> UInt8 {
    guard position < bytes.count, let value = Self.hexValue(bytes[position]) else {
      throw Self.malformed
    }
    position += 1
    return value
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil  // open: UInt8
    }
  }

  /// Reads a whole number.
  mutating func number() throws(WireError) -> Int64 {
    skipSpace()
    let start = position
    guard let text = try? numberText() else { throw mismatch("a whole number") }
    guard let value = Int64(text) else {
      position = start
      throw mismatch("a whole number")
    }
    return value
  }

  /// Reads any number, as written (RFC 8259 §6).
  mutating func numberText() throws(WireError) -> String {
    skipSpace()
    let start = position
    func take(_ marks: StaticString, in reader: inout QuickReader) -> Bool {
      guard reader.position < reader.bytes.count,
        UnsafeBufferPointer(start: marks.utf8Start, count: marks.utf8CodeUnitCount)
          .contains(reader.bytes[reader.position])
      else { return false }
      reader.position += 1
      return true
    }
    func digits(in reader: inout QuickReader) throws(WireError) {
      guard take("0123456789", in: &reader) else { throw Self.malformed }
      while take("0123456789", in: &reader) {}
    }
    _ = take("-", in: &self)
    if !take("0", in: &self) { try digits(in: &self) }
    if take(".", in: &self) { try digits(in: &self) }
    if take("eE", in: &self) {
      _ = take("+-", in: &self)
      try digits(in: &self)
    }
    return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
  }

  /// Skips a value of any type.
  ///
  /// - Returns: The bytes of the value, in place.
  mutating func value(depth: Int = 1) throws(WireError) -> UnsafeBufferPointer<UInt8> {
    guard depth <= WireJSON.depthMax else { throw .tooDeep(limit: WireJSON.depthMax) }
    guard let first = peek() else { throw Self.malformed }
    let start = position
    switch first {
    case UInt8(ascii: "{"):
      try object { (_, reader) throws(WireError) in _ = try reader.value(depth: depth + 1) }
    case UInt8(ascii: "["):
      try array { (reader) throws(WireError) in _ = try reader.value(depth: depth + 1) }
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
    case UInt8(ascii: "n"): try null()
    default: _ = try numberText()  // open: UInt8
    }
    return UnsafeBufferPointer(rebasing: bytes[start..<position])
  }

  /// Returns the first byte of the next value; nil at the end.
  mutating func peek() -> UInt8? {
    skipSpace()
    return position < bytes.count ? bytes[position] : nil
  }

  mutating func null() throws(WireError) {
    guard takeWord("null") else { throw Self.malformed }
  }

  mutating func bool() throws(WireError) -> Bool {
    if takeWord("true") { return true }
    if takeWord("false") { return false }
    throw mismatch("true or false")
  }

  private mutating func takeWord(_ word: StaticString) -> Bool {
    skipSpace()
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, UnsafeBufferPointer(rebasing: bytes[position..<end]).isEqual(to: word)
    else { return false }
    position = end
    return true
  }

  mutating func id<Tag>() throws(WireError) -> UniqueID<Tag> {
    guard let id = UniqueID<Tag>(try string()) else {
      throw .invalid(
        field: "", expectation: "a UUID such as 0198c0de-0000-7000-8000-000000000000")
    }
    return id
  }

  mutating func time() throws(WireError) -> Timestamp {
    guard let time = Timestamp(try string()) else {
      throw .invalid(field: "", expectation: "a UTC time such as 2026-11-21T06:12:04Z")
    }
    return time
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether these are the bytes of `text`.
  func isEqual(to text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    let other = text.utf8Start
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// Whether both contain the same bytes.
  func isEqual(to other: [UInt8]) -> Bool { count == other.count && elementsEqual(other) }
}
