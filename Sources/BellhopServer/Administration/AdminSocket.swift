internal import BellhopStore
internal import Glibc
internal import NIOPosix

/// The admin socket in a data directory, which connects commands to the store that serves it.
package struct AdminSocket: Sendable {
  package let path: String

  /// Returns the path of the socket in a data directory.
  package static func path(in directory: String) -> String { directory + "/admin.sock" }

  /// Finds the socket; nil if no store accepts connections on it.
  ///
  /// - Throws: ``AdminError`` when the file at the path is not the store's own.
  package init?(directory: String) throws {
    path = Self.path(in: directory)
    guard let file = FileFacts(path: path, followsLink: false), file.isSocket else { return nil }
    guard file.owner == FileFacts(path: directory, followsLink: true)?.owner,
      file.mode & 0o077 == 0
    else {
      throw AdminError(
        .notAllowed, "\(path) does not belong to the store. Nothing was sent. Remove it.")
    }
    guard SocketFile.answers(path) else { return nil }
  }

  /// A limit above the size of any administration response.
  private static let answerBytesMax = 64 << 20

  /// Sends one request and reads the whole response, without a time limit.
  ///
  /// Runs on a thread that may block.
  func exchange(
    _ method: String, _ target: String, body: [UInt8]
  ) async throws -> (Int, [UInt8]) {
    try await NIOThreadPool.singleton.runIfActive {
      try exchangeBlocking(method, target, body: body)
    }
  }

  private func exchangeBlocking(
    _ method: String, _ target: String, body: [UInt8]
  ) throws -> (Int, [UInt8]) {
    guard let descriptor = SocketFile.connect(path) else {
      throw AdminError(.busy, "The store has just stopped serving. Try again.")
    }
    defer { close(descriptor) }
    let head = """
      \(method) \(target) HTTP/1.1\r
      Host: admin\r
      Connection: close\r
      Content-Length: \(body.count)\r
      \r\n
      """
    try Self.send(Array(head.utf8) + body, to: descriptor)
    return try Self.parse(try Self.receive(from: descriptor))
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
    var position = 0
    while position < bytes.count {
      let count = bytes[position...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw brokenOff }
      position += count
    }
  }

  private static func receive(from descriptor: Int32) throws -> [UInt8] {
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while answer.count <= answerBytesMax {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw brokenOff }
      if count == 0 { return answer }
      answer += buffer[..<count]
    }
    throw AdminError(.failed, "The store's answer is too long.")
  }

  /// Returns the status and the body of a response whose head contains its length.
  static func parse(_ answer: [UInt8]) throws -> (Int, [UInt8]) {
    let mark = Array("\r\n\r\n".utf8)
    guard let end = answer.indices.first(where: { answer[$0...].starts(with: mark) }) else {
      throw brokenOff
    }
    let lines = String(decoding: answer[..<end], as: UTF8.self).split(separator: "\r\n")
    let body = Array(answer[(end + mark.count)...])
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      throw brokenOff
    }
    let length = lines.lazy.map { $0.lowercased() }.first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst("content-length:".count).trimmed) }
    if let length, length != body.count { throw brokenOff }
    return (status, body)
  }

  private static var brokenOff: AdminError {
    AdminError(
      .busy, "The store stopped before it answered. Check whether the command took effect.")
  }
}
