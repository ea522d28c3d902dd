package import BellhopModel
package import BellhopStore

/// An identity provider whose tokens are accepted: checks them and says what they mean to the
/// store.
package final class Issuer: Sendable {
  package let rules: IssuerRules
  private let keys: IssuerKeys

  /// An issuer that has not been asked anything yet.
  ///
  /// - Parameters:
  ///   - uptime: a clock that does not step.
  ///   - report: called when the provider can't be asked; once for each try.
  package init(
    _ rules: IssuerRules, policy: KeyCachePolicy = KeyCachePolicy(),
    fetching: any ProviderFetching, uptime: @escaping @Sendable () -> Duration,
    report: @escaping @Sendable (ProviderFailure) -> Void = { _ in }
  ) {
    self.rules = rules
    keys = IssuerKeys(
      issuer: rules.issuer, policy: policy, fetching: fetching, uptime: uptime, report: report)
  }

  /// Whether the text is the token of an identity provider and none of the store's own.
  package static func hasTokenShape(_ text: String) -> Bool { JSONWebToken.hasShape(text) }

  /// The sign-in that a token stands for, checked in everything but whether the store knows the
  /// user.
  ///
  /// What costs nothing is checked first: the provider is not asked for the keys of a token that
  /// would be refused anyway.
  ///
  /// - Parameters:
  ///   - device: the device that the request names.
  ///   - now: the store's time.
  /// - Throws: ``TokenRefusal``.
  package func signIn(
    _ text: String, device: DeviceID?, at now: Timestamp
  ) async throws(TokenRefusal) -> ExternalSignIn {
    let token = try JSONWebToken(text, bytesMax: rules.tokenBytesMax)
    let algorithm = try rules.check(token.header)
    try rules.check(token, at: now)
    let keys = try await keys.keys(for: token.header.keyID)
    let candidates = keys.candidates(keyID: token.header.keyID, algorithm)
    guard !candidates.isEmpty else { throw .invalid("the token's key is not the issuer's") }
    // A key that is not named must be the only one (OpenID Connect Core 1.0 §10.1): each try costs
    // time, and anybody can send a token.
    guard token.header.keyID != nil || candidates.count == 1 else {
      throw .invalid("the token names no key (kid), and its issuer has several")
    }
    let isSigned = candidates.prefix(Self.triesMax).contains { key in
      key.accepts(token.signature, over: token.signedBytes, by: algorithm)
    }
    guard isSigned else { throw .invalid("the token's signature is wrong") }
    return try rules.signIn(token, device: device)
  }

  /// Keys of one name that are tried. A key has a name of its own but for mistakes of the issuer.
  private static let triesMax = 2
}
