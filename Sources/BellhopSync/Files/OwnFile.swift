#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Small files that a user's programs keep, and that other users need not read (SECURITY-4).
package enum OwnFile {
  /// The size limit, far above that of a token or a settings file.
  private static let bytesMax = 1 << 20

  /// The reason why a file was not read or written.
  package struct AccessError: Error {
    package enum Kind: Sendable {
      /// An error of the operating system.
      case inputOutput
      /// Another user owns the file, or may read it.
      case notAllowed
      /// The file is no regular one, or is too large.
      case badData
    }

    package var kind: Kind
    /// A sentence for the user, which names the file.
    package var message: String
    /// A sentence with the fix, or with what was not done.
    package var next: String?
  }

  /// Returns the bytes of a file; nil if it does not exist.
  ///
  /// - Parameter isSecret: Whether to refuse symbolic links, files of other users, and modes that let
  ///   others read.
  package static func read(_ path: String, isSecret: Bool) throws(AccessError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isSecret ? O_NOFOLLOW : 0))
    func failure() -> AccessError {
      AccessError(kind: .inputOutput, message: "Cannot read \(path): \(reason(errno)).")
    }
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure()
    }
    defer { _ = close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure() }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw AccessError(kind: .badData, message: "\(path) is not a regular file.")
    }
    if isSecret {
      guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
        throw AccessError(
          kind: .notAllowed, message: "Other users can read \(path), so it is not used.",
          next: "Run: chmod 600 \(path)")
      }
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = platformRead(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure()
      }
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer[0..<count])
      guard bytes.count <= bytesMax else {
        throw AccessError(kind: .badData, message: "\(path) is larger than \(bytesMax) bytes.")
      }
    }
  }

  /// Replaces a file atomically by one that only its owner may read.
  ///
  /// - Parameter isSynced: Whether the write survives a power loss. If false, the file may then have
  ///   its old content or be missing.
  /// - Throws: ``AccessError``. The old file is then unchanged.
  package static func write(_ bytes: [UInt8], to path: String, isSynced: Bool) throws(AccessError) {
    let temporary = "\(path).\(getpid()).new"
    _ = unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    var error = descriptor < 0 ? errno : fill(descriptor, with: bytes, isSynced: isSynced)
    if descriptor >= 0, close(descriptor) != 0, error == nil { error = errno }
    if error == nil, rename(temporary, path) != 0 { error = errno }
    guard let error else { return }
    _ = unlink(temporary)
    throw AccessError(
      kind: .inputOutput, message: "Cannot write \(path): \(reason(error)).",
      next: "The file was not changed.")
  }

  /// Returns the error, or nil if all bytes were written.
  private static func fill(_ descriptor: Int32, with bytes: [UInt8], isSynced: Bool) -> Int32? {
    if let code = writeAll(bytes, to: descriptor) { return code }
    return isSynced && fsync(descriptor) != 0 ? errno : nil
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

// Inside a type with functions `read` and `write`, these names mean its own functions.
func platformRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ size: Int) -> Int {
  read(file, buffer, size)
}

/// Writes all bytes to an open file, across interruptions.
///
/// - Returns: The error number; nil if all bytes were written.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR || errno == EAGAIN { continue }
    guard count > 0 else { return errno }
    rest = rest.dropFirst(count)
  }
  return nil
}
