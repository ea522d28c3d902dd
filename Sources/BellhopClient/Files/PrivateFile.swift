internal import BellhopSync
internal import FoundationEssentials

/// Small text files that only their owner may read (SECURITY-4).
package enum PrivateFile {
  /// Returns the file's text; nil if there is no such file.
  ///
  /// Refuses symbolic links, files of other users, and modes that let others read. The error names
  /// the fix.
  /// - Throws: ``ClientError``.
  package static func read(_ path: String, isSecret: Bool = true) throws -> String? {
    do {
      guard let bytes = try OwnFile.read(path, isSecret: isSecret) else { return nil }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw ClientError(.badData, "\(path) is not UTF-8 text.")
      }
      return text
    } catch let failure as OwnFile.AccessError {
      throw ClientError(failure)
    }
  }

  /// Writes the file atomically: creates a new file beside it, syncs it, and renames it.
  ///
  /// - Parameter isSynced: Whether the write survives a power loss. If false, the file may then
  ///   have its old content or be missing.
  /// - Throws: ``ClientError``. The old file is then unchanged.
  package static func write(_ text: String, to path: String, isSynced: Bool = true) throws {
    do {
      try OwnFile.write(Array(text.utf8), to: path, isSynced: isSynced)
    } catch {
      throw ClientError(error)
    }
  }

  /// Writes a value as JSON that people can read.
  ///
  /// - Parameter failure: The error if JSON cannot represent the value.
  static func write(
    json value: some Encodable, to path: String, orThrow failure: ClientError
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { throw failure }
    try write(String(decoding: data, as: UTF8.self) + "\n", to: path)
  }
}

extension ClientError {
  fileprivate init(_ failure: OwnFile.AccessError) {
    let code: ExitCode =
      switch failure.kind {
      case .inputOutput: .inputOutput
      case .notAllowed: .notAllowed
      case .badData: .badData
      }
    self.init(code, failure.message, next: failure.next)
  }
}
