package import BellhopModel
package import BellhopStore

/// An identity provider whose tokens are accepted.
///
/// It verifies tokens and translates them into sign-ins at the store.
package final class Issuer: Sendable {
  package let rules: IssuerRules
  private let keys: IssuerKeys

  /// Creates an issuer that has not contacted its provider yet.
  ///
  /// - Parameters:
  ///   - uptime: a clock that does not step.
  ///   - report: called once for each failed attempt to reach the provider.
  package init(
    _ rules: IssuerRules, policy: KeyCachePolicy = KeyCachePolicy(),
    fetching: any ProviderFetching, uptime: @escaping @Sendable () -> Duration,
    report: @escaping @Sendable (ProviderError) -> Void = { _ in }
  ) {
    self.rules = rules
    keys = IssuerKeys(
      issuer: rules.issuer, policy: policy, fetching: fetching, uptime: uptime, report: report)
  }

  /// Whether the text has the shape of an identity provider's token, not of a store token.
  package static func hasTokenShape(_ text: String) -> Bool { JSONWebToken.hasShape(text) }

  /// Verifies a token and returns the sign-in that it stands for.
  ///
  /// Everything is checked except whether the store knows the user. Cheap checks come first: the
  /// provider's keys are not requested for a token that would be refused anyway.
  ///
  /// - Parameters:
  ///   - device: the device that the request names.
  ///   - now: the store's time.
  /// - Throws: ``TokenError``.
  package func signIn(
    _ text: String, device: DeviceID?, at now: Timestamp
  ) async throws(TokenError) -> ExternalSignIn {
    let token = try JSONWebToken(text, bytesMax: rules.tokenBytesMax)
    let algorithm = try rules.check(token.header)
    try rules.check(token, at: now)
    let keys = try await keys.keys(for: token.header.keyID)
    let candidates = keys.candidates(keyID: token.header.keyID, algorithm)
    guard !candidates.isEmpty else { throw .invalid("the token's key is not the issuer's") }
    // A token without a key id must match exactly one key (OpenID Connect Core 1.0 §10.1): each
    // attempt costs time, and anyone can send a token.
    guard token.header.keyID != nil || candidates.count == 1 else {
      throw .invalid("the token has no key id (kid), and its issuer has several keys")
    }
    let isSigned = candidates.prefix(Self.triesMax).contains { key in
      key.accepts(token.signature, over: token.signedBytes, by: algorithm)
    }
    guard isSigned else { throw .invalid("the token's signature is not valid") }
    return try rules.signIn(token, device: device)
  }

  /// The maximum number of keys with one id that are tried. Key ids are unique unless the issuer
  /// makes a mistake.
  private static let triesMax = 2
}
