internal import Crypto

/// The counts and checksums of copied rows, by table and user.
///
/// A checksum is the SHA-256 of the encodings of the rows, in the order of their keys.
struct CopyTally: Hashable, Sendable {
  struct Key: Hashable, Sendable {
    var table: CopiedTable
    var user: UserID?
  }

  struct Sum: Hashable, Sendable {
    var rows: Int
    var checksum: [UInt8]
  }

  private(set) var sums: [Key: Sum] = [:]

  /// The number of rows by table.
  var rows: [CopiedTable: Int] {
    sums.reduce(into: [:]) { $0[$1.key.table, default: 0] += $1.value.rows }
  }

  /// The number of all rows.
  var rowCount: Int { sums.values.reduce(0) { $0 + $1.rows } }
  /// The number of users.
  var users: Int { rows[.user] ?? 0 }

  /// Returns a table whose rows differ; nil if both are equal.
  func firstDifference(from other: CopyTally) -> CopiedTable? {
    CopiedTable.allCases.first { table in
      sums.filter { $0.key.table == table } != other.sums.filter { $0.key.table == table }
    }
  }

  /// Computes a tally of rows that come in the order of tables and keys.
  struct Builder: Sendable {
    private var tally = CopyTally()
    private var key: Key?
    private var rows = 0
    private var hasher = SHA256()

    mutating func add(_ row: CopiedRow) {
      let key = Key(table: row.table, user: row.user)
      if key != self.key {
        close()
        self.key = key
      }
      rows += 1
      hasher.update(data: row.values.encoded)
    }

    /// Returns the tally of all rows.
    mutating func finish() -> CopyTally {
      close()
      key = nil
      return tally
    }

    private mutating func close() {
      if let key { tally.sums[key] = Sum(rows: rows, checksum: Array(hasher.finalize())) }
      rows = 0
      hasher = SHA256()
    }
  }
}

/// The result of a copy.
package struct CopyReport: Hashable, Sendable {
  package var users = 0
  /// The number of rows by the name of their table.
  package var rows: [String: Int] = [:]
  /// The number of attachments that are in the target now.
  package var blobs = 0
  /// Attachments that the source lacks. Their rows were copied.
  package var missingBlobs: [FileHash] = []
  /// Attachments whose bytes in the source are not the uploaded ones. They were not copied.
  package var damagedBlobs: [FileHash] = []

  package init() {}

  init(_ tally: CopyTally, blobs: BlobCounts) {
    users = tally.users
    rows = Dictionary(uniqueKeysWithValues: tally.rows.map { ($0.key.name, $0.value) })
    self.blobs = blobs.copied
    missingBlobs = blobs.missing
    damagedBlobs = blobs.damaged
  }

  /// The number of items, including tombstones.
  package var items: Int { rows[CopiedTable.item.name] ?? 0 }
}

/// A step of a copy, for showing its progress.
package struct CopyStep: Hashable, Sendable {
  package enum Phase: Hashable, Sendable {
    case rows(CopiedTable)
    case attachments
    case verification
  }

  package var phase: Phase
  /// The number of rows or attachments in this phase so far, or since the copy was continued.
  package var count: Int
}
