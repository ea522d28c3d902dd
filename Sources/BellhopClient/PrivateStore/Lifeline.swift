internal import Glibc

/// Ends a program with this one, in whatever way this one ends: a pipe that only this process can
/// write to, and never does. Its other end says so to its reader, when the kernel closes this
/// one.
package final class Lifeline: Sendable {
  /// The end for the program that is to notice.
  let readingEnd: Int32
  private let ownEnd: Int32

  /// - Throws: ``ClientError`` with the system's reason.
  package init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ClientError(.tryLater, "Cannot make a pipe: \(systemMessage(errno)).")
    }
    // A copy in another child would outlive this process.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (readingEnd, ownEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readingEnd)
    close(ownEnd)
  }
}
