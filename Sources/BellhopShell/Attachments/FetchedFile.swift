internal import BellhopClient
internal import BellhopInbox
internal import Glibc

/// Files that were fetched before, in the program's own folder.
enum FetchedFile {
  private static let pieceBytes = 128 << 10

  /// Whether it is there, as a file: the folder is emptied of what is old.
  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// What there is to see of it.
  ///
  /// - Throws: ``ClientError``.
  static func preview(_ path: String) throws -> PreviewContent {
    var bytes: [UInt8] = []
    var isWhole = true
    try read(path) { piece in
      bytes += piece
      isWhole = bytes.count <= PreviewText.bytesMax
      return isWhole
    }
    return PreviewContent(
      of: Array(bytes.prefix(PreviewText.bytesMax)), isWhole: isWhole, path: path)
  }

  /// Writes it into another, which is finished then.
  ///
  /// - Throws: ``ClientError``, or `CancellationError`; nothing is left of the other then.
  static func copy(_ path: String, to file: NewFile) throws {
    do {
      try read(path) { piece in
        try Task.checkCancellation()
        try file.write(piece)
        return true
      }
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
  }

  /// Reads it piece by piece, until `take` says false.
  private static func read(_ path: String, _ take: ([UInt8]) throws -> Bool) throws {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      guard count > 0, try take(Array(buffer[..<count])) else { return }
    }
  }

  private static func failure(_ path: String) -> ClientError {
    ClientError(.inputOutput, "Cannot read \(path): \(systemMessage(errno)).")
  }
}
