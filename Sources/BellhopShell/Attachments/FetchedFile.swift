internal import BellhopClient
internal import BellhopInbox
internal import Glibc

/// Previously fetched files in the program's own folder.
enum FetchedFile {
  private static let pieceBytes = 128 << 10

  /// Whether the file still exists. Old files are removed from the folder.
  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns a preview of the file.
  ///
  /// - Throws: `ClientError`.
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

  /// Copies the file into another one and finishes that one.
  ///
  /// - Throws: `ClientError` or `CancellationError`. The other file is then removed.
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

  /// Reads the file piece by piece until `take` returns false.
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
