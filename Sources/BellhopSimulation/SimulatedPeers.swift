import BellhopStore

/// The messages between simulated processes, which may be lost, late, repeated and out of order.
///
/// `@unchecked Sendable`: only the thread of the simulation uses it.
final class SimulatedPeers: @unchecked Sendable {
  typealias Handler = @Sendable (PeerEvent) -> Void

  /// The connection of one process.
  ///
  /// `@unchecked Sendable`: only the thread of the simulation uses it.
  final class Channel: PeerChannel, @unchecked Sendable {
    private let peers: SimulatedPeers
    fileprivate let process: SimulatedProcess
    fileprivate var handler: Handler?

    fileprivate init(_ peers: SimulatedPeers, _ process: SimulatedProcess) {
      self.peers = peers
      self.process = process
    }

    func begin(_ handler: @escaping @Sendable (PeerEvent) -> Void) {
      self.handler = handler
      handler(.mayHaveLost)
    }

    func send(_ message: PeerMessage) { peers.carry(message, from: process) }

    func reconnect() { peers.reconnect(process) }

    func close() async { handler = nil }
  }

  private let storage: SharedStorage
  private var channels: [Int: Channel] = [:]
  /// Whether all messages are lost, without a notice.
  var losesAll = false

  init(_ storage: SharedStorage) { self.storage = storage }

  /// Returns the connection of a process, which replaces that of its predecessor.
  func channel(of process: SimulatedProcess) -> Channel {
    let channel = Channel(self, process)
    channels[process.index] = channel
    return channel
  }

  /// Carries a message in its text form to all other processes.
  private func carry(_ message: PeerMessage, from sender: SimulatedProcess) {
    guard !sender.isDead else { return }
    let (random, rates) = (storage.random, storage.rates)
    for payload in PeerPayload.encode(.messages([message]), from: UInt64(sender.index)) {
      for (index, channel) in channels.sorted(by: { $0.key < $1.key }) where index != sender.index {
        let isLost = random.chance(rates[.peerMessageLost])
        let count = random.chance(rates[.duplicated]) ? 2 : 1
        for _ in 0..<count {
          let (quick, slow) = (random.milliseconds(1...20), random.milliseconds(100...8000))
          let wait = random.chance(rates[.delayed]) ? slow : quick
          if isLost || losesAll { continue }
          storage.scheduler.after(wait) { [self] in deliver(payload, to: channel) }
        }
      }
    }
  }

  private func deliver(_ payload: String, to channel: Channel) {
    guard !channel.process.isDead, let handler = channel.handler else { return }
    switch PeerPayload(payload)?.batch {
    case .messages(let messages)?: for message in messages { handler(.message(message)) }
    case .everything?, nil: handler(.mayHaveLost)
    }
    storage.pump()
  }

  private func reconnect(_ process: SimulatedProcess) {
    guard let channel = channels[process.index], channel.process === process else { return }
    storage.scheduler.after(.milliseconds(10)) { [self] in
      guard !process.isDead else { return }
      channel.handler?(.mayHaveLost)
      storage.pump()
    }
  }
}
