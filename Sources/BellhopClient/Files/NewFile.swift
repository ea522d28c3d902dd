internal import BellhopInbox
internal import Glibc

/// A file that is being written and was not there before: never over another one, never through a
/// link, readable by its owner only. Nothing is left of one that is not finished.
///
/// `@unchecked Sendable`: one task writes and finishes it, one call after the other. A caller that
/// gives the file to a task uses it again only after the task has ended.
package final class NewFile: @unchecked Sendable {
  package let path: String
  private var descriptor: Int32

  /// As many copies of one name as anybody keeps.
  private static let copiesMax = 999

  /// Makes a file in a folder, which is made too: `name`, or `name (2)` where that is taken.
  ///
  /// - Parameter name: Cleaned by `FileName.clean(_:)`.
  /// - Throws: ``ClientError``.
  package static func make(_ name: String, in folder: String) throws -> NewFile {
    try makeFolder(folder)
    for number in 1...copiesMax {
      if let file = try make(path: folder + "/" + FileName.numbered(name, number)) { return file }
    }
    throw ClientError(
      .cannotCreate, "There are \(copiesMax) files called \(name) in \(folder).",
      next: "Nothing was saved.")
  }

  /// Makes the file; nil when there is something of this name.
  ///
  /// - Throws: ``ClientError``.
  package static func make(path: String) throws -> NewFile? {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw ClientError(
        .cannotCreate, "Cannot make \(path): \(systemMessage(errno)).", next: "Nothing was saved.")
    }
    return NewFile(path: path, descriptor: descriptor)
  }

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { discard() }

  /// - Throws: ``ClientError``, such as for a full disk.
  package func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw ClientError(
          .inputOutput, "Cannot write \(path): \(systemMessage(errno)).",
          next: "Nothing is left of it.")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Keeps the file as it is now.
  ///
  /// - Throws: ``ClientError``; the file is gone then.
  package func finish() throws {
    guard fsync(descriptor) == 0 else {
      let reason = systemMessage(errno)
      discard()
      throw ClientError(.inputOutput, "Cannot write \(path): \(reason).")
    }
    close(handOver())
  }

  /// Leaves nothing, unless it is finished.
  package func discard() {
    guard descriptor >= 0 else { return }
    close(handOver())
    unlink(path)
  }

  private func handOver() -> Int32 {
    defer { descriptor = -1 }
    return descriptor
  }

  private static func makeFolder(_ path: String) throws {
    var status = stat()
    // One that is there may be anybody's who lets this user write, and a link too.
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    try Directories.make(path)
  }
}
