#if BELLHOP_POSTGRES
internal import BellhopStore
internal import Dispatch
internal import Synchronization

/// The thread that sends messages to the other processes, on a connection of its own.
final class PeerNotifier: Sendable {
  private struct State {
    var pending = PendingPeerMessages()
    var isWaiting = false
    var isClosed = false
    /// Whether the connection must be replaced.
    var mustReconnect = false
  }

  private enum Step {
    case send, wait, end
  }

  /// The shortest time between two transmissions, in which messages are collected.
  ///
  /// Every process reads each of them, and `NOTIFY` takes a lock of the whole database.
  private static let interval = Duration.milliseconds(4)

  private let settings: PostgresSettings
  private let channel: String
  private let sender: UInt64
  private let random: @Sendable () -> UInt64
  /// Checks each new connection.
  private let prepare: @Sendable (PostgresConnection) throws -> Void
  private let state = Mutex(State())
  /// Wakes the thread when there are messages, or at the end.
  private let messages = DispatchSemaphore(value: 0)
  /// Ends a pause.
  private let stop = DispatchSemaphore(value: 0)

  init(
    _ settings: PostgresSettings, channel: String, sender: UInt64,
    random: @escaping @Sendable () -> UInt64,
    prepare: @escaping @Sendable (PostgresConnection) throws -> Void
  ) {
    self.settings = settings
    self.channel = channel
    self.sender = sender
    self.random = random
    self.prepare = prepare
  }

  // MARK: - Callers

  func add(_ message: PeerMessage) {
    wake { $0.pending.add(message) }
  }

  func reconnect() { state.withLock { $0.mustReconnect = true } }

  func close() {
    wake { $0.isClosed = true }
    stop.signal()
  }

  /// Changes the state, and wakes the thread if it waits.
  private func wake(_ change: (inout State) -> Void) {
    let isWaiting = state.withLock { state in
      change(&state)
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    if isWaiting { messages.signal() }
  }

  // MARK: - The thread

  /// Sends messages until the channel is closed.
  func work() {
    var connection: PostgresConnection?
    var pause = ReconnectPause(random: random)
    var last = ContinuousClock.now - Self.interval
    while awaitsMessages() {
      rest(ContinuousClock.now.duration(to: last + Self.interval))
      last = .now
      let (batch, mustReconnect) = state.withLock { state in
        defer { state.mustReconnect = false }
        return (state.pending.take(), state.mustReconnect)
      }
      if mustReconnect { connection = nil }
      do {
        let open = try connection ?? PostgresConnection.open(settings, check: prepare)
        connection = open
        try send(batch, on: open)
        pause.reset()
      } catch {
        // Messages that did arrive may arrive twice.
        connection = nil
        putBack(batch)
        rest(pause.next())
        if isClosed { return }
      }
    }
  }

  /// Waits for messages; false when the channel is closed and none are left.
  private func awaitsMessages() -> Bool {
    while true {
      let step = state.withLock { state -> Step in
        if !state.pending.isEmpty { return .send }
        if state.isClosed { return .end }
        state.isWaiting = true
        return .wait
      }
      switch step {
      case .send: return true
      case .end: return false
      case .wait: messages.wait()
      }
    }
  }

  private func send(
    _ batch: PeerBatch, on connection: PostgresConnection
  ) throws(PostgresError) {
    for payload in PeerPayload.encode(batch, from: sender) {
      try connection.queue("SELECT pg_notify($1, $2)", .text(channel), .text(payload))
    }
    try connection.flush()
  }

  /// Keeps messages that could not be sent.
  private func putBack(_ batch: PeerBatch) { state.withLock { $0.pending.add(batch) } }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  private func rest(_ pause: Duration) {
    guard pause > .zero else { return }
    _ = stop.wait(timeout: .now() + .microseconds(Int(pause / .microseconds(1))))
  }
}
#endif
