import BellhopTestSupport
import Foundation
import Glibc
import Testing

@testable import BellhopServer

@Suite("Notifying a service manager")
struct NotifierTests {
  /// The service manager's socket, with a queue that can be full.
  private final class Manager: Sendable {
    let path: String
    let descriptor: Int32

    init(path: String) throws {
      self.path = path
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let result = Self.at(path) { bind(descriptor, $0, $1) }
      try #require(descriptor >= 0 && result == 0)
    }

    deinit { close(descriptor) }

    private static func at(
      _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }

    /// Sends until the queue is full.
    func fill() {
      let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      defer { close(sender) }
      while Self.at(path, { Int32(sendto(sender, "x", 1, Int32(MSG_DONTWAIT), $0, $1)) }) == 1 {}
    }

    /// The next message; nil if there is none.
    func next() -> String? {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
  }

  private func notifier(_ manager: Manager, patience: Duration) throws -> SystemdNotifier {
    try #require(
      SystemdNotifier(
        variable: { $0 == "NOTIFY_SOCKET" ? manager.path : nil }, processID: 1,
        patience: patience))
  }

  private func folder() throws -> URL {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("bellhop-\(UInt32.random(in: 0...UInt32.max))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  @Test("a message waits for space in a full queue, and a keepalive does not")
  func fullQueue() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let manager = try Manager(path: folder.path + "/n")
    manager.fill()
    let notifier = try notifier(manager, patience: .seconds(600))
    notifier.alive()
    Thread { notifier.stopping() }.start()
    var told: String?
    try await eventually("the message about stopping") {
      while let message = manager.next() { if message != "x" { told = message } }
      return told != nil
    }
    #expect(told?.hasPrefix("STOPPING=1\n") == true)
  }

  @Test("a service manager that reads nothing does not block for ever")
  func deaf() throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let manager = try Manager(path: folder.path + "/n")
    manager.fill()
    try notifier(manager, patience: .milliseconds(1)).stopping()
    var messages: Set<String> = []
    while let message = manager.next() { messages.insert(message) }
    #expect(messages == ["x"])
  }
}
