#if BELLHOP_POSTGRES
import Foundation
import Glibc
import PostgresTestSupport
import Synchronization

/// A TCP proxy of the test's own, which delays, holds or ends connections.
final class TCPRelay: Sendable {
  private struct State {
    var isHeld = false
    var delay = Duration.zero
    var isEnded = false
    /// The descriptors of open connections, by the number of their pair.
    var pairs: [Int: [Int32]] = [:]
    var nextPair = 0
    /// The number of open connections by the port of their target.
    var open: [Int: Int] = [:]
  }

  let port: Int
  private let listener: Int32
  private let target: @Sendable ([Int: Int]) -> Int?
  private let state = Mutex(State())

  /// Listens on a port.
  ///
  /// - Parameter target: Chooses the port for a connection by the number of open ones; nil refuses it.
  init(port: Int, target: @escaping @Sendable (_ open: [Int: Int]) -> Int?) throws {
    self.port = port
    self.target = target
    listener = try ClusterError.require(FreePorts.listen(on: port), "port \(port) is in use")
    Thread { [self] in acceptConnections() }.start()
  }

  /// Listens on a free port for a server on another port.
  convenience init(to port: Int) throws {
    try self.init(port: FreePorts.take(1)[0]) { _ in port }
  }

  /// Whether bytes are held back: connections stay open, and nothing arrives.
  var isHeld: Bool {
    get { state.withLock { $0.isHeld } }
    set { state.withLock { $0.isHeld = newValue } }
  }

  /// The delay of everything that a client sends at once, such as a statement.
  var delay: Duration {
    get { state.withLock { $0.delay } }
    set { state.withLock { $0.delay = newValue } }
  }

  /// Ends all connections. New ones are accepted.
  func dropConnections() {
    state.withLock { state in
      for descriptor in state.pairs.values.joined() { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Ends everything.
  func end() {
    state.withLock { $0.isEnded = true }
    dropConnections()
  }

  private var isEnded: Bool { state.withLock { $0.isEnded } }

  private func acceptConnections() {
    while !isEnded {
      var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 50) > 0 else { continue }
      let client = accept(listener, nil, nil)
      guard client >= 0 else { continue }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let open = state.withLock { $0.open }
      guard let port = target(open), let server = FreePorts.connect(to: port) else {
        close(client)
        continue
      }
      let number = state.withLock { state in
        state.nextPair += 1
        state.pairs[state.nextPair] = [client, server]
        state.open[port, default: 0] += 1
        return state.nextPair
      }
      Thread { [self] in
        forward(client, server)
        state.withLock { state in
          state.pairs[number] = nil
          state.open[port, default: 1] -= 1
        }
        close(client)
        close(server)
      }.start()
    }
    close(listener)
  }

  /// Forwards bytes both ways until one side ends.
  private func forward(_ client: Int32, _ server: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isEnded {
      if isHeld {
        usleep(20_000)
        continue
      }
      var ready = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ready, 2, 50) > 0 else { continue }
      // Bytes that arrived during the wait are held back, too.
      if isHeld { continue }
      for (source, drain) in [(0, server), (1, client)] where ready[source].revents != 0 {
        let count = recv(ready[source].fd, &buffer, buffer.count, 0)
        guard count > 0 else {
          shutdown(client, Int32(SHUT_RDWR))
          shutdown(server, Int32(SHUT_RDWR))
          return
        }
        let pause = delay
        if source == 0, pause > .zero { usleep(UInt32(pause / .microseconds(1))) }
        guard Self.send(buffer, count, to: drain) else { return }
      }
    }
  }

  private static func send(_ buffer: [UInt8], _ count: Int, to drain: Int32) -> Bool {
    var sent = 0
    while sent < count {
      let part = buffer[sent..<count].withUnsafeBytes {
        Glibc.send(drain, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard part > 0 else { return false }
      sent += part
    }
    return true
  }
}
#endif
