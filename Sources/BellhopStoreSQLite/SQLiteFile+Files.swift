internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteFile {
  /// Everything that is not as it should be in the database at `path`, or in the files of its
  /// attachments, in words.
  public static func problems(of path: String, shelf: DirectoryShelf) throws -> [String] {
    var problems = try problems(of: path)
    guard problems.isEmpty else { return problems }
    var missing = try missingFiles(of: path, on: shelf)
    // A store that serves may have removed some meanwhile.
    if !missing.isEmpty { missing.formIntersection(try missingFiles(of: path, on: shelf)) }
    if !missing.isEmpty { problems.append("\(missing.count) attachments whose file is missing") }
    return problems
  }

  private static func missingFiles(
    of path: String, on shelf: DirectoryShelf
  ) throws -> Set<FileHash> {
    Set(try files(of: path).filter { shelf.size(of: $0.hash) != $0.size }.map(\.hash))
  }

  /// Has the files that the database at `path` names also on another shelf.
  ///
  /// - Returns: how many are there now, and how many neither shelf has.
  public static func copyFiles(
    of path: String, from shelf: DirectoryShelf, to target: DirectoryShelf
  ) throws -> (copied: Int, missing: Int) {
    var count = (copied: 0, missing: 0)
    for (hash, _) in try files(of: path) {
      if try shelf.share(hash, with: target) { count.copied += 1 } else { count.missing += 1 }
    }
    return count
  }

  /// What the database says of its files; nothing in one of an earlier version.
  private static func files(of path: String) throws -> [(hash: FileHash, size: Int)] {
    try attempt {
      let queue = try open(path)
      defer { try? queue.close() }
      return try queue.read { database in
        guard try database.tableExists("file") else { return [] }
        return try Row.fetchAll(
          database, sql: "SELECT hash, max(size) FROM file GROUP BY hash ORDER BY hash"
        ).map { (hash: FileHash($0[0]), size: $0[1]) }
      }
    }
  }
}
