#if BELLHOP_POSTGRES
internal import BellhopStore
internal import Dispatch
internal import Synchronization

/// The thread that receives the messages of other processes, on a connection of its own.
final class PeerListener: Sendable {
  private struct State {
    var isClosed = false
    /// Whether the connection must be replaced.
    var mustReconnect = false
  }

  /// The longest wait for a message before the thread checks whether it must end or reconnect.
  private static let waitMax = Duration.milliseconds(500)

  private let settings: PostgresSettings
  private let channel: String
  /// The id by which this process sends, and whose messages come back to it.
  private let ownID: UInt64
  private let random: @Sendable () -> UInt64
  /// Checks each new connection.
  private let prepare: @Sendable (PostgresConnection) throws -> Void
  private let state = Mutex(State())
  /// Ends a pause.
  private let stop = DispatchSemaphore(value: 0)

  init(
    _ settings: PostgresSettings, channel: String, ownID: UInt64,
    random: @escaping @Sendable () -> UInt64,
    prepare: @escaping @Sendable (PostgresConnection) throws -> Void
  ) {
    self.settings = settings
    self.channel = channel
    self.ownID = ownID
    self.random = random
    self.prepare = prepare
  }

  func reconnect() { state.withLock { $0.mustReconnect = true } }

  func close() {
    state.withLock { $0.isClosed = true }
    stop.signal()
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Listens until the channel is closed.
  func work(_ handler: (PeerEvent) -> Void) {
    var pause = ReconnectPause(random: random)
    while !isClosed {
      do {
        state.withLock { $0.mustReconnect = false }
        let connection = try PostgresConnection.open(settings, check: prepare)
        defer { connection.close() }
        try connection.listen(to: channel)
        pause.reset()
        // The server does not deliver messages from before `LISTEN`.
        handler(.mayHaveLost)
        try receive(from: connection, handler)
      } catch {
        _ = stop.wait(timeout: .now() + .microseconds(Int(pause.next() / .microseconds(1))))
      }
    }
  }

  /// Passes messages on until the connection must be replaced or closed.
  private func receive(
    from connection: PostgresConnection, _ handler: (PeerEvent) -> Void
  ) throws(PostgresError) {
    while !state.withLock({ $0.isClosed || $0.mustReconnect }) {
      guard let found = try connection.nextNotification(until: .now + Self.waitMax) else {
        continue
      }
      guard let payload = PeerPayload(found.payload) else {
        handler(.mayHaveLost)
        continue
      }
      guard payload.sender != ownID else { continue }
      switch payload.batch {
      case .everything: handler(.mayHaveLost)
      case .messages(let messages): for message in messages { handler(.message(message)) }
      }
    }
  }
}
#endif
