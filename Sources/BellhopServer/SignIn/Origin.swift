internal import BellhopModel
internal import HTTPTypes
internal import Hummingbird

/// Where a request comes from, as far as the store can tell.
struct Origin: Hashable, Sendable {
  /// An IP address, or `this machine`; for people.
  let text: String
  /// The network that its requests are counted by.
  let network: ClientNetwork

  /// - Parameters:
  ///   - peer: the connection's other end; nil for a Unix socket.
  ///   - forwarded: `X-Forwarded-For`. Each proxy adds the address that it saw, so it is read from
  ///     its end, and only as far as those who wrote it are believed.
  init(peer: String?, forwarded: [String], proxies: ReverseProxies) {
    var address = peer.flatMap { IPAddress($0) }
    if peer == nil || (address != nil && proxies.isBelieved(address)) {
      for text in forwarded.joined(separator: ",").split(separator: ",").reversed() {
        guard let earlier = IPAddress(text.trimmed) else { break }
        address = earlier
        guard proxies.isBelieved(earlier) else { break }
      }
    }
    network = ClientNetwork(address)
    text = network == ClientNetwork(nil) ? "this machine" : address?.description ?? "this machine"
  }
}

extension Exchange {
  /// Where the request comes from.
  var origin: Origin {
    Origin(
      peer: peer, forwarded: request.headers[values: Self.forwardedFor],
      proxies: server.activity.proxies)
  }

  static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
