internal import BellhopIdentity
package import BellhopModel
package import BellhopStore
internal import HTTPTypes
package import Hummingbird

/// An HTTP interface: the way requests carry tokens, and the format of errors.
package protocol Dialect: Sendable {
  /// Returns the access token of the request.
  ///
  /// - Throws: ``RequestError`` when the request has no token that the dialect understands.
  func secret(in exchange: Exchange) throws -> AccessTokenSecret

  /// Returns the caller of the request.
  ///
  /// - Throws: ``RequestError`` or `StoreError` for a caller who is not admitted.
  func principal(in exchange: Exchange) async throws -> Principal

  /// Returns the response to a request that failed.
  func response(to failure: RequestError, requestID: String, date: Timestamp) -> Response
}

extension Dialect {
  package func principal(in exchange: Exchange) async throws -> Principal {
    try await exchange.principal(of: secret(in: exchange))
  }
}

/// Parsing of the header that carries credentials.
package enum Credentials {
  /// Returns the token of a `Bearer` header.
  package static func bearer(_ header: String) -> AccessTokenSecret? {
    let words = header.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    return secret(words[1].trimmed)
  }

  /// Returns the token from any of the places where publishers of the usual services put it.
  ///
  /// These are `token` in the query, a `Bearer` header, and the password of a `Basic` header.
  package static func anywhere(in exchange: Exchange) throws -> AccessTokenSecret {
    if let secret = exchange.query["token"].flatMap({ self.secret($0) }) { return secret }
    if let header = exchange.request.headers[.authorization],
      let secret = bearer(header) ?? basic(header)
    {
      return secret
    }
    throw RequestError.unauthenticated(
      "send an access token as Bearer token, Basic password or query parameter token")
  }

  /// Returns the password of a `Basic` header (RFC 7617), or its user without a password.
  package static func basic(_ header: String) -> AccessTokenSecret? {
    let words = header.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "basic",
      let bytes = Base64.decodeLeniently(words[1].trimmed),
      let text = String(validating: bytes, as: UTF8.self),
      let colon = text.firstIndex(of: ":")
    else { return nil }
    let password = text[text.index(after: colon)...]
    return secret(String(password.isEmpty ? text[..<colon] : password))
  }

  /// Returns the text as a token; nil if it is empty or too long for one.
  ///
  /// A text that is longer than the store's tokens is not worth hashing. Tokens of an identity
  /// provider have a limit of their own, whose error the caller receives.
  private static func secret(_ text: String) -> AccessTokenSecret? {
    (1...256).contains(text.utf8.count) || Issuer.hasTokenShape(text)
      ? AccessTokenSecret(text) : nil
  }
}
