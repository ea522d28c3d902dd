import Glibc
import Testing

/// A connection whose bytes a test writes and reads itself, as slowly as it likes.
final class RawConnection {
  let descriptor: Int32

  /// A connection, if anybody accepts it.
  init?(toWhomeverListensOn port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0, Self.connect(descriptor, port) else { return nil }
  }

  /// - Parameter receiveBuffer: how much the system takes in before the test reads it.
  init(port: Int, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
    }
    try #require(Self.connect(descriptor, port), "\(String(cString: strerror(errno)))")
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

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Reads until the other end closes, without keeping a thread of the pool waiting.
  func readToEnd() async -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { text += buffer[..<count] }
      if count == 0 { break }
      if count < 0 {
        guard errno == EAGAIN || errno == EINTR else { break }
        await Task.yield()
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The next bytes, fewer if the other end closes.
  func readBytes(_ count: Int) async -> [UInt8] {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < count {
      let taken = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
      if taken == 1 { bytes.append(byte) }
      if taken == 0 { break }
      if taken < 0 {
        guard errno == EAGAIN || errno == EINTR else { break }
        await Task.yield()
      }
    }
    return bytes
  }

  /// What arrives up to a mark, and nothing after it is waited for.
  func read(until mark: String) async -> String {
    var text = ""
    var byte: UInt8 = 0
    while !text.hasSuffix(mark) {
      let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
      if count == 1 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
      if count == 0 { break }
      if count < 0 {
        guard errno == EAGAIN || errno == EINTR else { break }
        await Task.yield()
      }
    }
    return text
  }
}
