internal import BellhopClient
internal import BellhopNetwork
internal import Glibc

/// Name lookups and connection attempts, each with a time limit.
enum Network {
  /// Connects to the socket, or to the first address of the host that accepts a connection.
  ///
  /// - Returns: The numeric address; nil for a socket.
  static func connect(_ peer: NetworkPeer) throws(NetworkError) -> String? {
    switch peer {
    case .socket(let path):
      if access(path, F_OK) != 0 { throw NetworkError(code: errno, at: peer) }
      guard PrivateStore.accepts(path) else { throw .refused(peer) }
      return nil
    case .port(let port, let host, _):
      let found = Examination.blocking { resolve(host, port: port) }
      guard let found else { throw .namesUnavailable(host: host) }
      var failure = NetworkError.noRoute(peer)
      for address in try found.get() {
        guard let problem = address.failure(at: peer) else { return address.text }
        failure = problem
      }
      throw failure
    }
  }

  private static func resolve(_ host: String, port: Int) -> Result<[Address], NetworkError> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else { return .failure(NetworkError(lookUpCode: code, host: host)) }
    defer { freeaddrinfo(list) }
    var addresses: [Address] = []
    var next = list
    while let info = next?.pointee {
      next = info.ai_next
      guard let address = info.ai_addr else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      getnameinfo(
        address, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      addresses.append(
        Address(
          bytes: Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))),
          family: info.ai_family,
          text: String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)))
    }
    return .success(addresses)
  }

  private struct Address: Sendable {
    var bytes: [UInt8]
    var family: Int32
    var text: String

    /// Returns why a connection to the address fails; nil if it succeeds.
    func failure(at peer: NetworkPeer) -> NetworkError? {
      let descriptor = socket(
        family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      guard descriptor >= 0 else { return NetworkError(code: errno, at: peer) }
      defer { close(descriptor) }
      let result = bytes.withUnsafeBytes { bytes -> Int32 in
        guard let start = bytes.baseAddress else { return -1 }
        return Glibc.connect(
          descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
      if result == 0 { return nil }
      guard errno == EINPROGRESS else { return NetworkError(code: errno, at: peer) }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let limit = Int32(Examination.networkLimit.components.seconds * 1000)
      guard poll(&waiting, 1, limit) > 0 else { return .timedOut(peer) }
      var code: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
      return code == 0 ? nil : NetworkError(code: code, at: peer)
    }
  }
}
