internal import BellhopInbox
internal import BellhopSync
internal import Glibc

/// A newly created file that is being written, readable by its owner only.
///
/// It never replaces a file or follows a link. An unfinished file is removed.
///
/// `@unchecked Sendable`: one task writes and finishes it, one call after the other. A caller that
/// gives the file to a task uses it again only after the task has ended.
package final class NewFile: @unchecked Sendable {
  package let path: String
  private var descriptor: Int32

  /// The highest number to try for a name that is taken.
  private static let copiesMax = 999

  /// Creates a file in a folder, and the folder if needed. If `name` is taken, uses `name (2)`.
  ///
  /// - Parameter name: A name cleaned by `FileName.clean(_:)`.
  /// - Throws: ``ClientError``.
  package static func make(_ name: String, in folder: String) throws -> NewFile {
    try makeFolder(folder)
    for number in 1...copiesMax {
      if let file = try make(path: folder + "/" + FileName.numbered(name, number)) { return file }
    }
    throw ClientError(
      .cannotCreate, "\(folder) already has \(copiesMax) files with the name \(name).",
      next: "Nothing was saved.")
  }

  /// Creates the file; nil if the name is taken.
  ///
  /// - Throws: ``ClientError``.
  package static func make(path: String) throws -> NewFile? {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw ClientError(
        .cannotCreate, "Cannot create \(path): \(systemMessage(errno)).", next: "Nothing was saved."
      )
    }
    return NewFile(path: path, descriptor: descriptor)
  }

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { discard() }

  /// - Throws: ``ClientError``, for example if the disk is full.
  package func write(_ bytes: [UInt8]) throws {
    guard let code = writeAll(bytes, to: descriptor) else { return }
    throw ClientError(
      .inputOutput, "Cannot write \(path): \(systemMessage(code)).",
      next: "The partial file was removed.")
  }

  /// Closes the file and keeps it.
  ///
  /// - Throws: ``ClientError``. The file is then removed.
  package func finish() throws {
    guard fsync(descriptor) == 0 else {
      let reason = systemMessage(errno)
      discard()
      throw ClientError(.inputOutput, "Cannot write \(path): \(reason).")
    }
    close(handOver())
  }

  /// Removes the file unless it is finished.
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
    // An existing folder may belong to any user who lets this one write, and may be a link.
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    try Directories.make(path)
  }
}
