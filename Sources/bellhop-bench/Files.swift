import BellhopSync
import FoundationEssentials
import Glibc
import Synchronization

/// File operations for the measurements.
enum Files {
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
  static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Creates a folder and its parents, for its owner only.
  static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }

  /// Makes a file accessible to its owner only.
  static func makePrivate(_ path: String) throws {
    guard chmod(path, 0o600) == 0 else { throw BenchError("\(path) cannot be made private") }
  }

  static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// Copies a closed database without its `-wal` and `-shm` files.
  static func copy(_ path: String, to destination: String) throws {
    for suffix in ["", "-wal", "-shm"] { remove(destination + suffix) }
    try FileManager.default.copyItem(atPath: path, toPath: destination)
  }

  static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  static func read(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  /// Writes a line at once, so that figures appear as they are measured.
  static func say(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
    _ = writeAll(Array((line + "\n").utf8), to: descriptor)
  }

  /// Returns the folder of the running program, which also contains the other programs.
  static func programFolder() -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(
      decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
  }

  /// Returns the path of an installed program; nil if it is not installed.
  static func program(_ name: String) -> String? {
    // Debian installs PostgreSQL's server programs by version, outside the usual PATH.
    let versions = "/usr/lib/postgresql/"
    let newest = names(in: versions).compactMap { Int($0) }.max().map { versions + "\($0)/bin/" }
    let folders = ["/usr/local/bin/", "/usr/bin/", "/usr/sbin/", "/bin/"]
    return ((newest.map { [$0] } ?? []) + folders).map { $0 + name }.first(where: isExecutable)
  }

  /// Returns the path of a program that is needed.
  ///
  /// - Throws: ``BenchError`` if it is not installed.
  static func installed(_ name: String) throws -> String {
    guard let path = program(name) else { throw BenchError("\(name) is not installed") }
    return path
  }

  /// Returns the names in a folder; empty if it cannot be read.
  static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}

/// The folders to remove at the end of the program, however it ends.
final class TemporaryFolders: Sendable {
  private let paths = Mutex<Set<String>>([])

  func add(_ path: String) { _ = paths.withLock { $0.insert(path) } }
  func forget(_ path: String) { _ = paths.withLock { $0.remove(path) } }

  func clearAway() {
    for path in paths.withLock({ $0 }) { Files.remove(path) }
  }
}
