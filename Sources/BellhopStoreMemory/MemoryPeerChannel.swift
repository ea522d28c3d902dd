package import BellhopStore
internal import Synchronization

/// A channel between services in one process that share a backend, for tests and simulations.
///
/// Messages arrive before ``send(_:)`` returns, in the order in which they were sent, unless a test
/// loses them.
package final class MemoryPeerChannel: PeerChannel {
  private typealias Handler = @Sendable (PeerEvent) -> Void

  /// The channels that are connected with each other.
  private final class Network: Sendable {
    struct State {
      var handlers: [UInt64: Handler] = [:]
      var lastID: UInt64 = 0
      var losesMessages = false
    }

    let state = Mutex(State())

    /// Returns the id for another channel.
    func join() -> UInt64 {
      state.withLock { state in
        state.lastID += 1
        return state.lastID
      }
    }
  }

  private let network: Network
  private let id: UInt64

  private init(_ network: Network) {
    self.network = network
    id = network.join()
  }

  /// Creates the first of several connected channels.
  package convenience init() { self.init(Network()) }

  /// Creates a channel that is connected with this one and the others.
  package func another() -> MemoryPeerChannel { MemoryPeerChannel(network) }

  /// Whether all connected channels lose what is sent, without a notice.
  package var losesMessages: Bool {
    get { network.state.withLock { $0.losesMessages } }
    set { network.state.withLock { $0.losesMessages = newValue } }
  }

  package func begin(_ handler: @escaping @Sendable (PeerEvent) -> Void) {
    network.state.withLock { $0.handlers[id] = handler }
    handler(.mayHaveLost)
  }

  package func send(_ message: PeerMessage) {
    let receivers = network.state.withLock { state in
      state.losesMessages
        ? []
        : state.handlers.filter { $0.key != id }
          .sorted { $0.key < $1.key }.map(\.value)
    }
    // In the text form, as between processes.
    for payload in PeerPayload.encode(.messages([message]), from: id) {
      for receiver in receivers { deliver(payload, to: receiver) }
    }
  }

  private func deliver(_ payload: String, to receiver: Handler) {
    switch PeerPayload(payload)?.batch {
    case .messages(let messages): for message in messages { receiver(.message(message)) }
    case .everything, nil: receiver(.mayHaveLost)
    }
  }

  /// Delivers the notice of a connection that was interrupted.
  package func reconnect() {
    let handler = network.state.withLock { $0.handlers[id] }
    handler?(.mayHaveLost)
  }

  package func close() { network.state.withLock { $0.handlers[id] = nil } }
}
