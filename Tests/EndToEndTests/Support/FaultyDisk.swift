import BellhopTestSupport
import FoundationEssentials
import Glibc

/// A folder on a disk with faults, while programs write to it (`CFaults.h`, `disk.c`).
///
/// The disk can be filled, can fail, and loses unsynced data at a power cut.
struct FaultyDisk: Sendable {
  /// The operations that can fail, on databases and their logs.
  struct Operations: OptionSet {
    let rawValue: Int64
    static let writes = Operations(rawValue: 1)
    static let syncs = Operations(rawValue: 2)
    static let truncations = Operations(rawValue: 4)
    static let reads = Operations(rawValue: 8)
    /// All operations that change something.
    static let changes: Operations = [.writes, .syncs, .truncations]
  }

  let folder: String
  private var sign: String { folder + "/../full" }
  private var errors: String { folder + "/../errors" }
  private var unsynced: String { folder + "/../unsynced" }

  /// - Parameters:
  /// - folder: A path without links; created if necessary.
  /// - forgets: Whether its power can be cut.
  init(folder: String, forgets: Bool = false) throws {
    self.folder = folder
    for folder in [folder] + (forgets ? [unsynced] : []) {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    try Data(count: 6 * 8).write(to: URL(filePath: errors))
  }

  // MARK: - Space

  func fill() throws { try Data().write(to: URL(filePath: sign)) }

  func makeRoom() throws { try FileManager.default.removeItem(atPath: sign) }

  // MARK: - Errors

  /// The numbers of `struct errors`, in its order.
  private enum Field: off_t {
    case seen, first, count, kinds, failed, error
  }

  /// Writes in place, a number at a time, because programs have the file mapped.
  private func set(_ values: [(Field, Int64)]) throws {
    let file = open(errors, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    for (field, value) in values {
      var value = value
      guard pwrite(file, &value, 8, field.rawValue * 8) == 8 else {
        throw NotSeen("a fault that is set", seen: systemMessage(errno))
      }
    }
  }

  /// Makes operations fail from the `first` on; if `code` is nil, the process is killed at it.
  func fail(
    _ operations: Operations, with code: Int32?, from first: Int, count: Int = .max / 2
  ) throws {
    try set([
      (.error, 0), (.seen, 0), (.failed, 0), (.first, Int64(first)), (.count, Int64(count)),
      (.kinds, operations.rawValue), (.error, code.map(Int64.init) ?? -1),
    ])
  }

  /// Ends all failures.
  func heal() throws { try set([(.error, 0)]) }

  /// The number of operations that failed since the last call of `fail`.
  var failures: Int {
    get throws {
      let bytes = Array(try Data(contentsOf: URL(filePath: errors)))
      return bytes.withUnsafeBytes {
        Int($0.loadUnaligned(fromByteOffset: Int(Field.failed.rawValue) * 8, as: Int64.self))
      }
    }
  }
}
