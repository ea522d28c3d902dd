/// A message of a D-Bus, as far as a fake bus needs it (D-Bus Specification 0.43, "Message Format").
struct BusMessage: Sendable {
  enum Kind: UInt8, Sendable {
    case call = 1
    case reply = 2
    case error = 3
    case signal = 4
  }

  /// A value of a body or a header.
  enum Value: Sendable {
    case text(String)
    case path(String)
    case signature(String)
    case number(UInt32)
    case real(Double)
    case truth(Bool)
    case bytes([UInt8])
    indirect case variant(Value)

    var signature: String {
      switch self {
      case .text: "s"
      case .path: "o"
      case .signature: "g"
      case .number: "u"
      case .real: "d"
      case .truth: "b"
      case .bytes: "ay"
      case .variant: "v"
      }
    }
  }

  var kind: Kind
  var serial: UInt32 = 0
  /// The header fields by their numbers: 1 is the path, 2 the interface, 3 the member.
  var fields: [UInt8: Value] = [:]
  /// The values to write.
  var body: [Value] = []
  /// The texts at the beginning of a body that was read.
  var texts: [String] = []

  var path: String { text(1) }
  var interface: String { text(2) }
  var member: String { text(3) }

  private func text(_ field: UInt8) -> String {
    switch fields[field] {
    case .text(let text), .path(let text), .signature(let text): text
    case .number, .real, .truth, .bytes, .variant, nil: ""
    }
  }

  // MARK: - Writing

  var bytes: [UInt8] {
    var writer = Writer()
    for value in body { writer.write(value) }
    let content = writer.bytes
    var fields = fields
    if !body.isEmpty { fields[8] = .signature(body.map(\.signature).joined()) }
    writer = Writer()
    writer.bytes = [UInt8(ascii: "l"), kind.rawValue, 0, 1]
    writer.write(.number(UInt32(content.count)))
    writer.write(.number(serial))
    writer.write(.number(0))
    let start = writer.bytes.count
    for (code, value) in fields.sorted(by: { $0.key < $1.key }) {
      writer.align(8)
      writer.bytes.append(code)
      writer.write(.variant(value))
    }
    let count = UInt32(writer.bytes.count - start)
    withUnsafeBytes(of: count.littleEndian) { writer.bytes.replaceSubrange(12..<16, with: $0) }
    writer.align(8)
    return writer.bytes + content
  }

  private struct Writer {
    var bytes: [UInt8] = []

    mutating func align(_ size: Int) { while bytes.count % size != 0 { bytes.append(0) } }

    mutating func write(_ value: Value) {
      switch value {
      case .text(let text), .path(let text):
        write(.number(UInt32(text.utf8.count)))
        bytes += Array(text.utf8) + [0]
      case .signature(let text): bytes += [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
      case .number(let number):
        align(4)
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
      case .real(let real):
        align(8)
        withUnsafeBytes(of: real.bitPattern.littleEndian) { bytes += $0 }
      case .truth(let truth): write(.number(truth ? 1 : 0))
      case .bytes(let content):
        write(.number(UInt32(content.count)))
        bytes += content
      case .variant(let inner):
        write(.signature(inner.signature))
        write(inner)
      }
    }
  }

  // MARK: - Reading

  /// The number of bytes before the header fields.
  static let prefixBytes = 16

  /// The number of bytes after the prefix; nil for a prefix that the fake does not read.
  static func restBytes(after prefix: [UInt8]) -> Int? {
    guard prefix.count == prefixBytes, prefix[0] == UInt8(ascii: "l") else { return nil }
    var reader = Reader(bytes: prefix)
    reader.place = 4
    let body = reader.number()
    reader.place = 12
    let fields = reader.number()
    return Int(fields + 7) / 8 * 8 + Int(body)
  }

  /// The message in whole bytes, of a client that writes little-endian numbers.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard let kind = Kind(rawValue: bytes[1]) else { return nil }
    self.kind = kind
    reader.place = 8
    serial = reader.number()
    let end = Int(reader.number()) + Self.prefixBytes
    while reader.place < end {
      reader.align(8)
      let code = reader.byte()
      guard let value = reader.value(of: reader.signature()) else { return nil }
      fields[code] = value
    }
    reader.align(8)
    for type in text(8) {
      guard type == "s" || type == "o" else { break }
      texts.append(reader.text())
    }
  }

  init(_ kind: Kind, fields: [UInt8: Value], body: [Value] = []) {
    self.kind = kind
    self.fields = fields
    self.body = body
  }

  /// A reader of bytes. Bytes after the end are zeros.
  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func align(_ size: Int) { place = (place + size - 1) / size * size }

    mutating func byte() -> UInt8 {
      defer { place += 1 }
      return place < bytes.count ? bytes[place] : 0
    }

    mutating func number() -> UInt32 {
      align(4)
      return (0..<4).reduce(0) { $0 | UInt32(byte()) << (8 * $1) }
    }

    mutating func text() -> String {
      let count = Int(number())
      defer { place += 1 }
      return String(decoding: (0..<min(count, bytes.count)).map { _ in byte() }, as: UTF8.self)
    }

    mutating func signature() -> String {
      let count = Int(byte())
      defer { place += 1 }
      return String(decoding: (0..<count).map { _ in byte() }, as: UTF8.self)
    }

    mutating func value(of type: String) -> Value? {
      switch type {
      case "s": .text(text())
      case "o": .path(text())
      case "g": .signature(signature())
      case "u": .number(number())
      default: nil  // open: String
      }
    }
  }
}
