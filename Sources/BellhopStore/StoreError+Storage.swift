internal import Glibc

/// Errors that several storages throw, with the same texts.
extension StoreError {
  /// The storage was closed.
  package static let closed = StoreError.unavailable(reason: "the store is closed")
  /// The task of the request was cancelled.
  package static let cancelled = StoreError.unavailable(reason: "the request was cancelled")
  /// The database rolled back a transaction by itself.
  package static let rolledBack = StoreError.unavailable(
    reason: "the transaction was rolled back")
  /// A row has a value that the store does not write.
  package static let damagedRow = StoreError.unavailable(
    reason: "a row of the database is damaged; restore it from a backup")
  /// The hash of an attachment is not 64 hexadecimal digits.
  package static let invalidHash = StoreError.unavailable(
    reason: "an attachment has no valid hash")

  /// Returns the error of the last call to the system.
  ///
  /// - Parameter action: The end of the sentence "The file cannot be …", such as `opened`.
  package static func failedCall(_ action: String, _ path: String) -> StoreError {
    let code = errno
    if code == ENOSPC || code == EDQUOT { return .storageFull }
    return .unavailable(
      reason: "\(path) cannot be \(action): \(String(cString: strerror(code)))")
  }
}
