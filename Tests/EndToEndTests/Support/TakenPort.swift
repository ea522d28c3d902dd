import Glibc

/// A port of this machine that is in use until it is closed.
final class TakenPort {
  private let listener: Int32

  init(_ port: UInt16) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isTaken = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
          && listen(listener, 1) == 0
      }
    }
    guard isTaken else {
      let reason = systemMessage(errno)
      Glibc.close(listener)
      throw Child.NotStarted(description: "Port \(port): \(reason)")
    }
  }

  func close() { Glibc.close(listener) }
}
