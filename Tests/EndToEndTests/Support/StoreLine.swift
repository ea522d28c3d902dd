import Glibc

/// A persistent connection to a store, for load without a process per request.
///
/// It blocks, so it needs its own thread.
final class StoreLine {
  struct Answer {
    let status: Int
    let body: [UInt8]
  }

  private let descriptor: Int32
  private let port: Int
  private let token: String
  /// The bytes received and not yet parsed.
  private var received: [UInt8] = []

  /// - Returns: nil if the connection is not accepted.
  init?(port: Int, token: String) {
    (self.port, self.token) = (port, token)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { return nil }
  }

  deinit { close(descriptor) }

  /// Sends a request and waits for its answer.
  ///
  /// - Returns: nil if the connection broke before the answer was complete; the request may have
  ///   been performed or not.
  func ask(
    _ method: String, _ path: String, headers: [String] = [], body: String = ""
  ) -> Answer? {
    ask(
      method, path, headers: ["Content-Type: application/json"] + headers,
      bytes: Array(body.utf8))
  }

  /// Sends a request as ``ask(_:_:headers:body:)`` does, with any bytes and only these headers.
  func ask(_ method: String, _ path: String, headers: [String], bytes: [UInt8]) -> Answer? {
    let lines =
      [
        "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)",
        "Content-Length: \(bytes.count)",
      ] + headers
    let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + bytes
    guard send(request), let head = takeHead() else { return nil }
    let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
    let length = head.split(separator: "\r\n").lazy.map { $0.lowercased() }
      .first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) }
    guard words.count > 1, let status = Int(words[1]), let body = take(length ?? 0) else {
      return nil
    }
    return Answer(status: status, body: body)
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    received += buffer[..<count]
    return true
  }

  /// Takes the lines up to the empty one.
  private func takeHead() -> String? {
    let mark = Array("\r\n\r\n".utf8)
    while true {
      if let end = received.indices.first(where: { received[$0...].starts(with: mark) }) {
        let head = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + mark.count)
        return head
      }
      guard receive() else { return nil }
    }
  }

  private func take(_ count: Int) -> [UInt8]? {
    while received.count < count { guard receive() else { return nil } }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }
}
