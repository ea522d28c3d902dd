/// The rules for accepting and interpreting an identity provider's tokens. Every value can be
/// configured.
package struct IssuerRules: Hashable, Sendable {
  /// The issuer's address: the `iss` of its tokens, compared byte for byte.
  package var issuer: String
  /// The accepted audiences. A token's `aud` must contain at least one of them.
  package var audiences: [String]
  /// The accepted clients, matched against a token's `azp` or `client_id`; empty for any.
  package var clients: [String] = []
  /// The client id of `bellhop` at the issuer, which clients receive when they sign in.
  package var bellhopClient: String?
  /// The scopes that `bellhop` requests; nil for `openid` and ``deviceScope``. Some providers issue
  /// renewable tokens only with `offline_access`.
  package var bellhopScope: String?
  /// The resource that `bellhop` requests a token for (RFC 8707), where the provider requires it.
  package var resource: String?
  /// The claim that names the store's user. A subject is never reassigned. A name that users can
  /// choose, or that the provider can reassign, is less safe.
  package var userClaim = "sub"
  /// Whether a user unknown to the store is added at the first sign-in.
  package var addsUsers = false
  /// The claims that contain scopes; the first one present counts.
  package var scopeClaims = ["scope", "scp"]
  /// The scope that admits a device.
  package var deviceScope = "bellhop.device"
  /// The scope that admits a publisher; followed by `:APP`, it admits the publisher for that app.
  package var publishScope = "bellhop.publish"
  /// The claim that names the app a publisher may publish for: `nas`, `ci.*` or `*`.
  package var appClaim = "bellhop_app"
  /// The claim that distinguishes several sign-ins of one user, if the token has it.
  package var sessionClaim = "sid"
  package var algorithms: Set<SigningAlgorithm> = [.rs256, .ps256, .es256, .es384, .edDSA]
  /// The tolerated difference between the provider's clock and the store's.
  package var leeway = Duration.seconds(60)
  package var tokenBytesMax = 8 * 1024

  package init(issuer: String, audiences: [String]) {
    self.issuer = issuer
    self.audiences = audiences
  }
}
