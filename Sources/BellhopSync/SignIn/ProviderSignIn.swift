package import BellhopModel

/// A device's sign-in at an identity provider. It is a secret, and prints as `<redacted>`.
package struct ProviderSignIn: Hashable, Sendable, Codable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  /// A provider's refusal to renew the sign-in.
  package enum Refusal: String, Hashable, Sendable, Codable {
    /// The refresh token is no longer valid (RFC 6749 §5.2, `invalid_grant`).
    case final
    /// The provider gave no reason, so that it may be asked again.
    case unclear
  }

  package var issuer: String
  package var clientID: String
  /// The endpoint that renews tokens.
  package var tokenEndpoint: String
  /// The resource (RFC 8707) that tokens are requested for, if the provider needs it.
  package var resource: String?
  package var accessToken: String
  /// The time of issue, by this machine's clock.
  package var issued: Timestamp
  /// The time of expiry, by this machine's clock; nil if the provider did not report it.
  package var expires: Timestamp?
  /// The refresh token; nil if the provider gave none, or no longer accepts it.
  package var refreshToken: String?
  /// The reason why the last renewal failed.
  package var refusal: Refusal?

  package init(
    issuer: String, clientID: String, tokenEndpoint: String, resource: String?,
    accessToken: String, issued: Timestamp, expires: Timestamp?, refreshToken: String?
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.tokenEndpoint = tokenEndpoint
    self.resource = resource
    self.accessToken = accessToken
    self.issued = issued
    self.expires = expires
    self.refreshToken = refreshToken
  }

  /// Creates a sign-in from the provider's answer after the user signed in.
  package init(
    issuer: String, clientID: String, tokenEndpoint: String, resource: String?,
    _ answer: ProviderTokenAnswer, at now: Timestamp
  ) {
    self.init(
      issuer: issuer, clientID: clientID, tokenEndpoint: tokenEndpoint, resource: resource,
      accessToken: answer.accessToken, issued: now, expires: answer.expires(from: now),
      refreshToken: answer.refreshToken)
  }

  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: []) }

  /// Returns whether only a new sign-in helps, as far as this device knows.
  package func isOver(at now: Timestamp) -> Bool {
    guard let expires, now >= expires else { return false }
    return refreshToken == nil || refusal != nil
  }

  /// Returns the sign-in with the provider's answer at `now`.
  func renewed(_ answer: ProviderTokenAnswer, at now: Timestamp) -> ProviderSignIn {
    var renewed = self
    renewed.accessToken = answer.accessToken
    renewed.issued = now
    renewed.expires = answer.expires(from: now)
    // Without a new refresh token, the old one stays valid (RFC 6749 §6).
    renewed.refreshToken = answer.refreshToken ?? refreshToken
    renewed.refusal = nil
    return renewed
  }

  /// Returns the sign-in after the provider refused to renew it.
  ///
  /// - Parameter end: The present time if the token is no longer valid, whatever its expiry was.
  func refused(_ refusal: Refusal, endedAt end: Timestamp?) -> ProviderSignIn {
    var refused = self
    refused.refusal = refusal
    if let end { refused.expires = expires.map { min($0, end) } ?? end }
    // A token that was refused for good is not sent again.
    if refusal == .final { refused.refreshToken = nil }
    return refused
  }
}

/// A successful answer of a provider's token endpoint (RFC 6749 §5.1).
package struct ProviderTokenAnswer: Sendable, Decodable {
  package var accessToken: String
  package var refreshToken: String?
  /// The lifetime in seconds; nil if the provider does not report it.
  package var life: Double?

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
    case tokenType = "token_type"
    case life = "expires_in"
  }

  /// The maximum size of a token. Longer tokens do not fit into a header.
  private static let bytesMax = 16 * 1024
  /// The longest lifetime of a token that is accepted, in seconds.
  private static let lifeLongest = 31_536_000.0

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    accessToken = try container.decode(String.self, forKey: .accessToken)
    refreshToken = try container.decodeIfPresent(String.self, forKey: .refreshToken)
    let type = try container.decodeIfPresent(String.self, forKey: .tokenType) ?? "bearer"
    guard type.lowercased() == "bearer", (1...Self.bytesMax).contains(accessToken.utf8.count),
      accessToken.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
      refreshToken.map({ (1...Self.bytesMax).contains($0.utf8.count) }) != false
    else {
      throw container.invalid(.accessToken, expected: "a bearer token")
    }
    // Some providers write the number as text.
    let number = try? container.decodeIfPresent(Double.self, forKey: .life)
    let text = try? container.decodeIfPresent(String.self, forKey: .life)
    life = number ?? text.flatMap { Double($0) }
  }

  func expires(from now: Timestamp) -> Timestamp? {
    guard let life, life > 0 else { return nil }
    return now.advanced(by: .seconds(min(life, Self.lifeLongest)))
  }
}
