package import BellhopWire
import NIOHTTP1

extension HTTPTransport {
  /// Creates a publish token for the account's user. Only this answer contains its secret.
  package func createToken(
    _ request: UserTokenRequestPayload
  ) async throws(TransportError) -> UserTokenPayload {
    try await exchange(UserTokenPayload.self, .POST, .accessTokens, body: try Self.encoded(request))
  }

  /// Returns the user's tokens that are not revoked.
  package func tokens() async throws(TransportError) -> [UserTokenPayload] {
    try await exchange(UserTokenListPayload.self, .GET, .accessTokens).value
  }

  /// Revokes a token permanently.
  package func revokeToken(_ id: String) async throws(TransportError) {
    try await perform(.DELETE, .accessToken(id))
  }
}
