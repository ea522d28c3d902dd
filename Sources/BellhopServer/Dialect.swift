internal import BellhopIdentity
package import BellhopModel
package import BellhopStore
internal import HTTPTypes
package import Hummingbird

/// An HTTP interface: how requests carry tokens, and how errors are shaped.
package protocol Dialect: Sendable {
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
  package func principal(in exchange: Exchange) async throws -> Principal {
    try await exchange.principal(of: secret(in: exchange))
  }
}

/// The header that carries credentials, taken apart.
package enum Credentials {
  /// The token of a `Bearer` header.
  package static func bearer(_ header: String) -> AccessTokenSecret? {
    let words = header.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    return secret(words[1].trimmed)
  }

  /// The token in any of the places where publishers of the usual services put it: `token` in the
  /// query, a `Bearer` header, or the password of a `Basic` one.
  package static func anywhere(in exchange: Exchange) throws -> AccessTokenSecret {
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

  /// Longer ones are no tokens of the store, and not worth hashing. An identity provider's have
  /// their own limit, which is told.
  private static func secret(_ text: String) -> AccessTokenSecret? {
    (1...256).contains(text.utf8.count) || Issuer.hasTokenShape(text)
      ? AccessTokenSecret(text) : nil
  }
}
