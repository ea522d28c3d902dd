#if BELLHOP_POSTGRES
internal import BellhopModel
package import BellhopStore

/// The files that a database records, compared with a blob store, for administration.
package enum PostgresFiles {
  /// The number of files that are read at once.
  private static let rowsMax = 1000

  /// Returns descriptions of the problems with the blobs of the files.
  ///
  /// - Parameter shelf: The blob store of the processes, in the database or in a directory.
  package static func problems(
    on pool: PostgresPool, shelf: some BlobStore
  ) async throws -> [String] {
    var missing: Set<FileHash> = []
    var last = ""
    while case let page = try await files(after: last, on: pool), let end = page.last {
      missing.formUnion(try await shelf.missing(among: page))
      last = end.hash.rawValue
    }
    // A running store may have removed some meanwhile.
    missing.formIntersection(try await used(among: missing, on: pool))
    guard !missing.isEmpty else { return [] }
    return [missing.count.counted("attachment") + " whose file is missing"]
  }

  /// Returns descriptions of the problems with the blobs of the files, on a connection of its own.
  package static func problems(
    _ settings: PostgresSettings, random: @escaping @Sendable () -> UInt64, shelf: some BlobStore
  ) async throws -> [String] {
    let pool = PostgresPool(settings, size: 1, waitingMax: 1, random: random)
    do {
      let found = try await problems(on: pool, shelf: shelf)
      await pool.close()
      return found
    } catch {
      await pool.close()
      throw error
    }
  }

  /// Returns the next files in the order of their hashes, each hash once.
  private static func files(
    after last: String, on pool: PostgresPool
  ) async throws -> [(hash: FileHash, size: Int)] {
    let found: [FileSize] = try await pool.run { connection in
      let rows = try connection.run(
        """
        SELECT hash, max(size) AS size FROM file WHERE hash > $1
        GROUP BY hash ORDER BY hash LIMIT $2
        """, .text(last), .integer(Int64(Self.rowsMax)))
      return try rows.map { row in
        FileSize(
          hash: FileHash(try row.value("hash", as: String.self)), size: try row.value("size"))
      }
    }
    return found.map { (hash: $0.hash, size: $0.size) }
  }

  private struct FileSize: Sendable {
    var hash: FileHash
    var size: Int
  }

  private static func used(
    among hashes: Set<FileHash>, on pool: PostgresPool
  ) async throws -> Set<FileHash> {
    guard !hashes.isEmpty else { return [] }
    let texts = hashes.map(\.rawValue)
    let found: [FileHash] = try await pool.run { connection in
      try connection.run("SELECT DISTINCT hash FROM file WHERE hash = ANY ($1)", .texts(texts))
        .map { row in FileHash(try row.value("hash", as: String.self)) }
    }
    return Set(found)
  }
}
#endif
