package import BellhopModel

/// Portable backups: a whole store with its attachments in one file, independent of its storage.
///
/// See <doc:PortableBackups> for the format.
package enum PortableBackup {
  /// Writes one consistent state of a store to a new file, even while processes serve it.
  ///
  /// - Parameters:
  ///   - files: the attachments; nil for none.
  ///   - time: the time of the backup.
  /// - Throws: ``StoreError/alreadyExists(what:)`` if a file exists at `path`,
  ///   ``StoreError/unfinishedCopy``, and other ``StoreError``s.
  @discardableResult
  package static func write(
    from backend: any StorageBackend, files: (any BlobStore)?, to path: String, at time: Timestamp
  ) async throws -> CopyReport {
    let writer = try BackupWriter(path: path)
    let (tally, hashes) = try await backend.read { try writeRows(of: $0, to: writer, at: time) }
    var counts = BlobCounts()
    for hash in hashes { try await write(hash, from: files, to: writer, &counts) }
    let report = CopyReport(tally, blobs: counts)
    try writer.writeJSON(
      .footer,
      BackupFooter(
        rows: report.rows, blobs: counts.copied, missing: counts.missing.map(\.rawValue)))
    try writer.finish()
    return report
  }

  /// Writes all rows, in one snapshot. Begins the file again if the backend reads it again.
  ///
  /// - Returns: their tally, and the hashes of the attachments that they name.
  private static func writeRows(
    of state: any StoreReading, to writer: BackupWriter, at time: Timestamp
  ) throws -> (CopyTally, [FileHash]) {
    let records = try state.copyReading()
    try state.refuseUnfinishedCopy()
    guard try state.metadata(.epoch) != nil else { throw StoreError.notFound(what: "store") }
    try writer.restart()
    try writer.writeJSON(.header, BackupHeader(created: time, lastUser: records.lastUserID()))
    var builder = CopyTally.Builder()
    var hashes: Set<FileHash> = []
    for (index, table) in CopiedTable.allCases.enumerated() {
      var key: [CopiedValue]?
      while true {
        let rows = try records.copiedRows(of: table, after: key, limit: StoreCopy.batchMax)
        guard let last = rows.last else { break }
        for row in rows where row.isCopied {
          builder.add(row)
          try writer.write(.row, [UInt8(index)] + row.values.encoded)
          if let hash = row.fileHash { hashes.insert(hash) }
        }
        key = last.key
      }
    }
    return (builder.finish(), hashes.sorted { $0.rawValue < $1.rawValue })
  }

  private static func write(
    _ hash: FileHash, from files: (any BlobStore)?, to writer: BackupWriter,
    _ counts: inout BlobCounts
  ) async throws {
    guard let blob = try await files?.open(hash) else {
      counts.missing.append(hash)
      return
    }
    try writer.write(.blob, Array(hash.rawValue.utf8))
    let found = try await blob.readChunks { try writer.write(.chunk, $0) }
    counts.copied += 1
    if found != hash { counts.damaged.append(hash) }
  }

  // MARK: - Checking

  /// Whether the file at `path` begins like a portable backup.
  ///
  /// - Throws: ``StoreError/notFound(what:)``, ``StoreError/unavailable(reason:)``.
  package static func isPortable(_ path: String) throws -> Bool {
    do {
      _ = try BackupReader(path: path)
      return true
    } catch StoreError.newerSchema {
      return true
    } catch let error as StoreError where error == .damagedBackup {
      return false
    }
  }

  /// Reads a whole backup and checks it.
  ///
  /// - Throws: ``StoreError/notFound(what:)``, ``StoreError/newerSchema``,
  ///   ``StoreError/unavailable(reason:)`` if the file is damaged.
  package static func check(_ path: String) throws -> BackupSummary {
    try BackupContent(path: path).summary
  }
}

/// A description of a portable backup that was checked.
package struct BackupSummary: Hashable, Sendable {
  /// The time of the backup.
  package var made: Timestamp
  package var users: Int
  /// The number of rows by the name of their table.
  package var rows: [String: Int]
  package var blobs: Int
  /// The attachments that were missing when the backup was made.
  package var missingBlobs: [FileHash]
}

/// The checksum and the tally of a whole backup.
struct BackupContent: Sendable {
  let summary: BackupSummary
  let tally: CopyTally
  let lastUser: UserID
  let checksum: [UInt8]

  /// Reads the file to its end.
  init(path: String) throws {
    var reader = try BackupReader(path: path)
    var builder = CopyTally.Builder()
    var footer: BackupFooter?
    var blobs = 0
    while let record = try reader.next() {
      switch record {
      case .row(let row):
        guard blobs == 0 else { throw StoreError.damagedBackup }
        builder.add(row)
      case .blob: blobs += 1
      case .chunk: guard blobs > 0 else { throw StoreError.damagedBackup }
      case .footer(let last): footer = last
      }
    }
    tally = builder.finish()
    let rows = Dictionary(uniqueKeysWithValues: tally.rows.map { ($0.key.name, $0.value) })
    guard let footer, let checksum = reader.checksum, footer.rows == rows, footer.blobs == blobs
    else { throw StoreError.damagedBackup }
    self.checksum = checksum
    lastUser = UserID(rawValue: reader.header.lastUser)
    summary = BackupSummary(
      made: Timestamp(milliseconds: reader.header.created), users: tally.users, rows: rows,
      blobs: blobs, missingBlobs: footer.missing.map { FileHash($0) })
  }
}
