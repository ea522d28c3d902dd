internal import Glibc

/// A name looked up and a connection tried, each with a limit of time.
enum Network {
  /// Connects to the first address of `host` that answers.
  ///
  /// - Returns: the address as a number.
  /// - Throws: ``ClientError`` that says which of the two failed.
  static func connect(_ host: String, port: Int) throws -> String {
    guard let addresses = Examination.blocking({ resolve(host, port: port) }) else {
      throw ClientError(
        .storeUnavailable, "The name \(host) was not answered within 5 s.",
        next: "Look at the network and its name servers.")
    }
    guard !addresses.isEmpty else {
      throw ClientError(
        .storeUnavailable, "Nobody knows the name \(host).",
        next: "Look at the address (bellhop accounts), at the network and its name servers.")
    }
    var reason = ""
    for address in addresses {
      guard let failure = address.failure() else { return address.text }
      reason = failure
    }
    throw ClientError(
      .storeUnavailable, "\(addresses[0].text) port \(port) does not answer: \(reason).",
      next: "Look whether the store runs, and whether a firewall is between.")
  }

  private static func resolve(_ host: String, port: Int) -> [Address] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
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
    return addresses
  }

  private struct Address: Sendable {
    var bytes: [UInt8]
    var family: Int32
    var text: String

    /// Why nothing answers there; nil when something does.
    func failure() -> String? {
      let descriptor = socket(
        family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      guard descriptor >= 0 else { return systemMessage(errno) }
      defer { close(descriptor) }
      let result = bytes.withUnsafeBytes { bytes -> Int32 in
        guard let start = bytes.baseAddress else { return -1 }
        return Glibc.connect(
          descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
      if result == 0 { return nil }
      guard errno == EINPROGRESS else { return systemMessage(errno) }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let limit = Int32(Examination.networkLimit.components.seconds * 1000)
      guard poll(&waiting, 1, limit) > 0 else { return "no answer within 5 s" }
      var code: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
      return code == 0 ? nil : systemMessage(code)
    }
  }
}
