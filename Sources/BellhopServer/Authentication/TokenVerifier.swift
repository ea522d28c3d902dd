internal import BellhopIdentity
package import BellhopModel
package import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// A verifier of bearer tokens of one kind.
protocol TokenVerifier: Sendable {
  /// Whether the text is a token of this kind, judged only by its format.
  func isMeant(by secret: AccessTokenSecret) -> Bool

  /// Returns the caller who presents the token.
  ///
  /// - Parameter device: The device that the request names, for tokens that are not bound to a
  ///   device.
  /// - Throws: `StoreError` or ``RequestError``.
  func principal(
    of secret: AccessTokenSecret, device: DeviceID?
  ) async throws -> Principal
}

/// The verifier of the store's own opaque tokens. It comes last, because it accepts any format.
struct StoreTokenVerifier: TokenVerifier {
  let store: StoreService

  func isMeant(by secret: AccessTokenSecret) -> Bool { true }

  func principal(of secret: AccessTokenSecret, device: DeviceID?) async throws -> Principal {
    try await store.authenticate(secret)
  }
}

/// The tokens of an identity provider.
struct IssuerTokenVerifier: TokenVerifier {
  let issuer: Issuer
  let store: StoreService

  func isMeant(by secret: AccessTokenSecret) -> Bool { Issuer.hasTokenShape(secret.text) }

  func principal(of secret: AccessTokenSecret, device: DeviceID?) async throws -> Principal {
    let signIn: ExternalSignIn
    do throws(TokenError) {
      signIn = try await issuer.signIn(secret.text, device: device, at: store.now)
    } catch {
      throw RequestError(error)
    }
    return try await store.authenticate(signIn)
  }
}

/// All verifiers of bearer tokens, each for its own kind.
struct TokenVerifiers: Sendable {
  let issuer: Issuer?
  let store: StoreService

  /// Returns the caller who presents the token.
  ///
  /// - Parameter device: The device that the request names.
  /// - Throws: `StoreError` or ``RequestError``.
  func principal(
    of secret: AccessTokenSecret, device: DeviceID?
  ) async throws -> Principal {
    if let issuer {
      let verifier = IssuerTokenVerifier(issuer: issuer, store: store)
      if verifier.isMeant(by: secret) {
        return try await verifier.principal(of: secret, device: device)
      }
    }
    return try await StoreTokenVerifier(store: store).principal(of: secret, device: device)
  }
}

extension Exchange {
  /// Returns the caller who presents the token.
  ///
  /// - Throws: `StoreError` or ``RequestError``.
  package func principal(of secret: AccessTokenSecret) async throws -> Principal {
    try await server.verifiers.principal(of: secret, device: namedDevice)
  }

  static let device = HTTPField.Name(DeviceHeader.name)!

  /// The device that the request claims to be from, which the store checks.
  package var namedDevice: DeviceID? {
    guard let text = request.headers[Self.device], (1...128).contains(text.utf8.count)
    else { return nil }
    return DeviceID(text)
  }
}

extension RequestError {
  /// Converts a refusal. The challenge explains it only in our own words (RFC 6750 §3).
  init(_ refusal: TokenError) {
    switch refusal {
    case .invalid(let reason):
      self = .unauthenticated(reason)
      headers[.wwwAuthenticate] =
        "Bearer error=\"invalid_token\", error_description=\"\(reason)\""
    case .insufficient(let reason):
      self = .forbidden(reason.sentence)
      headers[.wwwAuthenticate] =
        "Bearer error=\"insufficient_scope\", error_description=\"\(reason)\""
    case .providerUnavailable(let reason):
      self.init(
        .serviceUnavailable, .serviceNotAvailable,
        "The token cannot be checked now, because its identity provider does not answer. Try again "
          + "later.", headers: [.retryAfter: "30"])
      logDetail = reason
    }
  }
}
