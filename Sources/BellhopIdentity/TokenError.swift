/// The reason why an identity provider's token is refused. The texts come from this module, never
/// from the token, so they are safe to show and to log.
package enum TokenError: Error, Hashable, Sendable {
  /// The token is not valid; a new one may be (RFC 6750 §3.1: `invalid_token`).
  case invalid(String)
  /// The token is valid but lacks the required scope (RFC 6750 §3.1: `insufficient_scope`).
  case insufficient(String)
  /// The provider's keys are unknown and cannot be fetched now. The token may be valid.
  case providerUnavailable(String)
}
