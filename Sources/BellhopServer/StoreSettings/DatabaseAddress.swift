internal import BellhopModel

/// The address of a PostgreSQL database as an administrator writes it, without a secret.
///
/// The initialiser checks only its form, and that it contains no secret; libpq reads the rest. So
/// programs without libpq also refuse a secret, and never print it.
package struct DatabaseAddress: Hashable, Sendable, CustomStringConvertible {
  /// The reason why a text is not such an address.
  package enum Fault: Hashable, Sendable {
    /// It does not begin with `postgres://` or `postgresql://`, or is too long.
    case form
    /// It contains a password or another secret.
    case secret
  }

  package static let example = "postgres://db.example.com/bellhop"

  /// The address, which contains no secret.
  package let text: String

  package var description: String { text }

  /// The length of the longest address, far above one with many hosts.
  private static let bytesMax = 4096

  /// libpq's keywords whose values are secrets.
  private static let secretKeywords: Set<String> = [
    "password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key",
  ]

  /// Checks a text.
  ///
  /// - Returns: nil if the text is not an address, or contains a secret; see ``fault(in:)``.
  package init?(_ text: String) {
    guard Self.fault(in: text) == nil else { return nil }
    self.text = text
  }

  /// Returns the reason why a text is not an address without a secret; nil if it is one.
  package static func fault(in text: String) -> Fault? {
    let rest: Substring
    if text.hasPrefix("postgres://") {
      rest = text.dropFirst("postgres://".count)
    } else if text.hasPrefix("postgresql://") {
      rest = text.dropFirst("postgresql://".count)
    } else {
      // libpq's other form, whose password must not be repeated either.
      return text.contains("password") ? .secret : .form
    }
    // libpq ends the user's name and password at the first @ before a slash.
    let head = rest.prefix { $0 != "/" }
    if let at = head.firstIndex(of: "@"), head[..<at].contains(":") { return .secret }
    // An @ after a slash belongs to a password with a slash that was not escaped.
    let place = rest.prefix { $0 != "?" }
    if place.dropFirst(head.count).contains("@") { return .secret }
    let query = rest.dropFirst(place.count).dropFirst()
    for part in query.split(separator: "&") {
      let keyword = String(part.prefix { $0 != "=" })
      if secretKeywords.contains(unescaped(keyword).lowercased()) { return .secret }
    }
    return text.utf8.count <= bytesMax && !text.contains(where: \.isWhitespace) ? nil : .form
  }

  /// Replaces each `%` with two hexadecimal digits by the byte that it stands for.
  private static func unescaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
