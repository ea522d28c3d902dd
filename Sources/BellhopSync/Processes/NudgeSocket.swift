internal import BellhopModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The socket of a process in the folder through which an account's processes nudge each other.
///
/// It is a datagram socket that also writes to all the others. A process that finds a socket whose
/// process is gone removes it. Receiving blocks a thread, which costs no wake-ups.
package final class NudgeSocket: Sendable {
  /// The error for a folder or a socket that can't be used.
  package struct SocketError: ExplainedError, Hashable {
    package let path: String
    /// The system's error number.
    package let code: Int32
    /// The fault of the folder and the step that corrects it.
    package var advice = "Check that you own it and that its mode is 0700."

    package var description: String {
      "The folder \(path) for messages between bellhop's processes cannot be used: "
        + "\(String(cString: strerror(code)).clause). Nothing is lost; other screens on this "
        + "machine show changes later. \(advice)"
    }
  }

  private struct Listeners {
    var next = 0
    var continuations: [Int: AsyncStream<Nudge>.Continuation] = [:]
    var isClosed = false
  }

  /// The folder in use: the wanted one, or a short replacement if its path is too long.
  package let directory: String
  private let name: String
  private let descriptor: Int32
  private let listeners = Mutex(Listeners())

  /// Joins the processes that nudge each other in `directory`, which is made if missing.
  ///
  /// - Parameters:
  ///   - directory: The account's folder, private to the user.
  ///   - fallbackParent: The parent of a folder with a short name, which is made if the path of a
  ///     socket in `directory` would be longer than the system allows.
  /// - Throws: ``SocketError``.
  package init(directory: String, fallbackParent: String = "/tmp") throws(SocketError) {
    self.directory = try SocketFolder.prepare(directory, fallbackParent: fallbackParent)
    (descriptor, name) = try SocketFolder.bind(in: self.directory)
    let descriptor = self.descriptor
    let isStarted = startThread { [weak self] in
      Self.receive(from: descriptor) { bytes in
        guard let self, !self.isClosed else { return false }
        if let nudge = Nudge(bytes: bytes) { self.deliver(nudge) }
        return true
      }
    }
    guard isStarted else {
      close()
      SocketFolder.closeDescriptor(descriptor)
      throw SocketError(
        path: self.directory, code: EAGAIN,
        advice: "Your user has too many threads. End some programs, then restart bellhop.")
    }
  }

  deinit { close() }

  /// Returns the nudges from now on, until the socket is closed.
  ///
  /// Every caller gets a stream of its own. A slow reader misses old nudges, never new ones.
  package func nudges() -> AsyncStream<Nudge> {
    let (stream, continuation) = AsyncStream<Nudge>.makeStream(
      bufferingPolicy: .bufferingNewest(64))
    let key: Int? = listeners.withLock { listeners in
      guard !listeners.isClosed else { return nil }
      listeners.next += 1
      listeners.continuations[listeners.next] = continuation
      return listeners.next
    }
    guard let key else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: key) }
    }
    return stream
  }

  /// Sends a nudge to all other processes.
  ///
  /// Never blocks: a process with too many unread nudges misses it.
  package func broadcast(_ nudge: Nudge) {
    SocketFolder.send(nudge.bytes, toAllIn: directory, except: name, from: descriptor)
  }

  /// Sends a nudge to all processes of the folder without joining them.
  /// - Throws: ``SocketError``.
  package static func broadcast(
    _ nudge: Nudge, in directory: String, fallbackParent: String = "/tmp"
  ) throws(SocketError) {
    let folder = try SocketFolder.prepare(directory, fallbackParent: fallbackParent)
    let descriptor = try SocketFolder.socket(for: folder)
    SocketFolder.send(nudge.bytes, toAllIn: folder, except: nil, from: descriptor)
    SocketFolder.closeDescriptor(descriptor)
  }

  /// Leaves the folder: removes the socket's file and ends every stream.
  package func close() {
    let continuations: [AsyncStream<Nudge>.Continuation]? = listeners.withLock { listeners in
      guard !listeners.isClosed else { return nil }
      listeners.isClosed = true
      defer { listeners.continuations = [:] }
      return Array(listeners.continuations.values)
    }
    guard let continuations else { return }
    for continuation in continuations { continuation.finish() }
    // A datagram to itself ends the thread, which closes the descriptor.
    SocketFolder.send([0], to: directory + "/" + name, from: descriptor)
    unlink(directory + "/" + name)
  }

  private var isClosed: Bool { listeners.withLock { $0.isClosed } }

  private func deliver(_ nudge: Nudge) {
    let continuations = listeners.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.yield(nudge) }
  }

  /// Reads datagrams until `isWanted` returns false, then closes the descriptor.
  private static func receive(
    from descriptor: Int32, isWanted: ([UInt8]) -> Bool
  ) {
    var buffer = [UInt8](repeating: 0, count: Nudge.bytesMax)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 0, isWanted(Array(buffer[..<count])) else { break }
    }
    SocketFolder.closeDescriptor(descriptor)
  }
}
