internal import BellhopModel
internal import Synchronization

/// The open connections of all listeners that are for everybody.
final class ConnectionRegister: Sendable {
  /// What became of connections so far.
  struct Figures: Hashable, Sendable {
    var open = 0
    var accepted = 0
    /// Closed at once, because their network has as many as it may.
    var refused = 0
    /// Closed, because the client was too slow.
    var tooSlow = 0
  }

  private struct State {
    var figures = Figures()
    var byNetwork: [ClientNetwork: Int] = [:]
  }

  private let state = Mutex(State())
  private let perAddressMax: Int
  private let proxies: ReverseProxies

  /// - Parameters:
  ///   - perAddressMax: of an IPv4 address, or of an IPv6 network of 64 bits.
  ///   - proxies: may have any number.
  init(perAddressMax: Int, proxies: ReverseProxies) {
    self.perAddressMax = perAddressMax
    self.proxies = proxies
  }

  var figures: Figures { state.withLock(\.figures) }

  /// Enters a connection, unless its network has as many as it may.
  ///
  /// - Parameter address: nil for a socket on this machine.
  func open(from address: String?) -> Bool {
    let counted = counted(address)
    return state.withLock { state in
      if let counted {
        guard state.byNetwork[counted, default: 0] < perAddressMax else {
          state.figures.refused += 1
          return false
        }
        state.byNetwork[counted, default: 0] += 1
      }
      state.figures.accepted += 1
      state.figures.open += 1
      return true
    }
  }

  /// Strikes out a connection that was entered.
  func close(from address: String?) {
    let counted = counted(address)
    state.withLock { state in
      state.figures.open -= 1
      guard let counted, let count = state.byNetwork[counted] else { return }
      state.byNetwork[counted] = count > 1 ? count - 1 : nil
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
