public import BellhopModel

/// A machine-readable reason of OAuth's endpoints.
public struct OAuthErrorCode: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  // RFC 6749 §5.2
  public static let invalidRequest = OAuthErrorCode("invalid_request")
  public static let invalidClient = OAuthErrorCode("invalid_client")
  public static let invalidGrant = OAuthErrorCode("invalid_grant")
  public static let invalidScope = OAuthErrorCode("invalid_scope")
  public static let unsupportedGrantType = OAuthErrorCode("unsupported_grant_type")
  // RFC 8628 §3.5
  /// Nobody has decided yet.
  public static let authorizationPending = OAuthErrorCode("authorization_pending")
  /// As pending, and the interval is five seconds longer from now on.
  public static let slowDown = OAuthErrorCode("slow_down")
  public static let accessDenied = OAuthErrorCode("access_denied")
  public static let expiredToken = OAuthErrorCode("expired_token")
  // RFC 6749 §4.1.2.1, with the statuses 429, 500 and 503 here
  public static let temporarilyUnavailable = OAuthErrorCode("temporarily_unavailable")
  public static let serverError = OAuthErrorCode("server_error")
}

/// How a token is asked for at the token endpoint.
public struct OAuthGrantType: StringIdentifier {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// With a device code (RFC 8628 §3.4).
  public static let deviceCode = OAuthGrantType("urn:ietf:params:oauth:grant-type:device_code")
  /// With a refresh token (RFC 6749 §6); at an identity provider only.
  public static let refreshToken = OAuthGrantType("refresh_token")
  /// With an enrol token (RFC 8693 §2.1).
  public static let tokenExchange = OAuthGrantType(
    "urn:ietf:params:oauth:grant-type:token-exchange")

  /// The kind of token that is exchanged (RFC 8693 §3).
  public static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
}

/// The parameters of OAuth's endpoints.
public enum OAuthParameter {
  public static let clientID = "client_id"
  public static let scope = "scope"
  public static let grantType = "grant_type"
  public static let deviceCode = "device_code"
  public static let refreshToken = "refresh_token"
  /// RFC 8707 §2.
  public static let resource = "resource"
  public static let subjectToken = "subject_token"
  public static let subjectTokenType = "subject_token_type"
  // The store's own: what the new device is to be registered as.
  public static let deviceID = "device_id"
  public static let deviceName = "device_name"
  public static let devicePlatform = "device_platform"
  public static let deviceChannel = "device_channel"
}

/// The clients that sign in here.
public enum OAuthClient {
  /// `bellhop` itself; a public client without a secret (RFC 6749 §2.1).
  public static let bellhop = "bellhop"
}
