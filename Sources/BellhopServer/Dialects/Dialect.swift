internal import BellhopIdentity
internal import BellhopModel
internal import BellhopStore
internal import HTTPTypes
internal import Hummingbird

/// A way of speaking HTTP that other software already speaks.
protocol Dialect: Sendable {
  /// The access token in the request.
  ///
  /// - Throws: ``Failure`` when there is none that the dialect understands.
  func secret(in exchange: Exchange) throws -> AccessTokenSecret

  /// Who makes the request.
  ///
  /// - Throws: ``Failure`` or ``StoreError`` for whoever is not let in.
  func principal(in exchange: Exchange) async throws -> Principal

  /// The answer to a request that is not done.
  func response(to failure: Failure, requestID: String, date: Timestamp) -> Response
}

extension Dialect {
  func principal(in exchange: Exchange) async throws -> Principal {
    try await exchange.principal(of: secret(in: exchange))
  }
}

/// The header that carries credentials, taken apart.
enum Credentials {
  /// The token of a `Bearer` header.
  static func bearer(_ header: String) -> AccessTokenSecret? {
    let words = header.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    return secret(words[1].trimmed)
  }

  /// The token in any of the places where publishers of the usual services put it: `token` in the
  /// query, a `Bearer` header, or the password of a `Basic` one.
  static func anywhere(in exchange: Exchange) throws -> AccessTokenSecret {
    if let secret = exchange.query["token"].flatMap({ self.secret($0) }) { return secret }
    if let header = exchange.request.headers[.authorization],
      let secret = bearer(header) ?? basic(header)
    {
      return secret
    }
    throw Failure.unauthenticated(
      "send an access token, as Bearer, as Basic password or as token in the query")
  }

  /// The password of a `Basic` header (RFC 7617), or its user where the password is empty.
  static func basic(_ header: String) -> AccessTokenSecret? {
    let words = header.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "basic",
      let bytes = Base64.decode(words[1].trimmed),
      let text = String(validating: bytes, as: UTF8.self),
      let colon = text.firstIndex(of: ":")
    else { return nil }
    let password = text[text.index(after: colon)...]
    return secret(String(password.isEmpty ? text[..<colon] : password))
  }

  /// Longer ones are no tokens of the store, and not worth hashing. An identity provider's have
  /// their own limit, which is told.
  private static func secret(_ text: String) -> AccessTokenSecret? {
    (1...256).contains(text.utf8.count) || Issuer.hasTokenShape(text)
      ? AccessTokenSecret(text) : nil
  }
}

/// Base64 in both alphabets, with or without padding (RFC 4648 §4 and §5).
enum Base64 {
  /// In the alphabet of RFC 4648 §5, without padding.
  static func encodeURL(_ bytes: [UInt8]) -> String {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 & 0xffff | Int(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(alphabet[bits >> bitCount & 63])
      }
    }
    if bitCount > 0 { text.append(alphabet[bits << (6 - bitCount) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  static func decode(_ text: String) -> [UInt8]? {
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in text.utf8 {
      let value: UInt32
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte - UInt8(ascii: "A"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte - UInt8(ascii: "a")) + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte - UInt8(ascii: "0")) + 52
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      case UInt8(ascii: "="): continue
      default: return nil  // open: UInt8
      }
      bits = (bits << 6 | value) & 0xffff
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    return result
  }

  /// In the first alphabet, with padding.
  static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(
          place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
