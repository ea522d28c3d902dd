import BellhopModel
import BellhopNetwork
import BellhopStore
import BellhopSync

/// Signal streams of devices, and checks of the answers to publishers and streams.
extension SharedHost {
  // MARK: Streams

  /// Opens the signal stream of a device, instead of its previous one.
  func openStream(
    of device: Int, _ id: DeviceID, connection: Int, with token: String,
    from process: SimulatedProcess?, then: @escaping (TransportError?) -> Void
  ) {
    streams[device] = nil
    connections[device] = connection
    let receiver = Receiver(self, device: device, connection: connection)
    submit(to: process, .other) { service, user in
      let principal = try await service.authenticate(AccessTokenSecret(token))
      return try await service.subscribe(
        receiver, to: user, excluding: id, with: principal.token.id)
    } then: { [self] result, _ in
      switch result {
      case .success(let subscription):
        guard let process, !process.isDead, connections[device] == connection else {
          return then(.offline(.closed(.simulated)))
        }
        streams[device] = Stream(
          process: process, connection: connection, subscription: subscription)
        then(nil)
      case .failure(let error): then(TransportError(simulated: error))
      }
    }
  }

  /// The store's side of a stream.
  ///
  /// `@unchecked Sendable`: only the thread of the simulation uses it.
  private final class Receiver: SignalReceiver, @unchecked Sendable {
    private weak var host: SharedHost?
    private let device: Int
    private let connection: Int

    init(_ host: SharedHost, device: Int, connection: Int) {
      self.host = host
      self.device = device
      self.connection = connection
    }

    func receive(_ signal: Signal) {
      host?.receive(signal, device: device, connection: connection)
    }

    func signalsEnded() {
      host?.end(device: device, connection: connection)
    }
  }

  // MARK: Commits

  func follow(_ commit: SharedCommit) {
    guard let context = commit.transaction.context else { return applied(.other, commit) }
    let cause = context.cause(of: commit)
    if case .publication = cause, let number = context.publication {
      if stored[number]?.isEmpty == false { violate("publication \(number) was stored twice") }
      stored[number, default: []].append(commit.version)
    }
    applied(cause, commit)
  }

  /// Forgets the publications that the data has lost.
  func lose(after version: Int) {
    for (number, versions) in stored where versions.contains(where: { $0 > version }) {
      stored[number] = versions.filter { $0 <= version }
      lost.insert(number)
    }
  }

  /// Checks that an acknowledged publication is stored, once.
  func acknowledged(_ number: Int) {
    let count = stored[number]?.count ?? 0
    if count != 1, !lost.contains(number) {
      violate("publication \(number) was acknowledged, but is stored \(count) times")
    }
  }

  func newPublication() -> Int {
    publications += 1
    return publications
  }
}
