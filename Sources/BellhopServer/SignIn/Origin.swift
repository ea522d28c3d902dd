internal import BellhopModel
internal import HTTPTypes
internal import Hummingbird

/// The origin of a request, as far as the store can determine.
struct Origin: Hashable, Sendable {
  /// An IP address or `this machine`, for display.
  let text: String
  /// The network by which its requests are counted.
  let network: ClientNetwork

  /// - Parameters:
  ///   - peer: The other end of the connection; nil for a Unix socket.
  ///   - forwarded: The fields `X-Forwarded-For`, which only trusted proxies may send.
  init(peer: String?, forwarded: [String], proxies: TrustedProxies) {
    let address = proxies.client(behind: TrustedProxies.Peer(peer), forwarded: forwarded)
    network = ClientNetwork(address)
    text = network == ClientNetwork(nil) ? "this machine" : address?.description ?? "this machine"
  }
}

extension Exchange {
  /// The origin of the request.
  var origin: Origin {
    Origin(
      peer: peer, forwarded: request.headers[values: Self.forwardedFor],
      proxies: server.activity.proxies)
  }

  /// Whether the client uses TLS, as far as the store or a trusted proxy knows.
  var isSecure: Bool {
    isEncrypted
      || server.activity.proxies.reportsTLS(
        behind: TrustedProxies.Peer(peer), forwarded: request.headers[values: Self.forwardedProto])
  }

  static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
  static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
}
