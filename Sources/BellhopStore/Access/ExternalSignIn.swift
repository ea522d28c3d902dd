package import BellhopModel
internal import Crypto

/// A sign-in that an identity provider vouches for, in the store's own terms. Whoever makes one has
/// checked the provider's token.
package struct ExternalSignIn: Hashable, Sendable {
  /// What it allows.
  package enum Right: Hashable, Sendable {
    /// To read and change the user's store, for one device.
    case device
    /// To publish.
    case publish(AppPattern)
  }

  package var issuer: String
  /// Whom the issuer means by it: never anybody else.
  package var subject: String
  /// The user's name as the issuer tells it.
  package var userName: String
  /// The program at the issuer that the token was made for; empty when the issuer does not say.
  package var client: String
  /// Tells sign-ins of one subject and client apart, where the issuer says.
  package var session: String?
  /// The device that the request is made for.
  package var device: DeviceID?
  package var right: Right
  /// When the token was made.
  package var issued: Timestamp
  /// When the person last proved who they are, where the issuer says. Renewing a token leaves it.
  package var authenticated: Timestamp?
  /// Whether a user whom the store does not know is added.
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

  /// Under which the sign-in's access token is found, in the place of a secret's hash.
  ///
  /// No secret has this hash: its text is UTF-8, and here the first byte is one that UTF-8 never
  /// has.
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

  /// What to call its access token, in printable ASCII.
  func name(bytesMax: Int) -> String {
    let host = issuer.split(separator: "/").dropFirst().first ?? ""
    let text = (client.isEmpty ? "sign-in" : client) + " at " + host
    let bytes = text.utf8.prefix(bytesMax).map { (0x20...0x7e).contains($0) ? $0 : 0x3f }
    return String(decoding: bytes, as: UTF8.self)
  }
}
