internal import BellhopModel

/// A machine-readable error code of OAuth's endpoints.
package struct OAuthErrorCode: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  // RFC 6749 §5.2
  package static let invalidRequest = OAuthErrorCode("invalid_request")
  package static let invalidClient = OAuthErrorCode("invalid_client")
  package static let invalidGrant = OAuthErrorCode("invalid_grant")
  package static let invalidScope = OAuthErrorCode("invalid_scope")
  package static let unsupportedGrantType = OAuthErrorCode("unsupported_grant_type")
  // RFC 8628 §3.5
  /// The user has not decided yet.
  package static let authorizationPending = OAuthErrorCode("authorization_pending")
  /// The user has not decided yet, and the polling interval grows by five seconds.
  package static let slowDown = OAuthErrorCode("slow_down")
  package static let accessDenied = OAuthErrorCode("access_denied")
  package static let expiredToken = OAuthErrorCode("expired_token")
  // RFC 6749 §4.1.2.1, with the statuses 429, 500 and 503 here
  package static let temporarilyUnavailable = OAuthErrorCode("temporarily_unavailable")
  package static let serverError = OAuthErrorCode("server_error")
}

/// The way a client requests a token at the token endpoint.
package struct OAuthGrantType: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  /// A device code (RFC 8628 §3.4).
  package static let deviceCode = OAuthGrantType("urn:ietf:params:oauth:grant-type:device_code")
  /// A refresh token (RFC 6749 §6); only at an identity provider.
  package static let refreshToken = OAuthGrantType("refresh_token")
  /// A token exchange, with an enrol token (RFC 8693 §2.1).
  package static let tokenExchange = OAuthGrantType(
    "urn:ietf:params:oauth:grant-type:token-exchange")

  /// The type of the exchanged token (RFC 8693 §3).
  package static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
}

/// The parameters of OAuth's endpoints.
package enum OAuthParameter {
  package static let clientID = "client_id"
  package static let scope = "scope"
  package static let grantType = "grant_type"
  package static let deviceCode = "device_code"
  package static let refreshToken = "refresh_token"
  /// The resource that the token is requested for (RFC 8707 §2).
  package static let resource = "resource"
  package static let subjectToken = "subject_token"
  package static let subjectTokenType = "subject_token_type"
  // The store's own parameters: the registration of the new device.
  package static let deviceID = "device_id"
  package static let deviceName = "device_name"
  package static let devicePlatform = "device_platform"
  package static let deviceChannel = "device_channel"
  package static let deviceEnvironment = "device_environment"
}

/// The OAuth clients of a store.
package enum OAuthClient {
  /// `bellhop` itself, a public client without a secret (RFC 6749 §2.1).
  package static let bellhop = "bellhop"
}
