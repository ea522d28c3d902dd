import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopSync

/// The lock and the nudges between the processes of one account.
@Suite(.timeLimit(.minutes(10))) struct ProcessesTests {
  /// A new folder, removed at the end.
  final class Folder: Sendable {
    let path: String
    init() throws {
      path = FileManager.default.temporaryDirectory.path + "/bellhop-\(UUID().uuidString)"
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  @Test("one process holds the lock, and the next gets it when it is released")
  func lock() async throws {
    let folder = try Folder()
    let first = EngineLock(path: folder.path + "/lock")
    let second = EngineLock(path: folder.path + "/lock")
    #expect(try first.tryLock())
    #expect(try first.tryLock())
    #expect(try !second.tryLock())
    async let waited: Void = second.waitForLock()
    first.unlock()
    try await waited
    #expect(second.isHeld)
    #expect(try !first.tryLock())
  }

  @Test("a cancelled wait ends, and does not keep the lock")
  func cancelledWait() async throws {
    let folder = try Folder()
    let first = EngineLock(path: folder.path + "/lock")
    #expect(try first.tryLock())
    let second = EngineLock(path: folder.path + "/lock")
    let task = Task { try await second.waitForLock() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    first.unlock()
    let third = EngineLock(path: folder.path + "/lock")
    try await third.waitForLock()
    #expect(third.isHeld)
  }

  /// Whether the system lists a request that waits for a lock on the file.
  private func hasWaiter(_ path: String) throws -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    // The kernel returns the list in parts, and its length is not known in advance.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/locks"))
    var text = Data()
    while let part = try file.read(upToCount: 65_536), !part.isEmpty { text += part }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").contains {
      $0.contains("->") && $0.contains(":\(status.st_ino) ")
    }
  }

  @Test("a lock on a file that was removed meanwhile is not held: two engines never run at once")
  func removedFile() async throws {
    let folder = try Folder()
    let path = folder.path + "/lock"
    let first = EngineLock(path: path)
    #expect(try first.tryLock())
    let waiting = EngineLock(path: path)
    let task = Task { try await waiting.waitForLock() }
    try await eventually("a wait for the first lock") { try hasWaiter(path) }
    try FileManager.default.removeItem(atPath: path)
    let other = EngineLock(path: path)
    #expect(try other.tryLock(), "it is another file")
    first.unlock()
    try await eventually("a wait for the new file, or a lock on nothing") {
      try hasWaiter(path) || waiting.isHeld
    }
    #expect(!waiting.isHeld)
    other.unlock()
    try await task.value
    #expect(waiting.isHeld)
  }

  @Test("a lock file that cannot be created is an error")
  func missingFolder() throws {
    let lock = EngineLock(path: "/nonexistent-folder/lock")
    #expect(throws: EngineLock.LockError.self) { try lock.tryLock() }
  }

  @Test("a nudge reaches all others and not its sender")
  func nudges() async throws {
    let folder = try Folder()
    let sockets = try (0..<3).map { _ in try NudgeSocket(directory: folder.path + "/account") }
    let streams = sockets.map { $0.nudges() }
    sockets[0].broadcast(.outboxChanged)
    let status = EngineStatus(
      connection: .polling(every: .seconds(30)), waiting: 4, problem: "no route")
    sockets[0].broadcast(.status(status))
    for stream in streams.dropFirst() {
      var iterator = stream.makeAsyncIterator()
      let first = await iterator.next()
      #expect(first == .outboxChanged)
      let second = await iterator.next()
      #expect(second == .status(status))
    }
    try NudgeSocket.broadcast(.syncNow, in: folder.path + "/account")
    var own = streams[0].makeAsyncIterator()
    let nudge = await own.next()
    #expect(nudge == .syncNow)
  }

  @Test("closing ends the streams and removes the socket; dead sockets are removed by others")
  func closing() async throws {
    let folder = try Folder()
    let directory = folder.path + "/account"
    let first = try NudgeSocket(directory: directory)
    let stream = first.nudges()
    first.close()
    for await _ in stream {}
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    #expect(FileManager.default.createFile(atPath: directory + "/1.0.sock", contents: nil))
    try NudgeSocket.broadcast(.dataChanged, in: directory)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
  }

  @Test("a folder whose path is too long for a socket gets a short alias")
  func longPath() async throws {
    let folder = try Folder()
    let long = folder.path + "/" + String(repeating: "x", count: 200)
    let first = try NudgeSocket(directory: long)
    let second = try NudgeSocket(directory: long)
    #expect(first.directory == second.directory)
    var received = second.nudges().makeAsyncIterator()
    first.broadcast(.dataChanged)
    let nudge = await received.next()
    #expect(nudge == .dataChanged)
  }

  @Test(
    "plain HTTP is for this machine only, unless it is allowed",
    arguments: [
      ("http://127.0.0.1:8642", true), ("http://[::1]:8642", true), ("http://localhost", true),
      ("https://store.example.com", true), ("unix:/run/store.sock", true),
      ("http://store.example.com", false), ("http://127.0.0.1.example.com", false),
      ("http://127.0.0.1@example.com", false), ("ftp://example.com", false), ("", false),
    ])
  func addresses(url: String, isAllowed: Bool) {
    let configuration = HTTPTransport.Configuration(
      url: url, device: DeviceID("d"), deviceName: "d")
    let made = try? HTTPTransport(
      configuration, localTime: { .distantPast }, token: { nil })
    #expect((made != nil) == isAllowed)
  }
}
