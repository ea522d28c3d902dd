package import BellhopWire
import NIOHTTP1

/// A device's access to its user's tokens at the store.
///
/// Guarantees of a call: the same as those of ``Transport``.
package protocol TokenManagement: Sendable {
  /// Creates a publish token for the account's user. Only this answer contains its secret.
  func createToken(
    _ request: UserTokenRequestPayload
  ) async throws(TransportError) -> UserTokenPayload

  /// Returns the user's tokens that are not revoked.
  func tokens() async throws(TransportError) -> [UserTokenPayload]

  /// Revokes a token permanently.
  func revokeToken(_ id: String) async throws(TransportError)
}

extension HTTPTransport: TokenManagement {
  package func createToken(
    _ request: UserTokenRequestPayload
  ) async throws(TransportError) -> UserTokenPayload {
    try await exchange(UserTokenPayload.self, .POST, .accessTokens, body: try Self.encoded(request))
  }

  package func tokens() async throws(TransportError) -> [UserTokenPayload] {
    try await exchange(UserTokenListPayload.self, .GET, .accessTokens).value
  }

  package func revokeToken(_ id: String) async throws(TransportError) {
    try await perform(.DELETE, .accessToken(id))
  }
}
