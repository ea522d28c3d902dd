internal import BellhopModel
internal import Crypto
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A portable backup that is being written.
///
/// The file appears under its name when it is complete and on the disk. Only its owner can read it.
final class BackupWriter: Sendable {
  private struct State {
    var buffer: [UInt8] = []
    var hasher = SHA256()
  }

  /// The size of one write to the file.
  private static let bufferBytes = 1 << 20

  private let path: String
  private let part: String
  private let descriptor: Int32
  private let state = Mutex(State())

  /// - Throws: ``StoreError/alreadyExists(what:)`` if a file exists at `path`.
  init(path: String) throws {
    guard access(path, F_OK) != 0 else { throw StoreError.alreadyExists(what: "the file") }
    let part = "\(path).part-\(getpid())"
    unlink(part)
    self.path = path
    self.part = part
    descriptor = Glibc.open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError.failedCall("created", part) }
    state.withLock { $0.buffer = BackupHeader.magic }
  }

  /// Discards everything that was written, for a snapshot that is read again.
  func restart() throws {
    try state.withLock { state in
      guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
        throw StoreError.failedCall("written", part)
      }
      state = State(buffer: BackupHeader.magic)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    unlink(part)
  }

  func write(_ kind: BackupKind, _ payload: [UInt8]) throws {
    try state.withLock { state in
      state.buffer.append(kind.rawValue)
      state.buffer.appendBigEndian(UInt64(payload.count), byteCount: 4)
      state.buffer.append(contentsOf: payload)
      if state.buffer.count >= Self.bufferBytes { try flush(&state) }
    }
  }

  /// Writes a record with a value as JSON.
  func writeJSON(_ kind: BackupKind, _ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try write(kind, Array(try encoder.encode(value)))
  }

  /// Writes the checksum of everything before it, and moves the file into place.
  func finish() throws {
    try state.withLock { state in
      try flush(&state)
      state.buffer = Array(state.hasher.finalize())
      try flush(&state)
    }
    guard fsync(descriptor) == 0 else { throw StoreError.failedCall("written to the disk", part) }
    guard link(part, path) == 0 else {
      if errno == EEXIST { throw StoreError.alreadyExists(what: "the file") }
      throw StoreError.failedCall("moved into place", path)
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let directory = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw StoreError.failedCall("opened", folder) }
    defer { Glibc.close(directory) }
    guard fsync(directory) == 0 else { throw StoreError.failedCall("written to the disk", folder) }
  }

  private func flush(_ state: inout State) throws {
    state.hasher.update(data: state.buffer)
    var rest = state.buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreError.failedCall("written", part) }
      rest.removeFirst(count)
    }
    state.buffer.removeAll(keepingCapacity: true)
  }
}
