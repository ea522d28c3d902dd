package import BellhopModel
internal import Crypto

/// A sign-in that an identity provider vouches for, in the store's own terms.
///
/// Its creator must have verified the provider's token.
package struct ExternalSignIn: Hashable, Sendable {
  /// The rights that a sign-in grants.
  package enum Right: Hashable, Sendable {
    /// The right to read and change the user's store, for one device.
    case device
    /// The right to publish.
    case publish(AppPattern)
  }

  package var issuer: String
  /// The issuer's identifier of the user, which is never reassigned.
  package var subject: String
  /// The user's name according to the issuer.
  package var userName: String
  /// The client at the issuer for which the token was made; empty if the issuer does not specify
  /// it.
  package var client: String
  /// The session that distinguishes sign-ins of one subject and client, if the issuer provides it.
  package var session: String?
  /// The device on whose behalf the request is made.
  package var device: DeviceID?
  package var right: Right
  /// The time at which the token was issued.
  package var issued: Timestamp
  /// The time of the user's last authentication, if the issuer provides it. Renewing a token does
  /// not change it.
  package var authenticated: Timestamp?
  /// Whether a user unknown to the store is added.
  package var addsUser: Bool

  package init(
    issuer: String, subject: String, userName: String, client: String, session: String?,
    device: DeviceID?, right: Right, issued: Timestamp, authenticated: Timestamp?,
    addsUser: Bool
  ) {
    self.issuer = issuer
    self.subject = subject
    self.userName = userName
    self.client = client
    self.session = session
    self.device = device
    self.right = right
    self.issued = issued
    self.authenticated = authenticated
    self.addsUser = addsUser
  }

  /// Returns the hash that identifies the sign-in's access token, in place of a secret's hash.
  ///
  /// No secret has this hash: its text is UTF-8, and the first byte here never occurs in UTF-8.
  func hash(for user: UserID) -> [UInt8] {
    let isDevice = right == .device
    var bytes: [UInt8] = [0xff]
    let fields: [String?] = [
      String(user.rawValue), issuer, subject, client, isDevice ? "device" : "publish",
      isDevice ? session : nil, isDevice ? device?.rawValue : nil,
    ]
    for field in fields {
      bytes.append(field == nil ? 0 : 1)
      let text = Array((field ?? "").utf8)
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (24 - 8 * $0)) } + text
    }
    return Array(SHA256.hash(data: bytes))
  }

  /// Returns the name for its access token, in printable ASCII.
  func name(bytesMax: Int) -> String {
    let host = issuer.split(separator: "/").dropFirst().first ?? ""
    let text = (client.isEmpty ? "sign-in" : client) + " at " + host
    let bytes = text.utf8.prefix(bytesMax).map { (0x20...0x7e).contains($0) ? $0 : 0x3f }
    return String(decoding: bytes, as: UTF8.self)
  }
}
