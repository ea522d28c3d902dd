internal import Glibc
internal import Synchronization

/// A pipe that ends a wait of another thread.
///
/// The waiting thread polls ``readingEnd``, and keeps the pipe until it has ended.
final class EndPipe: Sendable {
  let readingEnd: Int32
  private let writingEnd: Mutex<Int32>

  /// - Throws: ``ClientError`` with the system's reason.
  init() throws(ClientError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ClientError(.tryLater, "Cannot create a pipe: \(systemMessage(errno)).")
    }
    // A copy in a child process would keep it open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    readingEnd = ends[0]
    writingEnd = Mutex(ends[1])
  }

  deinit {
    end()
    close(readingEnd)
  }

  /// Ends the wait. Does nothing the second time.
  func end() {
    writingEnd.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  /// Waits for the end, at most for a duration. Returns whether it was signalled.
  func wait(atMost limit: Duration) -> Bool {
    var waiting = pollfd(fd: readingEnd, events: 0, revents: 0)
    return poll(&waiting, 1, limit.wholeMilliseconds) > 0
  }
}

extension Duration {
  /// The duration for calls of the system that take milliseconds.
  var wholeMilliseconds: Int32 {
    Int32(clamping: components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
