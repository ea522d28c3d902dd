internal import BellhopModel
package import BellhopStore
internal import GRDB

extension SQLiteFile {
  /// Returns descriptions of all problems found in the database at `path` and in its attachments.
  package static func problems(
    of path: String, shelf: some BlobStore
  ) async throws -> [String] {
    var problems = try problems(of: path)
    guard problems.isEmpty else { return problems }
    var missing = try await missingFiles(of: path, on: shelf)
    // A running store may have removed some meanwhile.
    if !missing.isEmpty { missing.formIntersection(try await missingFiles(of: path, on: shelf)) }
    if !missing.isEmpty {
      problems.append(missing.count.counted("attachment") + " whose file is missing")
    }
    return problems
  }

  private static func missingFiles(
    of path: String, on shelf: some BlobStore
  ) async throws -> Set<FileHash> {
    try await shelf.missing(among: files(of: path).map { (hash: $0.hash, size: $0.size) })
  }

  /// Copies or links the files that the database at `path` names to another blob store.
  ///
  /// - Returns: the number of files that are there now, and of files that neither blob store has.
  package static func copyFiles(
    of path: String, from shelf: DirectoryBlobStore, to target: DirectoryBlobStore
  ) throws -> (copied: Int, missing: Int) {
    var count = (copied: 0, missing: 0)
    for file in try files(of: path) {
      if try shelf.share(file.hash, with: target) { count.copied += 1 } else { count.missing += 1 }
    }
    return count
  }

  /// An attachment that a restore could not bring back.
  package struct LostFile: Hashable, Sendable {
    package enum Reason: String, Sendable {
      /// Neither blob store has it.
      case missing
      /// Its bytes differ from the uploaded ones. It was not put in place.
      case damaged
    }

    package var hash: FileHash
    /// The name under which it was published; the first one if there are several.
    package var name: String
    package var reason: Reason
  }

  /// Restores the files that the database at `path` names from a backup's blob store, unless they
  /// exist.
  ///
  /// The hash of every file is checked, including existing ones. Damaged existing files are
  /// replaced, and files that are damaged in the backup are not restored.
  ///
  /// - Returns: the number of files that are there now, and the files that are not.
  package static func restoreFiles(
    of path: String, from backup: DirectoryBlobStore, to shelf: DirectoryBlobStore
  ) throws -> (restored: Int, lost: [LostFile]) {
    var restored = 0
    var lost: [LostFile] = []
    for file in try files(of: path) {
      let present = shelf.isSound(file.hash)
      if present == true {
        restored += 1
        continue
      }
      let offered = backup.isSound(file.hash)
      if offered == true, try backup.put(file.hash, on: shelf) {
        restored += 1
      } else {
        let isDamaged = present == false || offered == false
        lost.append(
          LostFile(
            hash: file.hash, name: file.name, reason: isDamaged ? .damaged : .missing))
      }
    }
    return (restored, lost)
  }

  /// Returns the files recorded in the database; none for a database of an earlier version.
  private static func files(
    of path: String
  ) throws -> [(hash: FileHash, size: Int, name: String)] {
    try attempt {
      let queue = try open(path)
      defer { try? queue.close() }
      return try queue.read { database in
        guard try database.tableExists("file") else { return [] }
        return try Row.fetchAll(
          database,
          sql: "SELECT hash, max(size), min(name) FROM file GROUP BY hash ORDER BY hash"
        ).map { (hash: FileHash($0[0]), size: $0[1], name: $0[2]) }
      }
    }
  }
}
