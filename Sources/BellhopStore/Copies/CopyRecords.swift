/// Read access to all rows that move with a store. The transactions of a storage adopt it if stores
/// can be moved from it.
package protocol CopyReading: AnyObject {
  /// Returns rows of a table in the order of their keys.
  ///
  /// - Parameters:
  ///   - key: the key after which rows are read; nil for all rows.
  ///   - limit: the maximum number of rows, and the maximum size of their values. A row that exceeds
  ///     the size is returned alone.
  func copiedRows(
    of table: CopiedTable, after key: [CopiedValue]?, limit: PageLimit
  ) throws -> [CopiedRow]
  /// Returns the highest id that a user ever had; zero if there was no user.
  func lastUserID() throws -> UserID
}

/// Write access to all rows that move with a store. The transactions of a storage adopt it if stores
/// can be moved to it.
package protocol CopyRecords: CopyReading {
  /// Inserts rows of one table exactly as they are. None of them is stored yet.
  func insert(_ rows: [CopiedRow], into table: CopiedTable) throws
  /// Prepares the storage for serving, after the last row was inserted.
  ///
  /// - Parameter user: the highest id that a user ever had. Later users get higher ones.
  func finishCopy(lastUser user: UserID) throws
}

extension StoreReading {
  /// The transaction as one that reads all rows that move.
  func copyReading() throws -> any CopyReading {
    guard let records = self as? any CopyReading else {
      throw StoreError.notSupported(what: "copying this storage")
    }
    return records
  }
}

extension StoreTransaction {
  /// The transaction as one that writes all rows that move.
  func copyRecords() throws -> any CopyRecords {
    guard let records = self as? any CopyRecords else {
      throw StoreError.notSupported(what: "copying to this storage")
    }
    return records
  }
}
