import Foundation
import Glibc
import Synchronization

/// A proxy to a store that behaves like a bad network.
///
/// It listens on its own port and passes bytes on late, slowly, in one direction only, temporarily
/// not at all, or until it breaks. Its random choices follow from its seed. It blocks, on its own
/// threads.
package final class FaultyWire: Sendable {
  /// The condition of the network.
  package struct Weather: Hashable, Sendable {
    /// The delay of each piece, in milliseconds.
    package var latency = 0...0
    package var bytesPerSecond: Int?
    /// Whether bytes to the store are held back until the condition improves; nothing breaks.
    package var isStalledUp = false
    /// Whether bytes from the store are held back.
    package var isStalledDown = false
    /// The number of bytes from the store after which a connection breaks.
    package var breaksAfter: ClosedRange<Int>?
    /// Whether new connections are accepted by the wire but never reach the store.
    package var leadsNowhere = false

    package init() {}

    /// A network as between two programs on one machine.
    package static let clear = Weather()

    /// A network that holds all bytes back, without any error.
    package static let silence: Weather = {
      var weather = Weather()
      weather.isStalledUp = true
      weather.isStalledDown = true
      weather.leadsNowhere = true
      return weather
    }()
  }

  /// One end of a wire.
  fileprivate enum Side: Hashable, Sendable { case client, store }

  private struct State {
    var listener: Int32 = -1
    var port: UInt16 = 0
    var links: [ObjectIdentifier: Link] = [:]
    var weather = Weather.clear
    var random: SeededRandom
    var connectionsMade = 0
  }

  private let state: Mutex<State>
  private let weatherChanged = NSCondition()
  private let target: UInt16

  package init(to port: Int, seed: UInt64 = 0) throws {
    target = UInt16(port)
    state = Mutex(State(random: SeededRandom(seed: seed)))
    try restore()
  }

  /// The address to sign in to.
  package var url: String { "http://127.0.0.1:\(state.withLock { $0.port })" }

  /// The number of connections that clients have opened.
  package var connectionsMade: Int { state.withLock { $0.connectionsMade } }

  // MARK: - Controls

  /// Accepts connections, at the first call on any free port, later on the same one.
  package func restore() throws {
    let (listener, port) = try Socket.listen(on: state.withLock { $0.port })
    state.withLock { state in
      state.listener = listener
      state.port = port
    }
    Thread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        connect(client)
      }
    }.start()
  }

  /// Breaks every connection and refuses new ones.
  package func cut() {
    let links = state.withLock { state in
      // Shutting down wakes the thread that waits on the socket.
      shutdown(state.listener, Int32(SHUT_RDWR))
      close(state.listener)
      state.listener = -1
      return Array(state.links.values)
    }
    for link in links { link.end() }
    wakeAll()
  }

  /// - Parameter keepsConnections: Whether existing connections continue. Otherwise they are silent
  ///   for ever, and neither end gets an error, as when a router has forgotten them.
  package func set(_ weather: Weather, keepsConnections: Bool = true) {
    let links = state.withLock { state in
      state.weather = weather
      return Array(state.links.values)
    }
    if !keepsConnections { for link in links { link.forget() } }
    wakeAll()
  }

  private func wakeAll() {
    weatherChanged.lock()
    weatherChanged.broadcast()
    weatherChanged.unlock()
  }

  // MARK: - Connections

  private func connect(_ client: Int32) {
    let weather = state.withLock { state in
      state.connectionsMade += 1
      return state.weather
    }
    let server = weather.leadsNowhere ? -1 : Socket.connect(to: target)
    guard weather.leadsNowhere || server >= 0 else {
      close(client)
      return
    }
    let link = Link(client: client, server: server)
    let isCut = state.withLock { state in
      link.bytesLeft = state.weather.breaksAfter.map { Int.random(in: $0, using: &state.random) }
      state.links[ObjectIdentifier(link)] = link
      return state.listener < 0
    }
    if isCut { link.end() }
    for side in [Side.client, .store] {
      Thread { [self] in
        copy(link, from: side)
        if link.finish() { state.withLock { $0.links[ObjectIdentifier(link)] = nil } }
      }.start()
    }
  }

  private func copy(_ link: Link, from side: Side) {
    let (from, to) = side == .client ? (link.client, link.server) : (link.server, link.client)
    // Without a server this direction only waits for the end.
    guard from >= 0 else {
      _ = wait(link, side)
      return
    }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let rate = state.withLock { $0.weather.bytesPerSecond }
      let count = recv(from, &buffer, rate.map { max(1, min($0 / 10, 16_384)) } ?? 16_384, 0)
      guard count > 0 else { break }
      guard wait(link, side) else { break }
      let latency = state.withLock { $0.weather.latency.randomElement(using: &$0.random) ?? 0 }
      let slowness = rate.map { Double(count) / Double($0) } ?? 0
      if latency > 0 || slowness > 0 {
        Thread.sleep(forTimeInterval: Double(latency) / 1000 + slowness)
      }
      let passing = side == .store ? link.take(count) : count
      guard Socket.send(buffer[..<passing], to: to) else { break }
      guard passing == count else {
        link.reset()
        break
      }
    }
    if !link.isForgotten { link.close(side) }
  }

  /// Waits for a condition in which bytes pass; returns false if the link ends before.
  private func wait(_ link: Link, _ side: Side) -> Bool {
    weatherChanged.lock()
    defer { weatherChanged.unlock() }
    while !link.isOver {
      let weather = state.withLock { $0.weather }
      let isStalled = side == .client ? weather.isStalledUp : weather.isStalledDown
      if !isStalled, !link.isForgotten, link.server >= 0 { return true }
      weatherChanged.wait()
    }
    return false
  }
}

