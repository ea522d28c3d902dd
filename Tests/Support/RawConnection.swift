import Glibc

/// A connection whose bytes a test writes and reads itself, as slowly as it likes.
package final class RawConnection {
  /// The system's reason for refusing a connection.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    init(_ code: Int32) { description = String(cString: strerror(code)) }
  }

  package let descriptor: Int32

  /// Opens a connection; nil if no program accepts it.
  package init?(toWhomeverListensOn port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0, Self.connect(descriptor, port) else { return nil }
  }

  /// - Parameter receiveBuffer: The number of bytes that the system receives before the test reads.
  package init(port: Int, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(errno) }
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
    }
    guard Self.connect(descriptor, port) else { throw Failure(errno) }
  }

  private static func connect(_ descriptor: Int32, _ port: Int) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = in_addr_t(UInt32(0x7f00_0001).bigEndian)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  deinit { close(descriptor) }

  package func write(_ text: String) { write(Array(text.utf8)) }

  package func write(_ bytes: [UInt8]) {
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Reads until the other end closes.
  package func readToEnd() async throws -> String {
    var bytes: [UInt8] = []
    while let more = try await receive(4096, after: bytes), !more.isEmpty { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads the next bytes, fewer if the other end closes.
  package func readBytes(_ count: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count, let more = try await receive(count - bytes.count, after: bytes),
      !more.isEmpty
    { bytes += more }
    return bytes
  }

  /// Reads up to the end of `mark`, or until the other end closes.
  package func read(until mark: String) async throws -> String {
    let end = Array(mark.utf8)
    var bytes: [UInt8] = []
    while !bytes.suffix(end.count).elementsEqual(end),
      let byte = try await receive(1, after: bytes), !byte.isEmpty
    { bytes += byte }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the next bytes, at most `max`; empty if the other end has closed.
  ///
  /// - Parameter bytes: The bytes read before, for the failure.
  /// - Returns: nil if the connection broke.
  /// - Throws: ``NotSeen`` if nothing comes.
  private func receive(_ max: Int, after bytes: [UInt8]) async throws -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: max)
    return try await eventually(
      "bytes of a connection", every: .milliseconds(2),
      last: String(decoding: bytes.suffix(2000), as: UTF8.self)
    ) { () -> [UInt8]?? in
      let count = recv(descriptor, &buffer, max, Int32(MSG_DONTWAIT))
      if count >= 0 { return Array(buffer[..<count]) }
      return errno == EAGAIN || errno == EINTR ? nil : .some(nil)
    }
  }
}
