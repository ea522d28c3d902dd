package import BellhopWire
import NIOHTTP1

extension HTTPTransport {
  /// Makes a publish token for the account's user. Its secret is in the answer and nowhere else.
  package func createToken(
    _ request: UserTokenRequestPayload
  ) async throws(TransportError) -> UserTokenPayload {
    try await exchange(UserTokenPayload.self, .POST, .accessTokens, body: try Self.encoded(request))
  }

  /// The user's tokens that were not revoked.
  package func tokens() async throws(TransportError) -> [UserTokenPayload] {
    try await exchange(UserTokenListPayload.self, .GET, .accessTokens).value
  }

  /// Revokes a token for good.
  package func revokeToken(_ id: String) async throws(TransportError) {
    try await perform(.DELETE, .accessToken(id))
  }
}
