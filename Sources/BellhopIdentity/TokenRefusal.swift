/// Why a token of an identity provider lets nobody in. The reasons are words of this module, never
/// of the token, so that they can be shown and logged.
package enum TokenRefusal: Error, Hashable, Sendable {
  /// The token does not hold; a new one may (RFC 6750 §3.1: `invalid_token`).
  case invalid(String)
  /// A good token without the scope that is asked for (RFC 6750 §3.1: `insufficient_scope`).
  case insufficient(String)
  /// The provider's keys are not known, and it can't be asked now. The token may be good.
  case providerUnavailable(String)
}
