import FoundationEssentials
import Glibc
import Synchronization

/// Operations on the bytes of the cache's file, before SQLite opens it.
enum CacheFile {
  /// The page size that SQLite uses for a new cache.
  static let pageBytes = 4096

  /// Creates an empty file that only its owner can read, in a folder with the same restriction.
  ///
  /// SQLite gives its companion files the same permissions. An existing file does not change.
  static func create(at path: String) throws(CacheError) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    if !folder.isEmpty, mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw failure(path)
    }
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
    } else if errno != EEXIST {
      throw failure(path)
    }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Checks the first bytes, so that SQLite never opens an unsuitable file.
  ///
  /// - Throws: ``CacheError/newerSchema(path:)``, ``CacheError/corrupt(path:detail:)`` for a file
  ///   that is not an SQLite database, ``CacheError/io(path:detail:)``.
  static func check(_ path: String) throws(CacheError) {
    guard let file = descriptor(of: path) else { throw failure(path) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(file, &header, header.count, 0)
    guard count >= 0 else { throw failure(path) }
    // The file is still empty: everything may be in the write-ahead log.
    if count == 0 { return }
    guard count == header.count, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw .corrupt(path: path, detail: "it is not a SQLite database")
    }
    let version = header[60..<64].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    if version > Schema.version { throw .newerSchema(path: path) }
  }

  private struct FileID: Hashable {
    var device: dev_t
    var inode: ino_t
  }

  private static let descriptors = Mutex<[FileID: CInt]>([:])

  /// Returns a descriptor for reading, one for each file, which is never closed.
  ///
  /// Closing any descriptor of a file releases all POSIX locks that the process has on it,
  /// including SQLite's. Another process would then consider itself the last one, and delete the
  /// write-ahead log that this process is writing.
  private static func descriptor(of path: String) -> CInt? {
    descriptors.withLock { known in
      var info = stat()
      guard stat(path, &info) == 0 else { return nil }
      let id = FileID(device: info.st_dev, inode: info.st_ino)
      if let file = known[id] { return file }
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      known[id] = file
      return file
    }
  }

  // MARK: Damage

  /// Records in a file beside the cache that it is damaged.
  ///
  /// Damage deep in the file shows only when it is read. The next process that opens the cache
  /// checks the whole file, and rescues the outbox before anything else.
  static func markDamaged(_ path: String) {
    let file = open(damageMark(path), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
  }

  /// Returns whether damage was found. SQLite also reports damage when a disk fails to read once.
  static func isMarkedDamaged(_ path: String) -> Bool { exists(damageMark(path)) }

  static func damageMet(_ path: String) -> CacheError {
    .corrupt(path: path, detail: "found during use")
  }

  static func unmarkDamaged(_ path: String) { unlink(damageMark(path)) }

  private static func damageMark(_ path: String) -> String { path + ".is-damaged" }

  // MARK: Copies

  /// Returns the files that belong to one database.
  static func companions(of path: String) -> [String] { [path, path + "-wal", path + "-shm"] }

  static func remove(_ path: String) {
    for file in companions(of: path) { unlink(file) }
  }

  /// Renames a database with its companions.
  static func move(_ path: String, to destination: String) throws(CacheError) {
    for suffix in ["-wal", "-shm", ""] where exists(path + suffix) {
      if rename(path + suffix, destination + suffix) != 0 { throw failure(path) }
    }
  }

  static func copy(_ path: String, to destination: String) throws(CacheError) {
    do {
      try write(try Data(contentsOf: URL(filePath: path)), to: destination)
    } catch {
      throw CacheError(error, path: path)
    }
  }

  static func write(_ data: Data, to path: String) throws(CacheError) {
    unlink(path)
    try create(at: path)
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    var rest = [UInt8](data)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw failure(path) }
      rest = rest.dropFirst(count)
    }
  }

  private static func failure(_ path: String) -> CacheError {
    errno == ENOSPC ? .full(path: path) : .io(path: path, detail: String(cString: strerror(errno)))
  }
}
