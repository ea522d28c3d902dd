import Foundation
import Glibc
import Synchronization

/// A way to a store that can be cut and mended, as a network can: it listens on a port of its own
/// and passes bytes on.
final class CuttableWire: Sendable {
  private struct State {
    var listener: Int32 = -1
    var port: UInt16 = 0
    var sockets: Set<Int32> = []
    var isOver = false
  }

  private let state = Mutex<State>(State())
  private let target: UInt16

  init(to port: Int) throws {
    target = UInt16(port)
    try mend()
  }

  /// The address to sign in to.
  var url: String { "http://127.0.0.1:\(state.withLock { $0.port })" }

  /// Accepts connections, at the first time on any free port, later on the same one.
  func mend() throws {
    let (listener, port) = try Self.listen(on: state.withLock { $0.port })
    state.withLock { state in
      state.listener = listener
      state.port = port
    }
    Self.thread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        connect(client)
      }
    }
  }

  /// Breaks every connection and refuses new ones.
  func cut() {
    state.withLock { state in
      // Shutting down wakes the threads that wait on the sockets; they close them.
      shutdown(state.listener, Int32(SHUT_RDWR))
      close(state.listener)
      state.listener = -1
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  private func connect(_ client: Int32) {
    let server = Self.socket()
    var address = Self.loopback(target)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(client)
      close(server)
      return
    }
    let isCut = state.withLock { state in
      state.sockets.formUnion([client, server])
      return state.listener < 0
    }
    if isCut { for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) } }
    // Each direction has a thread; the second one to end closes both ends.
    let finished = Mutex(0)
    let shared = Shared(finished)
    for (from, to) in [(client, server), (server, client)] {
      Self.thread { [self] in
        Self.copy(from: from, to: to)
        guard
          shared.value.withLock({ count in
            count += 1
            return count == 2
          })
        else { return }
        state.withLock { state in
          state.sockets.subtract([client, server])
          close(client)
          close(server)
        }
      }
    }
  }

  private static func copy(from: Int32, to: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(from, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      var sent = 0
      while sent < count {
        let written = buffer[sent..<count].withUnsafeBytes {
          send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard written > 0 else { break }
        sent += written
      }
      if sent < count { break }
    }
    shutdown(to, Int32(SHUT_WR))
    shutdown(from, Int32(SHUT_RD))
  }

  private static func listen(on port: UInt16) throws -> (Int32, UInt16) {
    let listener = socket()
    var isOn: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var address = loopback(port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && Glibc.listen(listener, 32) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isOpen else {
      let reason = systemMessage(errno)
      close(listener)
      throw Child.NotStarted(description: "Cannot listen on port \(port): \(reason)")
    }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private static func socket() -> Int32 {
    Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Waits in the kernel, which no thread of Swift's pool may do.
  private static func thread(_ body: @escaping @Sendable () -> Void) {
    Thread(block: body).start()
  }
}

/// A reference to a value that cannot be copied.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}
