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
  ///   - forwarded: `X-Forwarded-For`. Each proxy appends the address that it saw, so it is read
  ///     from its end, as far as its authors are trusted.
  init(peer: String?, forwarded: [String], proxies: ReverseProxies) {
    var address = peer.flatMap { IPAddress($0) }
    if peer == nil || (address != nil && proxies.isTrusted(address)) {
      for text in forwarded.joined(separator: ",").split(separator: ",").reversed() {
        guard let earlier = IPAddress(text.trimmed) else { break }
        address = earlier
        guard proxies.isTrusted(earlier) else { break }
      }
    }
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

  static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
