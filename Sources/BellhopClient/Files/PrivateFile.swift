internal import Glibc

/// Small files that only their owner may read (SECURITY-4).
package enum PrivateFile {
  /// The size limit, far above that of a token or a settings file.
  private static let bytesMax = 1 << 20

  /// Returns the file's text; nil if there is no such file.
  ///
  /// Refuses symbolic links, files of other users, and modes that let others read. The error names
  /// the fix.
  /// - Throws: ``ClientError``.
  package static func read(_ path: String, isSecret: Bool = true) throws -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isSecret ? O_NOFOLLOW : 0))
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw ClientError(.inputOutput, "Cannot read \(path): \(systemMessage(errno)).")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ClientError(.badData, "\(path) is not a regular file.")
    }
    if isSecret {
      guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
        throw ClientError(
          .notAllowed, "Other users can read \(path), so it is not used.",
          next: "Run: chmod 600 \(path)")
      }
    }
    guard status.st_size <= bytesMax else {
      throw ClientError(.badData, "\(path) is larger than \(bytesMax) bytes.")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= bytesMax {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw ClientError(.inputOutput, "Cannot read \(path): \(systemMessage(errno)).")
      }
      if count == 0 { break }
      bytes.append(contentsOf: buffer[0..<count])
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ClientError(.badData, "\(path) is not UTF-8 text.")
    }
    return text
  }

  /// Writes the file atomically: creates a new file beside it, syncs it, and renames it.
  ///
  /// - Parameter isSynced: Whether the write survives a power loss. If false, the file may then
  ///   have its old content or be missing.
  /// - Throws: ``ClientError``. The old file is then unchanged.
  package static func write(_ text: String, to path: String, isSynced: Bool = true) throws {
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    func failure() -> ClientError {
      let reason = systemMessage(errno)
      unlink(temporary)
      return ClientError(
        .inputOutput, "Cannot write \(path): \(reason).", next: "The file was not changed.")
    }
    guard descriptor >= 0 else { throw failure() }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = failure()
        close(descriptor)
        throw error
      }
      rest = rest.dropFirst(count)
    }
    guard !isSynced || fsync(descriptor) == 0, close(descriptor) == 0, rename(temporary, path) == 0
    else {
      throw failure()
    }
  }
}
