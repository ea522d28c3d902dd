internal import BellhopModel
internal import BellhopStore

extension IssuerRules {
  /// The accepted values of a token's `typ`. Other types, such as logout tokens, serve other
  /// purposes with the same keys (RFC 8725 §3.11).
  private static let types: Set<String> = ["jwt", "at+jwt", "application/at+jwt"]

  /// - Returns: the algorithm, which is one of the configured ones.
  func check(_ header: JSONWebToken.Header) throws(TokenError) -> SigningAlgorithm {
    guard let algorithm = SigningAlgorithm(named: header.algorithm),
      algorithms.contains(algorithm)
    else { throw .invalid("the token's algorithm is not accepted") }
    guard !header.hasCriticalExtensions else {
      throw .invalid("the token has extensions that are not supported")
    }
    if let type = header.type, !Self.types.contains(type.lowercased()) {
      throw .invalid("the token has another type")
    }
    if let id = header.keyID, id.utf8.count > 1024 { throw .invalid("the token is malformed") }
    return algorithm
  }

  /// Checks that the token is from this issuer, for this store and currently valid (RFC 7519 §4.1).
  func check(_ token: JSONWebToken, at now: Timestamp) throws(TokenError) {
    guard token.claims["iss"] == .text(issuer) else {
      throw .invalid("the token is from another issuer")
    }
    let audience = token.claims["aud"]?.elements ?? []
    guard audience.contains(where: audiences.contains) else {
      throw .invalid("the token is for another audience")
    }
    guard let expires = try token.time("exp") else {
      throw .invalid("the token has no expiry time")
    }
    guard now < expires.advanced(by: leeway) else { throw .invalid("the token has expired") }
    for name in ["nbf", "iat"] {
      if let time = try token.time(name), time > now.advanced(by: leeway) {
        throw .invalid("the token is not valid yet")
      }
    }
  }

  /// Translates a token with a verified signature into a sign-in at the store.
  func signIn(
    _ token: JSONWebToken, device: DeviceID?
  ) throws(TokenError) -> ExternalSignIn {
    let client = token.claims["azp"]?.text ?? token.claims["client_id"]?.text ?? ""
    guard clients.isEmpty || clients.contains(client) else {
      throw .invalid("the token is for another client")
    }
    guard let subject = token.claims["sub"]?.text, Self.isName(subject) else {
      throw .invalid("the token has no subject")
    }
    guard let user = token.claims[userClaim]?.text, Self.isName(user) else {
      throw .invalid("the token does not name a user")
    }
    let session = token.claims[sessionClaim]?.text
    guard session.map(Self.isName) != false, client.isEmpty || Self.isName(client) else {
      throw .invalid("the token is malformed")
    }
    let right = try right(token)
    return ExternalSignIn(
      issuer: issuer, subject: subject, userName: user, client: client, session: session,
      device: device, right: right, issued: try token.time("iat") ?? .distantPast,
      authenticated: try token.time("auth_time"), addsUser: addsUsers)
  }

  private func right(_ token: JSONWebToken) throws(TokenError) -> ExternalSignIn.Right {
    let scopes = scopeClaims.lazy.compactMap { token.claims[$0] }.first?.words ?? []
    if scopes.contains(deviceScope) { return .device }
    var apps = scopes.compactMap { scope in
      scope.hasPrefix(publishScope + ":") ? String(scope.dropFirst(publishScope.count + 1)) : nil
    }
    if scopes.contains(publishScope) { apps += token.claims[appClaim]?.elements ?? [] }
    guard !apps.isEmpty || scopes.contains(publishScope) else {
      throw .insufficient("the token has no scope for this store")
    }
    guard apps.count == 1, let app = AppPattern(apps[0]) else {
      throw .insufficient("the token must name exactly one app, or pattern, to publish for")
    }
    return .publish(app)
  }

  /// Whether the text has 1 to 255 bytes and no control characters. RFC 7519 and OpenID Connect
  /// Core §2 limit `sub` in the same way.
  private static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }
}
