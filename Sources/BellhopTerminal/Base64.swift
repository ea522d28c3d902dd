/// The standard alphabet of base 64 (RFC 4648, section 4).
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(0) { $0 << 8 | Int($1) }
      bits <<= 8 * (3 - group.count)
      for place in 0..<4 {
        let isFilling = place > group.count
        output.append(isFilling ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * place) & 63])
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
