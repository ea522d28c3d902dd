internal import BellhopWire

extension Schemas {
  static let signIn: [String: JSONValue] = [
    "DeviceGrant": closed(
      [
        "userCode", "deviceName", "platform", "clientId", "address", "requestedDateTime",
        "expirationDateTime", "state", "isKnownDevice",
      ],
      [
        "userCode": text, "deviceName": text, "platform": text, "clientId": text,
        "address": text, "requestedDateTime": time, "expirationDateTime": time,
        "state": words("pending", "approved", "denied"), "isKnownDevice": bool,
      ]),
    "DeviceGrantDecision": open(["decision"], ["decision": words("approve", "deny")]),
    "DeviceAuthorization": closed(
      [
        "device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in",
        "interval",
      ],
      [
        "device_code": text, "user_code": text, "verification_uri": text,
        "verification_uri_complete": text, "expires_in": count, "interval": count,
      ]),
    "AccessToken": closed(
      ["access_token", "token_type", "scope", "user"],
      [
        "access_token": text, "token_type": words("Bearer"), "scope": text,
        "issued_token_type": text, "user": text, "device_id": text,
      ]),
    "OAuthError": closed(["error"], ["error": text, "error_description": text]),
    "AuthorizationServer": closed(
      [
        "issuer", "device_authorization_endpoint", "token_endpoint", "grant_types_supported",
        "response_types_supported", "token_endpoint_auth_methods_supported", "scopes_supported",
      ],
      [
        "issuer": text, "device_authorization_endpoint": text, "token_endpoint": text,
        "grant_types_supported": list(text), "response_types_supported": list(text),
        "token_endpoint_auth_methods_supported": list(text), "scopes_supported": list(text),
      ]),
    "DeviceAuthorizationForm": open(
      ["client_id"],
      [
        "client_id": text, "scope": words("device"), "device_id": limited(128),
        "device_name": named(limited(256)), "device_platform": named(limited(64)),
        "device_channel": words("signal", "polling"), "device_environment": environment,
      ]),
    "TokenForm": open(
      ["grant_type", "client_id"],
      [
        "grant_type": text, "client_id": text, "device_code": text, "subject_token": text,
        "subject_token_type": text, "device_id": limited(128),
        "device_name": named(limited(256)), "device_platform": named(limited(64)),
        "device_channel": words("signal", "polling"), "device_environment": environment,
      ]),
  ]

  /// Returns the content of a form.
  static func form(_ name: String) -> OperationDescription.Content {
    .init(mediaType: FormCoding.contentType, schema: reference(name))
  }

  /// Returns the refusals of OAuth's endpoints, in OAuth's format.
  static func oauthRefusals(_ text: String) -> [OperationDescription.Answer] {
    [
      .init(400, text, .json("OAuthError")),
      .init(401, "The client is unknown.", .json("OAuthError")),
      .init(413, "The form is too large.", .json("OAuthError")),
      .init(415, "The encoding of the body is not supported.", .json("OAuthError")),
      .init(429, "Too many requests.", .json("OAuthError"), headers: ["Retry-After"]),
      .init(503, "The store cannot answer now.", .json("OAuthError"), headers: ["Retry-After"]),
      .init(507, "The store's disk is full.", .json("OAuthError")),
    ]
  }
}
