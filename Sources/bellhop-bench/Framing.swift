import Glibc

/// A rule that finds the end of the first response in the received bytes.
struct Framing: Sendable {
  /// Returns the number of bytes of the response; nil if it is not yet complete.
  ///
  /// - Throws: ``BenchError`` for a response that is an error.
  var length: @Sendable ([UInt8]) throws -> Int?

  /// An HTTP response with a `Content-Length`, or without a body.
  ///
  /// It is parsed as bytes: the servers on the same cores lose the CPU time that the measuring
  /// program needs.
  static let http = Framing { received in
    try received.withUnsafeBytes { bytes in
      guard let head = end(of: [13, 10, 13, 10], in: bytes) else { return nil }
      guard head > 12, bytes[9] == UInt8(ascii: "2") else {
        throw BenchError(response: bytes[..<head])
      }
      var line = 0
      while line < head {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[line..<head])
        if isHeader(lengthName, rest) {
          var length = 0
          for byte in rest[lengthName.count...].drop(while: { $0 == 32 }) {
            guard byte >= 48, byte < 58 else { break }
            length = length * 10 + Int(byte - 48)
          }
          return head + length
        }
        line += end(of: [13, 10], in: rest) ?? rest.count
      }
      return head
    }
  }

  private static let lengthName = Array("content-length:".utf8)

  /// Returns whether a line begins with a header's name, which must be in lower case.
  private static func isHeader(_ name: [UInt8], _ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count > name.count else { return false }
    for index in name.indices where line[index] | 0x20 != name[index] | 0x20 { return false }
    return true
  }

  /// A simple response or a string of the Redis protocol.
  static let redis = Framing { received in
    guard let line = end(of: [13, 10], in: received) else { return nil }
    switch received[0] {
    case UInt8(ascii: "+"), UInt8(ascii: ":"): return line
    case UInt8(ascii: "$"):
      let digits = String(decoding: received[1..<(line - 2)], as: UTF8.self)
      return line + (Int(digits) ?? 0) + 2
    default:  // open: UInt8
      throw BenchError(response: received[..<line])
    }
  }

  /// A line with its CRLF.
  static let line = Framing { end(of: [13, 10], in: $0) }

  /// A control packet of MQTT 3.1.1, section 2.2.
  ///
  /// It consists of a byte, the length of the rest in groups of seven bits, the lowest first, and
  /// the rest.
  static let mqtt = Framing { received in
    var rest = 0
    for index in 1..<5 {
      guard received.count > index else { return nil }
      rest |= Int(received[index] & 0x7F) << (7 * (index - 1))
      if received[index] < 0x80 { return index + 1 + rest }
    }
    throw BenchError("the broker's packet has no length")
  }

  /// Any non-empty sequence of bytes.
  static let anything = Framing { $0.isEmpty ? nil : $0.count }

  /// Returns a framing of everything up to and including a text.
  static func through(_ text: String) -> Framing {
    let mark = Array(text.utf8)
    return Framing { end(of: mark, in: $0) }
  }

  private static func end(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBytes { end(of: mark, in: $0) }
  }

  /// Returns the end of the first occurrence of `mark`.
  static func end(of mark: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, let first = mark.first else { return nil }
    var start = 0
    while start + mark.count <= bytes.count,
      let found = memchr(base + start, Int32(first), bytes.count - start)
    {
      start = UnsafeRawPointer(found) - base
      let stop = start + mark.count
      if stop <= bytes.count, memcmp(base + start, mark, mark.count) == 0 { return stop }
      start += 1
    }
    return nil
  }
}
