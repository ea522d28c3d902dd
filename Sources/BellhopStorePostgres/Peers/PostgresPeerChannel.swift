#if BELLHOP_POSTGRES
package import BellhopStore
internal import Dispatch

/// A channel between store processes by `NOTIFY` and `LISTEN`.
///
/// It has two connections of its own, each on its own thread: `NOTIFY` takes a lock of the whole
/// database until its commit, so that no write may contain it, and a transaction would hold back
/// what a listener receives. A connection that breaks is replaced, with growing pauses.
///
/// PgBouncer in transaction mode does not keep a `LISTEN`; connect to the server itself.
package final class PostgresPeerChannel: PeerChannel {
  private let listener: PeerListener
  private let notifier: PeerNotifier
  private let isListening: Bool
  /// The running threads.
  private let threads = DispatchGroup()

  /// - Parameters:
  /// - channel: The name of the channel, at most 63 bytes, the same in all processes of a store. A
  ///   database with several stores needs one for each, such as the name of its schema.
  /// - isListening: Whether to receive messages, which a command of administration need not.
  /// - random: Random bits, for the id of this process and the pauses.
  /// - prepare: Checks each new connection. If it throws, the next host is tried.
  package init(
    _ settings: PostgresSettings, channel: String = "bellhop", isListening: Bool = true,
    random: @escaping @Sendable () -> UInt64,
    prepare: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
  ) {
    var settings = settings
    // Both connections are idle most of the time.
    settings.session["idle_session_timeout"] = "0"
    settings.answerTimeout = min(settings.answerTimeout, Self.answerTimeout)
    let sender = random()
    self.isListening = isListening
    listener = PeerListener(
      settings, channel: channel, ownID: sender, random: random, prepare: prepare)
    // Messages are hints, and need no disk.
    settings.session["synchronous_commit"] = "off"
    notifier = PeerNotifier(
      settings, channel: channel, sender: sender, random: random, prepare: prepare)
  }

  /// The time limit for an answer to `LISTEN` or `NOTIFY`, after which the connection is replaced.
  private static let answerTimeout = Duration.seconds(5)

  package func begin(_ handler: @escaping @Sendable (PeerEvent) -> Void) {
    run("notifier") { [notifier] in notifier.work() }
    if isListening { run("listener") { [listener] in listener.work(handler) } }
  }

  private func run(_ name: String, _ work: @escaping @Sendable () -> Void) {
    threads.enter()
    // A queue of its own for each, because Dispatch limits the threads of a shared one.
    DispatchQueue(label: "bellhop.postgres.\(name)").async { [threads] in
      work()
      threads.leave()
    }
  }

  package func send(_ message: PeerMessage) { notifier.add(message) }

  package func reconnect() {
    listener.reconnect()
    notifier.reconnect()
  }

  /// Sends what waits once, and disconnects.
  ///
  /// An attempt to connect is not interrupted, so that this takes as long as its time limit at
  /// most.
  package func close() async {
    notifier.close()
    listener.close()
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
  }
}
#endif
