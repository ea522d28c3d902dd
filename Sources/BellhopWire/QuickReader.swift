internal import BellhopModel

/// JSON that the quick reader cannot, or does not, read.
struct NotQuick: Error {}

/// Reads JSON from bytes, one value after the other.
struct QuickReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Whether nothing but white space is left.
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

  /// Takes the byte if it is next.
  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  mutating func expect(_ mark: Unicode.Scalar) throws(NotQuick) {
    guard take(mark) else { throw NotQuick() }
  }

  /// Reads an object, member by member: `member` gets the name and reads the value.
  mutating func object(
    _ member: (UnsafeBufferPointer<UInt8>, inout QuickReader) throws(NotQuick) -> Void
  ) throws(NotQuick) {
    try expect("{")
    if take("}") { return }
    repeat {
      let name = try plainString()
      try expect(":")
      try member(name, &self)
    } while take(",")
    try expect("}")
  }

  mutating func array(
    _ element: (inout QuickReader) throws(NotQuick) -> Void
  ) throws(NotQuick) {
    try expect("[")
    if take("]") { return }
    repeat { try element(&self) } while take(",")
    try expect("]")
  }

  /// A string without escapes, in place.
  mutating func plainString() throws(NotQuick) -> UnsafeBufferPointer<UInt8> {
    try scanPlainString().bytes
  }

  private mutating func scanPlainString() throws(NotQuick) -> (
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
    throw NotQuick()
  }

  mutating func string() throws(NotQuick) -> String {
    skipSpace()
    let start = position
    do throws(NotQuick) {
      let plain = try scanPlainString()
      // Most strings are ASCII, which needs no validation.
      if plain.isASCII { return String(decoding: plain.bytes, as: UTF8.self) }
      guard let text = String(validating: plain.bytes, as: UTF8.self) else { throw NotQuick() }
      return text
    } catch {
      position = start
      return try escapedString()
    }
  }

  private mutating func escapedString() throws(NotQuick) -> String {
    try expect("\"")
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw NotQuick() }
        return text
      case UInt8(ascii: "\\"): try escape(into: &text)
      case ..<0x20: throw NotQuick()
      default: text.append(byte)  // open: UInt8
      }
    }
    throw NotQuick()
  }

  private mutating func escape(into text: inout [UInt8]) throws(NotQuick) {
    guard position < bytes.count else { throw NotQuick() }
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
        // The other half of a surrogate pair follows, or the text is none (RFC 8259 §7).
        guard position + 2 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
          bytes[position + 1] == UInt8(ascii: "u")
        else { throw NotQuick() }
        position += 2
        let low = try hexQuad()
        guard (0xdc00..<0xe000).contains(low) else { throw NotQuick() }
        value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
      }
      guard let scalar = Unicode.Scalar(value) else { throw NotQuick() }
      text.append(contentsOf: Array(String(Character(scalar)).utf8))
    default: throw NotQuick()  // open: UInt8
    }
  }

  private mutating func hexQuad() throws(NotQuick) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 { value = value << 4 | UInt32(try hexDigit()) }
    return value
  }

  private mutating func hexDigit() throws(NotQuick) -> UInt8 {
    guard position < bytes.count, let value = Self.hexValue(bytes[position]) else {
      throw NotQuick()
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

  /// A whole number without sign, fraction and exponent, of at most 18 digits.
  mutating func number() throws(NotQuick) -> Int64 {
    skipSpace()
    var value: Int64 = 0
    let start = position
    while position < bytes.count, case 0x30...0x39 = bytes[position] {
      guard position - start < 18 else { throw NotQuick() }
      value = value * 10 + Int64(bytes[position] - 0x30)
      position += 1
    }
    guard position > start, bytes[start] != 0x30 || position == start + 1,
      position < bytes.count
    else { throw NotQuick() }
    switch bytes[position] {
    case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): throw NotQuick()
    default: return value  // open: UInt8
    }
  }

  /// Any number, as it stands (RFC 8259 §6).
  mutating func numberText() throws(NotQuick) -> String {
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
    func digits(in reader: inout QuickReader) throws(NotQuick) {
      guard take("0123456789", in: &reader) else { throw NotQuick() }
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

  /// Passes over a value of any kind.
  ///
  /// - Returns: its bytes, in place.
  mutating func value(depth: Int = 1) throws(NotQuick) -> UnsafeBufferPointer<UInt8> {
    guard depth <= WireJSON.depthMax, let first = peek() else { throw NotQuick() }
    let start = position
    switch first {
    case UInt8(ascii: "{"):
      try object { (_, reader) throws(NotQuick) in _ = try reader.value(depth: depth + 1) }
    case UInt8(ascii: "["):
      try array { (reader) throws(NotQuick) in _ = try reader.value(depth: depth + 1) }
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
    case UInt8(ascii: "n"): try null()
    default: _ = try numberText()  // open: UInt8
    }
    return UnsafeBufferPointer(rebasing: bytes[start..<position])
  }

  /// The byte with which the next value begins; nil at the end.
  mutating func peek() -> UInt8? {
    skipSpace()
    return position < bytes.count ? bytes[position] : nil
  }

  mutating func null() throws(NotQuick) {
    guard takeWord("null") else { throw NotQuick() }
  }

  mutating func bool() throws(NotQuick) -> Bool {
    if takeWord("true") { return true }
    if takeWord("false") { return false }
    throw NotQuick()
  }

  private mutating func takeWord(_ word: StaticString) -> Bool {
    skipSpace()
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, UnsafeBufferPointer(rebasing: bytes[position..<end]).isEqual(to: word)
    else { return false }
    position = end
    return true
  }

  mutating func id<Tag>() throws(NotQuick) -> UniqueID<Tag> {
    let text = try plainString()
    guard text.count == 36 else { throw NotQuick() }
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for (index, byte) in text.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { throw NotQuick() }
        continue
      }
      guard let digit = Self.hexValue(byte) else { throw NotQuick() }
      if digits < 16 {
        halves.0 = halves.0 << 4 | UInt64(digit)
      } else {
        halves.1 = halves.1 << 4 | UInt64(digit)
      }
      digits += 1
    }
    return UniqueID(high: halves.0, low: halves.1)
  }

  /// A time as a store writes it: `2026-11-21T06:12:04.000Z`.
  mutating func time() throws(NotQuick) -> Timestamp {
    let text = try plainString()
    guard text.count == 24, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      text[19] == UInt8(ascii: "."), text[23] == UInt8(ascii: "Z")
    else { throw NotQuick() }
    func digits(_ range: Range<Int>) throws(NotQuick) -> Int {
      var value = 0
      for index in range {
        guard case 0x30...0x39 = text[index] else { throw NotQuick() }
        value = value * 10 + Int(text[index] - 0x30)
      }
      return value
    }
    let (year, month, day) = (try digits(0..<4), try digits(5..<7), try digits(8..<10))
    let (hour, minute) = (try digits(11..<13), try digits(14..<16))
    let (second, fraction) = (try digits(17..<19), try digits(20..<23))
    guard year >= 1970, (1...12).contains(month), hour < 24, minute < 60, second < 60,
      (1...CivilDate.daysIn(month: month, year: year)).contains(day)
    else { throw NotQuick() }
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    return Timestamp(milliseconds: seconds * 1000 + Int64(fraction))
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

  /// Whether these are the same bytes.
  func isEqual(to other: [UInt8]) -> Bool { count == other.count && elementsEqual(other) }
}
