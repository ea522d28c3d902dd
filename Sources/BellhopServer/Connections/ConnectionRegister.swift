internal import BellhopModel
internal import Synchronization

/// The open connections of all listeners except the admin socket.
final class ConnectionRegister: Sendable {
  /// The connection counts since the start.
  struct Figures: Hashable, Sendable {
    var open = 0
    var accepted = 0
    /// Connections closed at once because their network had reached its limit.
    var refused = 0
    /// Connections closed because the client was too slow.
    var tooSlow = 0
  }

  private struct State {
    var figures = Figures()
    var byNetwork: [ClientNetwork: Int] = [:]
    /// The number of IPv6 connections by ``ClientNetwork/site``.
    var bySite: [ClientNetwork: Int] = [:]
  }

  private let state = Mutex(State())
  private let perAddressMax: Int
  private var perSiteMax: Int { Self.networksPerSite * perAddressMax }
  private let proxies: TrustedProxies

  /// The number of full networks that one site may have.
  ///
  /// The owner of a site has 65,536 networks, and must not use all connections with them.
  private static let networksPerSite = 4

  /// - Parameters:
  ///   - perAddressMax: The limit of an IPv4 address or an IPv6 /64 network. An IPv6 /48 network
  ///     may have four times as many.
  ///   - proxies: The trusted proxies, whose connections are not limited.
  init(perAddressMax: Int, proxies: TrustedProxies) {
    self.perAddressMax = perAddressMax
    self.proxies = proxies
  }

  var figures: Figures { state.withLock(\.figures) }

  /// Registers a connection. Returns false if its network has reached its limit.
  ///
  /// - Parameter address: Nil for a socket on this machine.
  func open(from address: String?) -> Bool {
    let counted = counted(address)
    return state.withLock { state in
      if let counted {
        let site = counted.site
        guard state.byNetwork[counted, default: 0] < perAddressMax,
          site == counted || state.bySite[site, default: 0] < perSiteMax
        else {
          state.figures.refused += 1
          return false
        }
        state.byNetwork[counted, default: 0] += 1
        if site != counted { state.bySite[site, default: 0] += 1 }
      }
      state.figures.accepted += 1
      state.figures.open += 1
      return true
    }
  }

  /// Removes a registered connection.
  func close(from address: String?) {
    let counted = counted(address)
    state.withLock { state in
      state.figures.open -= 1
      guard let counted, let count = state.byNetwork[counted] else { return }
      state.byNetwork[counted] = count > 1 ? count - 1 : nil
      guard counted.site != counted, let count = state.bySite[counted.site] else { return }
      state.bySite[counted.site] = count > 1 ? count - 1 : nil
    }
  }

  func noteTooSlow() { state.withLock { $0.figures.tooSlow += 1 } }

  private func counted(_ address: String?) -> ClientNetwork? {
    guard let address = address.flatMap({ IPAddress($0) }), !proxies.contains(address) else {
      return nil
    }
    return ClientNetwork(address)
  }
}
