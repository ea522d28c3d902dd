internal import BellhopStore
internal import GRDB

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Operations on a store's database as a file: copying, checking and installing it.
///
/// All errors are `StoreError`; a file that cannot be created or replaced is
/// `StoreError.unavailable(reason:)` with the system's reason.
package enum SQLiteFile {
  /// Copies one consistent state of the database at `path` into one file, even while a store serves
  /// it.
  ///
  /// When the file appears under its name, it is complete, checked, on the disk, and accessible to
  /// the owner only.
  ///
  /// - Parameter owner: the owner of the copy.
  /// - Throws: `StoreError.alreadyExists(what:)` when a file exists at `target`, unless it may be
  ///   replaced.
  package static func copy(
    from path: String, to target: String, replacing: Bool, owner: DataOwner = .process
  ) throws {
    try attempt {
      if !replacing, access(target, F_OK) == 0 {
        throw StoreError.alreadyExists(what: "the file")
      }
      let parts = try PrivateTemporaryFolder(for: target)
      defer { parts.remove() }
      try write(from: path, to: parts.file, owner: owner)
      try publish(parts.file, as: target, replacing: replacing)
    }
  }

  /// Returns descriptions of all problems found in the database at `path`.
  package static func problems(of path: String) throws -> [String] {
    try attempt {
      let queue = try open(path)
      defer { try? queue.close() }
      return try queue.read { try Invariants.problems(in: $0) }
    }
  }

  /// Returns the place to which the store in the database at `path` was moved; nil if it was not.
  package static func movedTarget(of path: String) throws -> String? {
    try attempt {
      let queue = try open(path)
      defer { try? queue.close() }
      return try queue.read { database -> String? in
        guard try database.tableExists("metadata") else { return nil }
        return try SQLiteTransaction(database).movedTarget()
      }
    }
  }

  /// Replaces a database with a prepared one; no process may have either open. There is a complete
  /// database at `path` at every moment.
  ///
  /// - Parameter aside: the path at which the replaced database is kept; an existing file there is
  ///   replaced.
  package static func install(_ prepared: String, at path: String, keepingOldAt aside: String)
    throws
  {
    try attempt {
      try dropLog(of: prepared)
      guard access(prepared + "-wal", F_OK) != 0 else {
        throw StoreError.unavailable(reason: "the restored database was not closed properly")
      }
      try sync(prepared)
      if access(path, F_OK) == 0 {
        for suffix in ["", "-wal", "-shm"] { unlink(aside + suffix) }
        // A log that was not checkpointed belongs to the old database and would corrupt the new
        // one.
        if access(path + "-wal", F_OK) == 0 {
          try Disk.check(rename(path + "-wal", aside + "-wal"), "moved", path + "-wal")
        }
        unlink(path + "-shm")
        try Disk.check(link(path, aside), "kept", path)
      }
      try Disk.check(rename(prepared, path), "moved into place", path)
      try syncDirectory(of: path)
    }
  }

  // MARK: - Steps

  static func attempt<Value>(_ work: () throws -> Value) throws -> Value {
    do { return try work() } catch { throw SQLiteBackend.storeError(error) }
  }

  static func open(_ path: String) throws -> DatabaseQueue {
    guard access(path, F_OK) == 0 else { throw StoreError.notFound(what: "database") }
    try SQLiteBackend.refuseNewerSchema(path)
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Moves the contents of the log into the database and removes the log, which the last closing
  /// reader leaves behind.
  private static func dropLog(of path: String) throws {
    let queue = try open(path)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
  }

  private static func write(from path: String, to part: String, owner: DataOwner) throws {
    let source = try open(path)
    defer { try? source.close() }
    try OwnerOnlyFile.makeNew(part, owner: owner)
    let copy = try DatabaseQueue(path: part)
    defer { try? copy.close() }
    // Copies all pages in one step: one snapshot, undisturbed by concurrent writers.
    try source.backup(to: copy)
    try copy.writeWithoutTransaction { database in
      // A single file without a log beside it.
      try database.execute(sql: "PRAGMA journal_mode = DELETE")
      let verdict = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
      guard verdict == ["ok"], try database.tableExists("metadata") else {
        throw StoreError.unavailable(reason: "the file is damaged, or is not a store's database")
      }
    }
  }

  private static func publish(_ part: String, as target: String, replacing: Bool) throws {
    try sync(part)
    if replacing {
      try Disk.check(rename(part, target), "written", target)
    } else if link(part, target) != 0 {
      if errno == EEXIST { throw StoreError.alreadyExists(what: "the file") }
      try Disk.check(-1, "written", target)
    }
    try syncDirectory(of: target)
  }

  private static func sync(_ path: String, flags: Int32 = 0) throws {
    let descriptor = openFile(path, flags)
    try Disk.check(descriptor, "opened", path)
    defer { close(descriptor) }
    try Disk.check(fsync(descriptor), "written to the disk", path)
  }

  private static func syncDirectory(of path: String) throws {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    try sync(folder, flags: O_DIRECTORY)
  }

  private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, O_RDONLY | O_CLOEXEC | flags)
    #elseif canImport(Musl)
      Musl.open(path, O_RDONLY | O_CLOEXEC | flags)
    #else
      Darwin.open(path, O_RDONLY | O_CLOEXEC | flags)
    #endif
  }
}
