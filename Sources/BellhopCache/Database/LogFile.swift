import GRDB
import GRDBSQLite

/// The write-ahead log of a connection, to be synced beside what the connection does.
///
/// SQLite opens it once for a connection and closes it with it: the connection must outlive every call.
///
/// `@unchecked Sendable`: the first sync that succeeds runs on the connection's queue, see
/// ``Connection/syncLog()``; it clears the file's note that its directory needs a sync too. Later ones
/// read only the descriptor, which does not change, and sync it, which any thread may do. One that
/// fails also writes the file's last error number, by which SQLite decides nothing.
struct LogFile: @unchecked Sendable {
  private let file: UnsafeMutablePointer<sqlite3_file>

  /// - Throws: `DatabaseError` where the database has no open log.
  init(of db: Database) throws {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(
      db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    guard code == SQLITE_OK, let file, file.pointee.pMethods != nil else {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "no log to sync")
    }
    self.file = file
  }

  /// Waits until what is in the log is on the disk.
  ///
  /// - Throws: `DatabaseError`.
  func sync() throws {
    guard let sync = file.pointee.pMethods?.pointee.xSync else { return }
    let code = sync(file, SQLITE_SYNC_NORMAL)
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
