import Glibc

/// A connection to a server on this machine.
final class LoopbackConnection {
  let descriptor: Int32
  private var received: [UInt8] = []
  private var isOpen = true

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      isOpen = false
      throw BenchError("a socket cannot be created: \(String(cString: strerror(errno)))")
    }
    var address = Self.loopback(port: port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      Glibc.close(descriptor)
      isOpen = false
      throw BenchError("the connection to port \(port) failed")
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

  /// Sets the time after which waiting for a response fails.
  func setPatience(_ limit: Duration) {
    let (seconds, attoseconds) = limit.components
    var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
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

  func send(_ request: String) throws { try send(Array(request.utf8)) }

  /// Sends one request and waits for its response.
  @discardableResult
  func ask(_ request: [UInt8], _ framing: Framing) throws -> [UInt8] {
    try send(request)
    return try receive(framing)
  }

  @discardableResult
  func ask(_ request: String, _ framing: Framing) throws -> [UInt8] {
    try ask(Array(request.utf8), framing)
  }

  /// Waits for the next response.
  func receive(_ framing: Framing) throws -> [UInt8] {
    while true {
      if let answer = try next(framing) { return answer }
      try readOnce()
    }
  }

  /// Reads once, waiting if necessary, and removes a complete response.
  ///
  /// - Returns: Whether a response was complete.
  /// - Throws: ``BenchError`` for a response that is an error.
  func receivePart(_ framing: Framing) throws -> Bool {
    try readOnce()
    guard let length = try nextLength(framing) else { return false }
    received.removeFirst(length)
    return true
  }

  /// Returns the next response, once it is complete.
  private func next(_ framing: Framing) throws -> [UInt8]? {
    guard let length = try nextLength(framing) else { return nil }
    defer { received.removeFirst(length) }
    return Array(received[..<length])
  }

  private func nextLength(_ framing: Framing) throws -> Int? {
    guard !received.isEmpty, let length = try framing.length(received), received.count >= length
    else { return nil }
    return length
  }

  private func readOnce() throws {
    try readOnce { received.append(contentsOf: $0) }
  }

  /// Reads the bytes after the responses already taken, waiting if necessary.
  func readOnce(_ body: (UnsafeRawBufferPointer) -> Void) throws {
    try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count < 0, errno == EAGAIN { throw BenchError("the server does not answer") }
      guard count > 0 else { throw BenchError("the server closed the connection") }
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Discards the received bytes without waiting; returns false if the server closed the
  /// connection.
  func drain() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      while true {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        if count == 0 { return false }
      }
    }
  }
}

/// A load generator: one thread that keeps one request in progress on each connection.
struct Load {
  /// A connection of the load, with the request that it repeats.
  struct Source {
    var port: UInt16
    var request: [UInt8]
  }

  /// The number of responses, and the time of the run.
  struct Figures {
    var answers = 0
    var time = Duration.zero

    var rate: Double { Double(answers) / time.inSeconds }
  }

  var sources: [Source]
  var framing: Framing

  init(sources: [Source], framing: Framing) {
    self.sources = sources
    self.framing = framing
  }

  /// Repeats the same request on a number of connections.
  init(port: UInt16, framing: Framing, request: [UInt8], connections: Int) {
    let source = Source(port: port, request: request)
    self.init(sources: Array(repeating: source, count: connections), framing: framing)
  }

  /// Returns the number of responses over `time`.
  func run(for time: Duration) throws -> Figures {
    let connections = try sources.map { try LoopbackConnection(port: $0.port) }
    defer { for connection in connections { connection.close() } }
    var descriptors = connections.map {
      pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
    }
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + time
    var answers = 0
    for (connection, source) in zip(connections, sources) { try connection.send(source.request) }
    while clock.now < end {
      guard poll(&descriptors, UInt(descriptors.count), 10_000) > 0 else {
        throw BenchError("the server does not answer")
      }
      for index in descriptors.indices where descriptors[index].revents != 0 {
        guard try connections[index].receivePart(framing) else { continue }
        answers += 1
        try connections[index].send(sources[index].request)
      }
    }
    return Figures(answers: answers, time: clock.now - start)
  }
}
