/// Which tokens of an identity provider are accepted, and what they mean. Every value can be
/// configured.
package struct IssuerRules: Hashable, Sendable {
  /// The issuer's address: the `iss` of its tokens, byte for byte.
  package var issuer: String
  /// One of these must be among a token's `aud`.
  package var audiences: [String]
  /// The `azp` or `client_id` of a token must be one of these; empty for any.
  package var clients: [String] = []
  /// The id under which the issuer knows `bellhop`; told to clients that sign in.
  package var bellhopClient: String?
  /// The scopes that `bellhop` asks for; nil for `openid` and ``deviceScope``. Some providers give
  /// tokens that can be renewed only with `offline_access`.
  package var bellhopScope: String?
  /// What `bellhop` names as the resource it wants a token for (RFC 8707), where that is needed.
  package var resource: String?
  /// The claim that names the store's user. The subject is nobody else's for ever; a name that the
  /// provider lets people choose or gives away again is less.
  package var userClaim = "sub"
  /// Whether users whom the store does not know are added at their first sign-in.
  package var addsUsers = false
  /// The claims that hold scopes; the first one that is there counts.
  package var scopeClaims = ["scope", "scp"]
  /// The scope that lets a device in.
  package var deviceScope = "bellhop.device"
  /// The scope that lets a publisher in; with `:APP` behind it, for that app.
  package var publishScope = "bellhop.publish"
  /// The claim that names the app a publisher may publish for: `nas`, `ci.*` or `*`.
  package var appClaim = "bellhop_app"
  /// The claim that tells sign-ins of one person apart, where there is one.
  package var sessionClaim = "sid"
  package var algorithms: Set<SigningAlgorithm> = [.rs256, .ps256, .es256, .es384, .edDSA]
  /// How far the provider's clock and the store's may be apart.
  package var leeway = Duration.seconds(60)
  package var tokenBytesMax = 8 * 1024

  package init(issuer: String, audiences: [String]) {
    self.issuer = issuer
    self.audiences = audiences
  }
}
