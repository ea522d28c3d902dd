internal import Glibc
internal import NIOCore

/// A reporter of the program's state to a service manager; sd_notify(3).
///
/// Each message is a datagram on a Unix socket. Without a receiver it is lost without an error,
/// because the service manager is optional.
package struct SystemdNotifier: Sendable {
  /// The socket's path. A leading `@` means the abstract name space.
  private let path: String
  /// The interval at which the service manager expects a sign of life; nil for never.
  let watchdogInterval: Duration?
  /// The time that a message waits for space in the service manager's queue.
  private let patience: Duration

  /// Creates the notifier that the environment describes; nil if it describes none.
  ///
  /// - Parameters:
  ///   - variable: Returns an environment variable by name.
  ///   - processID: The id of this process; a watchdog may be meant for another one.
  ///   - patience: The time that a message waits while the service manager's queue is full, before
  ///     it is lost. A sign of life does not wait.
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

  /// Reports that the program is reloading.
  ///
  /// Sends the system clock's time, by which the service manager orders messages.
  func reloading() {
    let microseconds = NIODeadline.now().uptimeNanoseconds / 1000
    send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
  }

  func stopping() { send("STOPPING=1\nSTATUS=Finishing open requests") }
  /// Reports that the program is alive. Does not wait: the next sign of life has the same content.
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
    // The length delimits an abstract name; a path ends at its zero byte.
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
