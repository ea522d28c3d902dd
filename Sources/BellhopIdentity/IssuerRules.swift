/// Which tokens of an identity provider are accepted, and what they mean. Every value can be
/// configured.
public struct IssuerRules: Hashable, Sendable {
  /// The issuer's address: the `iss` of its tokens, byte for byte.
  public var issuer: String
  /// One of these must be among a token's `aud`.
  public var audiences: [String]
  /// The `azp` or `client_id` of a token must be one of these; empty for any.
  public var clients: [String] = []
  /// The id under which the issuer knows `bellhop`; told to clients that sign in.
  public var bellhopClient: String?
  /// The scopes that `bellhop` asks for; nil for `openid` and ``deviceScope``. Some providers give
  /// tokens that can be renewed only with `offline_access`.
  public var bellhopScope: String?
  /// What `bellhop` names as the resource it wants a token for (RFC 8707), where that is needed.
  public var resource: String?
  /// The claim that names the store's user. The subject is nobody else's for ever; a name that the
  /// provider lets people choose or gives away again is less.
  public var userClaim = "sub"
  /// Whether users whom the store does not know are added at their first sign-in.
  public var addsUsers = false
  /// The claims that hold scopes; the first one that is there counts.
  public var scopeClaims = ["scope", "scp"]
  /// The scope that lets a device in.
  public var deviceScope = "bellhop.device"
  /// The scope that lets a publisher in; with `:APP` behind it, for that app.
  public var publishScope = "bellhop.publish"
  /// The claim that names the app a publisher may publish for: `nas`, `ci.*` or `*`.
  public var appClaim = "bellhop_app"
  /// The claim that tells sign-ins of one person apart, where there is one.
  public var sessionClaim = "sid"
  public var algorithms: Set<SigningAlgorithm> = [.rs256, .ps256, .es256, .es384, .edDSA]
  /// How far the provider's clock and the store's may be apart.
  public var leeway = Duration.seconds(60)
  public var tokenBytesMax = 8 * 1024

  public init(issuer: String, audiences: [String]) {
    self.issuer = issuer
    self.audiences = audiences
  }
}
