internal import Glibc
internal import NIOCore

/// Tells a service manager how the program is; sd_notify(3).
///
/// A datagram on a Unix socket each time. When nobody listens nothing happens: the service manager
/// is a guest here.
package struct SystemdNotifier: Sendable {
  /// The socket's path; a leading `@` stands for the abstract name space.
  private let path: String
  /// How often the service manager wants to hear that the program lives; nil for never.
  let watchdogInterval: Duration?
  /// How long a message waits for room in the service manager's queue.
  private let patience: Duration

  /// The notifier that the environment asks for; nil for none.
  ///
  /// - Parameters:
  ///   - variable: an environment variable by its name.
  ///   - processID: of this process; a watchdog may be meant for another one.
  ///   - patience: how long a message, but for a sign of life, waits while the queue of the service
  ///     manager is full; it is lost then.
  package init?(
    variable: (String) -> String?, processID: Int32, patience: Duration = .seconds(1)
  ) {
    guard let path = variable("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@"),
      path.utf8.count <= SocketFile.pathBytesMax
    else { return nil }
    self.path = path
    self.patience = patience
    let isOurs = variable("WATCHDOG_PID").map { Int32($0) == processID } ?? true
    let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    watchdogInterval = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  func ready(_ status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

  /// Says so with the system's clock, by which the service manager puts things in order.
  func reloading() {
    let microseconds = NIODeadline.now().uptimeNanoseconds / 1000
    send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
  }

  func stopping() { send("STOPPING=1\nSTATUS=Finishing requests under way") }
  /// Waits for nothing: the next one says the same.
  func alive() { send("WATCHDOG=1", waits: false) }

  private static func line(_ text: String) -> String {
    String(text.prefix(512).map { $0.isNewline ? " " : $0 })
  }

  /// The system's `struct timeval`; see socket(7), `SO_SNDTIMEO`.
  private struct SendTimeout {
    var seconds: Int
    var microseconds: Int

    init(_ duration: Duration) {
      let whole = max(1, Int(duration / .microseconds(1)))
      (seconds, microseconds) = whole.quotientAndRemainder(dividingBy: 1_000_000)
    }
  }

  private func send(_ text: String, waits: Bool = true) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    let isAbstract = name.first == UInt8(ascii: "@")
    if isAbstract { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // An abstract name is as long as the address says; a path ends at its zero byte.
    let length =
      MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1)
    let bytes = Array(text.utf8)
    var timeout = SendTimeout(patience)
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<SendTimeout>.size))
    let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(
          descriptor, bytes, bytes.count, flags, $0,
          socklen_t(length))
      }
    }
  }
}
