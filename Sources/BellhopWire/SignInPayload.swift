package import BellhopModel

/// The codes and addresses of a device authorization (RFC 8628 §3.2).
package struct DeviceAuthorizationPayload: Hashable, Sendable, Codable {
  /// A secret between the device and the store.
  package var deviceCode: String
  /// The code that the user types on a device that is signed in: `BCDF-GHJK`.
  package var userCode: String
  package var verificationURI: String
  /// The same URI with the code in it, for a QR code.
  package var verificationURIComplete: String?
  package var expiresInSeconds: Int
  /// The time between two polls; five seconds if omitted.
  package var intervalSeconds: Int?

  package init(
    deviceCode: String, userCode: String, verificationURI: String,
    verificationURIComplete: String?, expiresInSeconds: Int, intervalSeconds: Int?
  ) {
    self.deviceCode = deviceCode
    self.userCode = userCode
    self.verificationURI = verificationURI
    self.verificationURIComplete = verificationURIComplete
    self.expiresInSeconds = expiresInSeconds
    self.intervalSeconds = intervalSeconds
  }

  private enum CodingKeys: String, CodingKey {
    case deviceCode = "device_code"
    case userCode = "user_code"
    case verificationURI = "verification_uri"
    case verificationURIComplete = "verification_uri_complete"
    case expiresInSeconds = "expires_in"
    case intervalSeconds = "interval"
  }
}

/// A new token (RFC 6749 §5.1). It is valid until it is revoked.
package struct AccessTokenPayload: Hashable, Sendable, Codable {
  package var accessToken: String
  package var tokenType: String
  package var scope: String
  /// The type of the issued token, after a token exchange (RFC 8693 §2.2.1).
  package var issuedTokenType: String?
  /// The user whose items the token gives access to.
  package var user: String
  /// The device that the token is bound to, if any.
  package var deviceID: DeviceID?

  package init(
    accessToken: String, scope: String, issuedTokenType: String?, user: String,
    deviceID: DeviceID?
  ) {
    self.accessToken = accessToken
    tokenType = "Bearer"
    self.scope = scope
    self.issuedTokenType = issuedTokenType
    self.user = user
    self.deviceID = deviceID
  }

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case scope
    case issuedTokenType = "issued_token_type"
    case user
    case deviceID = "device_id"
  }
}

/// OAuth's error body (RFC 6749 §5.2).
package struct OAuthErrorPayload: Hashable, Sendable, Codable {
  package var error: OAuthErrorCode
  package var description: String?

  package init(error: OAuthErrorCode, description: String?) {
    self.error = error
    self.description = description
  }

  private enum CodingKeys: String, CodingKey {
    case error
    case description = "error_description"
  }
}

/// The store's authorization server metadata (RFC 8414 §2; RFC 8628 §4).
package struct AuthorizationServerPayload: Hashable, Sendable, Codable {
  package var issuer: String
  package var deviceAuthorizationEndpoint: String
  package var tokenEndpoint: String
  package var grantTypes: [OAuthGrantType]
  /// Empty: the store has no authorization endpoint.
  package var responseTypes: [String]
  package var tokenEndpointAuthMethods: [String]
  package var scopes: [String]

  package init(base: String) {
    issuer = base
    deviceAuthorizationEndpoint = base + Route.deviceAuthorization.path
    tokenEndpoint = base + Route.token.path
    grantTypes = [.deviceCode, .tokenExchange]
    responseTypes = []
    tokenEndpointAuthMethods = ["none"]
    scopes = ["device"]
  }

  private enum CodingKeys: String, CodingKey {
    case issuer
    case deviceAuthorizationEndpoint = "device_authorization_endpoint"
    case tokenEndpoint = "token_endpoint"
    case grantTypes = "grant_types_supported"
    case responseTypes = "response_types_supported"
    case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
    case scopes = "scopes_supported"
  }
}

/// A device that waits to be signed in, as shown to the users who may approve it.
package struct DeviceGrantPayload: Hashable, Sendable, Codable {
  package enum State: String, Hashable, Sendable, Codable {
    case pending, approved, denied
  }

  package var userCode: String
  /// The name that the device claims. The store verified none of this.
  package var deviceName: String
  package var platform: String
  package var clientID: String
  /// The address that the request came from, as far as the store can determine.
  package var address: String
  package var requestedDateTime: Timestamp
  package var expirationDateTime: Timestamp
  package var state: State
  /// Whether a device with the same id is registered. It is signing in again, or pretending to.
  package var isKnownDevice: Bool

  package init(
    userCode: String, deviceName: String, platform: String, clientID: String, address: String,
    requestedDateTime: Timestamp, expirationDateTime: Timestamp, state: State,
    isKnownDevice: Bool
  ) {
    self.userCode = userCode
    self.deviceName = deviceName
    self.platform = platform
    self.clientID = clientID
    self.address = address
    self.requestedDateTime = requestedDateTime
    self.expirationDateTime = expirationDateTime
    self.state = state
    self.isKnownDevice = isKnownDevice
  }

  private enum CodingKeys: String, CodingKey {
    case userCode, deviceName, platform
    case clientID = "clientId"
    case address, requestedDateTime, expirationDateTime, state, isKnownDevice
  }
}

/// The user's decision on a device that waits to be signed in.
package struct DeviceGrantDecisionPayload: Hashable, Sendable, Codable {
  package enum Decision: String, Hashable, Sendable, Codable {
    case approve, deny
  }

  package var decision: Decision

  package init(_ decision: Decision) { self.decision = decision }
}
