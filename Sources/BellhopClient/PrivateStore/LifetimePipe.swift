internal import Glibc

/// A pipe that ends another program with this one, however this one ends.
///
/// Only this process can write to it, and it never does. When the kernel closes this end, the
/// reader at the other end detects it.
package final class LifetimePipe: Sendable {
  /// The end for the program that must detect it.
  let readingEnd: Int32
  private let ownEnd: Int32

  /// - Throws: ``ClientError`` with the system's reason.
  package init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ClientError(.tryLater, "Cannot create a pipe: \(systemMessage(errno)).")
    }
    // A copy in another child process would outlive this process.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (readingEnd, ownEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readingEnd)
    close(ownEnd)
  }
}
