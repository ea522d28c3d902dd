import Glibc

/// A connection to a server on this machine, and how its answers end.
final class Connection {
  /// What the server speaks.
  enum Dialect: Sendable {
    case http
    /// Redis.
    case resp
  }

  let descriptor: Int32
  private var received: [UInt8] = []
  private var isOpen = true

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(port: port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      Glibc.close(descriptor)
      isOpen = false
      throw BenchError("no connection to port \(port)")
    }
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close() }

  func close() {
    if isOpen { Glibc.close(descriptor) }
    isOpen = false
  }

  static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  func send(_ request: [UInt8]) throws {
    var rest = request[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw BenchError("the server closed the connection") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends one request and waits for its answer.
  func ask(_ request: [UInt8], _ dialect: Dialect) throws {
    try send(request)
    while try !receive(dialect) {}
  }

  /// Reads once, waiting if need be; whether the answer is complete now.
  ///
  /// - Throws: ``BenchError`` for an answer that is a failure.
  func receive(_ dialect: Dialect) throws -> Bool {
    let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { received.append(contentsOf: buffer[..<count]) }
      return count
    }
    guard count > 0 else { throw BenchError("the server closed the connection") }
    let length =
      switch dialect {
      case .http: try httpLength()
      case .resp: try respLength()
      }
    guard let length, received.count >= length else { return false }
    received.removeFirst(length)
    return true
  }

  /// Waits for bytes of any kind.
  func receiveAnything() throws {
    let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      recv(descriptor, buffer.baseAddress, buffer.count, 0)
    }
    guard count > 0 else { throw BenchError("the server closed the connection") }
  }

  private func httpLength() throws -> Int? {
    guard let head = end(of: [13, 10, 13, 10]) else { return nil }
    let text = String(decoding: received[..<head], as: UTF8.self)
    let lines = text.split(separator: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first,
      status.hasPrefix("2")
    else { throw BenchError("the server answered \(lines.first ?? "nothing")") }
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, parts[0].lowercased() == "content-length" {
        return head + (Int(parts[1].drop { $0 == " " }) ?? 0)
      }
    }
    return head
  }

  private func respLength() throws -> Int? {
    guard let line = end(of: [13, 10]) else { return nil }
    switch received[0] {
    case UInt8(ascii: "+"), UInt8(ascii: ":"): return line
    case UInt8(ascii: "$"):
      let digits = String(decoding: received[1..<(line - 2)], as: UTF8.self)
      return line + (Int(digits) ?? 0) + 2
    default:
      throw BenchError(
        "the server answered \(String(decoding: received[..<line], as: UTF8.self))")
    }
  }

  /// Where the first occurrence of `mark` ends.
  private func end(of mark: [UInt8]) -> Int? {
    guard received.count >= mark.count else { return nil }
    for start in 0...(received.count - mark.count)
    where received[start..<(start + mark.count)].elementsEqual(mark) {
      return start + mark.count
    }
    return nil
  }
}

/// One thread that keeps one request under way on each of several connections.
struct Load {
  var port: UInt16
  var dialect: Connection.Dialect
  var request: [UInt8]

  /// Answers a second over `time`.
  func rate(connections count: Int, for time: Duration) throws -> Double {
    let connections = try (0..<count).map { _ in try Connection(port: port) }
    defer { for connection in connections { connection.close() } }
    var sources = connections.map {
      pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
    }
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + time
    var answers = 0
    for connection in connections { try connection.send(request) }
    while clock.now < end {
      guard poll(&sources, UInt(count), 10_000) > 0 else {
        throw BenchError("the server does not answer")
      }
      for index in sources.indices where sources[index].revents != 0 {
        guard try connections[index].receive(dialect) else { continue }
        answers += 1
        try connections[index].send(request)
      }
    }
    return Double(answers) / (clock.now - start).inSeconds
  }
}
