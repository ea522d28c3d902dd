internal import BellhopModel
internal import BellhopStore
internal import BellhopWire

/// A JSON Web Token in its compact form (RFC 7515 §7.1, RFC 7519), parsed but not verified.
///
/// swift-crypto verifies signatures. jwt-kit 5.7.1 could replace only that step: its parser crashes
/// the process on a header with a number beyond `Int`, which any client can send. Its `verify`
/// ignores `crit` and `typ`, and tries another key when the named one is unknown.
struct JSONWebToken: Sendable {
  /// The header fields that the store reads. Keys and key addresses in the header are ignored.
  struct Header: Hashable, Sendable, Decodable {
    var algorithm: String
    var keyID: String?
    var type: String?
    /// Whether the header has extensions that must be understood; none is supported.
    var hasCriticalExtensions: Bool

    private enum CodingKeys: String, CodingKey {
      case algorithm = "alg"
      case keyID = "kid"
      case type = "typ"
      case critical = "crit"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      algorithm = try container.decode(String.self, forKey: .algorithm)
      keyID = try container.decodeIfPresent(String.self, forKey: .keyID)
      type = try container.decodeIfPresent(String.self, forKey: .type)
      hasCriticalExtensions = container.contains(.critical)
    }
  }

  let header: Header
  let claims: [String: ClaimValue]
  /// The bytes that the signature covers.
  let signedBytes: [UInt8]
  let signature: [UInt8]

  /// Whether the text has the shape of a token: three base64url parts separated by two dots.
  ///
  /// The store's own tokens contain no dots.
  static func hasShape(_ text: String) -> Bool {
    var dots = 0
    var isPartEmpty = true
    for byte in text.utf8 {
      if byte == UInt8(ascii: ".") {
        if isPartEmpty { return false }
        dots += 1
        isPartEmpty = true
      } else if Base64URL.contains(byte) {
        isPartEmpty = false
      } else {
        return false
      }
    }
    return dots == 2 && !isPartEmpty
  }

  /// - Throws: ``TokenError/invalid(_:)``.
  init(_ text: String, bytesMax: Int) throws(TokenError) {
    guard text.utf8.count <= bytesMax else { throw .invalid("the token is too long") }
    guard Self.hasShape(text) else { throw .invalid("the token is malformed") }
    let parts = text.split(separator: ".")
    guard let headerBytes = Base64URL.decode(String(parts[0])),
      let claimBytes = Base64URL.decode(String(parts[1])),
      let signature = Base64URL.decode(String(parts[2]))
    else { throw .invalid("the token is malformed") }
    do throws(WireError) {
      header = try WireJSON.decode(Header.self, from: headerBytes)
      claims = try WireJSON.decode([String: ClaimValue].self, from: claimBytes)
    } catch {
      throw .invalid("the token is malformed")
    }
    self.signature = signature
    signedBytes = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
  }

  /// Returns the time in a claim, or nil if the claim is missing.
  ///
  /// The value of the claim is in seconds since 1970, with optional fractions (RFC 7519 §2).
  ///
  /// - Throws: ``TokenError/invalid(_:)`` when the value is not a valid time.
  func time(_ name: String) throws(TokenError) -> Timestamp? {
    guard let value = claims[name] else { return nil }
    guard case .number(let seconds) = value, (0...Self.secondsMax).contains(seconds) else {
      throw .invalid("a time in the token is malformed")
    }
    return Timestamp(milliseconds: Int64(seconds * 1000))
  }

  /// The end of the year 9999.
  private static let secondsMax = 253_402_300_799.0
}
