internal import BellhopModel

/// The kinds of records in a portable backup; see <doc:PortableBackups>.
enum BackupKind: UInt8 {
  /// A ``BackupHeader`` as JSON: `H`.
  case header = 0x48
  /// A row: `R`. The first byte is the place of its table in the header, and its values follow.
  case row = 0x52
  /// The hash of an attachment, whose bytes follow in chunks: `B`.
  case blob = 0x42
  /// Bytes of the last attachment: `C`.
  case chunk = 0x43
  /// A ``BackupFooter`` as JSON: `F`.
  case footer = 0x46
}

/// The first record of a portable backup.
struct BackupHeader: Hashable, Sendable, Codable {
  struct Table: Hashable, Sendable, Codable {
    var name: String
    var columns: [CopiedColumn]
  }

  /// The version that this program writes, and the highest one that it reads.
  static let version = 1
  /// The first bytes of every portable backup.
  static let magic = Array("bellhop-backup\n".utf8)

  var version = Self.version
  /// The time of the backup, in milliseconds since 1970.
  var created: Int64
  /// The highest id that a user ever had.
  var lastUser: Int64
  var tables: [Table]

  init(created: Timestamp, lastUser: UserID) {
    self.created = created.milliseconds
    self.lastUser = lastUser.rawValue
    tables = CopiedTable.allCases.map { Table(name: $0.name, columns: $0.columns) }
  }
}

/// The last record of a portable backup.
struct BackupFooter: Hashable, Sendable, Codable {
  /// The number of rows by the name of their table.
  var rows: [String: Int]
  /// The number of attachments.
  var blobs: Int
  /// The hashes of attachments that were missing.
  var missing: [String]
}

/// A record that was read from a portable backup.
enum BackupRecord {
  case row(CopiedRow)
  case blob(FileHash)
  case chunk([UInt8])
  case footer(BackupFooter)
}

extension StoreError {
  /// The error for a portable backup that is not whole.
  package static let damagedBackup = StoreError.unavailable(
    reason: "the backup file is damaged, incomplete, or not a portable backup")
}

/// The tables and columns of a portable backup, and their places in this version.
struct BackupLayout: Hashable, Sendable {
  private struct Table: Hashable, Sendable {
    var table: CopiedTable
    var kinds: [CopiedColumn.Kind]
    /// For each column of this version, its place in the file; nil if the file lacks it.
    var places: [Int?]
    /// For each column of this version, the value in a file that lacks it.
    var missing: [CopiedValue]
  }

  private var tables: [Table] = []

  /// - Throws: ``StoreError/newerSchema`` for a table or a column that this version does not know.
  init(_ header: BackupHeader) throws {
    guard header.version <= BackupHeader.version else { throw StoreError.newerSchema }
    for entry in header.tables {
      guard let table = CopiedTable(rawValue: entry.name) else { throw StoreError.newerSchema }
      let columns = table.columns
      guard entry.columns.allSatisfy(columns.contains) else { throw StoreError.newerSchema }
      tables.append(
        Table(
          table: table, kinds: entry.columns.map(\.kind),
          places: columns.map { entry.columns.firstIndex(of: $0) },
          missing: columns.map(table.earlierValue)))
    }
  }

  /// Decodes the payload of a row.
  func row(_ payload: ArraySlice<UInt8>) throws -> CopiedRow {
    guard let index = payload.first, index < tables.count,
      let values = [CopiedValue](encoded: payload.dropFirst())
    else { throw StoreError.damagedBackup }
    let entry = tables[Int(index)]
    guard values.count == entry.kinds.count,
      zip(values, entry.kinds).allSatisfy({ $0.fits($1) })
    else { throw StoreError.damagedBackup }
    let places = entry.places
    return CopiedRow(
      entry.table,
      places.indices.map { (column: Int) -> CopiedValue in
        places[column].map { values[$0] } ?? entry.missing[column]
      })
  }
}