/// A connection and its continuation to the store.
private final class Link: Sendable {
  private struct State {
    var finished = 0
    var bytesLeft: Int?
    var isOver = false
    var isForgotten = false
  }

  let client: Int32
  /// The socket to the store; -1 for a link that never reaches it.
  let server: Int32
  private let state = Mutex(State())

  init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

  var isOver: Bool { state.withLock { $0.isOver } }
  var isForgotten: Bool { state.withLock { $0.isForgotten } }

  var bytesLeft: Int? {
    get { state.withLock { $0.bytesLeft } }
    set { state.withLock { $0.bytesLeft = newValue } }
  }

  private var sockets: [Int32] { [client, server].filter { $0 >= 0 } }

  /// Returns the number of bytes that may pass before it breaks.
  func take(_ count: Int) -> Int {
    state.withLock { state in
      guard let left = state.bytesLeft else { return count }
      state.bytesLeft = max(0, left - count)
      return min(left, count)
    }
  }

  func forget() { state.withLock { $0.isForgotten = true } }

  /// Ends the link as programs end connections.
  func end() {
    state.withLock { $0.isOver = true }
    for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  /// Closes one side's direction after its last byte.
  func close(_ side: FaultyWire.Side) {
    let (from, to) = side == .client ? (client, server) : (server, client)
    if to >= 0 { shutdown(to, Int32(SHUT_WR)) }
    shutdown(from, Int32(SHUT_RD))
  }

  /// Breaks the link: both ends get a reset.
  func reset() {
    state.withLock { $0.isOver = true }
    var none = linger(l_onoff: 1, l_linger: 0)
    for socket in sockets {
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
      // Wakes the other direction without sending anything; closing sends the reset.
      shutdown(socket, Int32(SHUT_RD))
    }
  }

  /// Records the end of one direction; with the second it closes both ends and returns true.
  func finish() -> Bool {
    let isLast = state.withLock { state in
      state.finished += 1
      return state.finished == 2
    }
    if isLast { for socket in sockets { Glibc.close(socket) } }
    return isLast
  }
}

/// Socket calls for a wire.
private enum Socket {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func listen(on port: UInt16) throws -> (Int32, UInt16) {
    let listener = make()
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
      let reason = String(cString: strerror(errno))
      close(listener)
      throw Failure(description: "Cannot listen on port \(port): \(reason)")
    }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  /// - Returns: -1 if nothing listens.
  static func connect(to port: UInt16) -> Int32 {
    let server = make()
    var address = loopback(port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isConnected { return server }
    close(server)
    return -1
  }

  static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }

  private static func make() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
