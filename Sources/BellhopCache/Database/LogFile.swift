import GRDB
import GRDBSQLite

/// The write-ahead log of a connection, to be synced while the connection works.
///
/// SQLite opens the log once for a connection and closes it with the connection, which must outlive
/// every call.
///
/// `@unchecked Sendable`: the first successful sync runs on the connection's queue, see
/// ``Connection/syncLog()``. It clears the file's flag that its directory needs a sync too. Later
/// syncs only read the descriptor, which does not change, and sync it, which any thread may do. A
/// failed sync also writes the file's last error number, which no decision of SQLite depends on.
struct LogFile: @unchecked Sendable {
  private let file: UnsafeMutablePointer<sqlite3_file>

  /// - Throws: `DatabaseError` if the database has no open log.
  init(of db: Database) throws {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(
      db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    guard code == SQLITE_OK, let file, file.pointee.pMethods != nil else {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "no log to sync")
    }
    self.file = file
  }

  /// Waits until the contents of the log are on the disk.
  ///
  /// - Throws: `DatabaseError`.
  func sync() throws {
    guard let sync = file.pointee.pMethods?.pointee.xSync else { return }
    let code = sync(file, SQLITE_SYNC_NORMAL)
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
