internal import BellhopClient
internal import Glibc

/// Input from a program or the user on standard input.
enum StandardInput {
  /// The size limit, which allows far more items than a command changes individually.
  private static let bytesMax = 4 << 20

  /// Returns the first word of each line or NUL-terminated part.
  ///
  /// This accepts the output of `bellhop list --ids` and the numbers of `bellhop list`.
  ///
  /// - Throws: `ClientError` if the input cannot be read, is too long, or is not UTF-8.
  static func names() throws -> [String] {
    try FileText.read(STDIN_FILENO, name: "standard input", bytesMax: bytesMax)
      .split { $0.isNewline || $0 == "\0" }
      .compactMap { line in line.split(whereSeparator: \.isWhitespace).first.map(String.init) }
  }
}

/// Text from files and pipes.
enum FileText {
  /// Reads a whole file, or standard input for `-`.
  ///
  /// - Throws: `ClientError`, as ``read(_:name:bytesMax:)`` does.
  static func read(path: String, bytesMax: Int) throws -> String {
    if path == "-" {
      return try read(STDIN_FILENO, name: "standard input", bytesMax: bytesMax)
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ClientError(
        .inputOutput, "Cannot read \(path): \(systemMessage(errno)).", next: "Nothing was changed.")
    }
    defer { close(descriptor) }
    return try read(descriptor, name: path, bytesMax: bytesMax)
  }

  /// Reads the whole content of the descriptor.
  ///
  /// - Throws: `ClientError` if it cannot be read, has more than `bytesMax`, or is not UTF-8.
  static func read(_ descriptor: Int32, name: String, bytesMax: Int) throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw ClientError(
          .inputOutput, "Cannot read \(name): \(systemMessage(errno)).",
          next: "Nothing was changed.")
      }
      if count == 0 { break }
      bytes.append(contentsOf: buffer[0..<count])
      guard bytes.count <= bytesMax else {
        throw ClientError(
          .badData, "\(name) is longer than \(bytesMax / 1024) KiB.", next: "Nothing was changed.")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ClientError(.badData, "\(name) is not UTF-8 text.", next: "Nothing was changed.")
    }
    return text
  }
}
