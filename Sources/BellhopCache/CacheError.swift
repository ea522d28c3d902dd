package import BellhopModel

/// An error of the local cache.
///
/// Every message says what failed, what is safe and what to do.
package enum CacheError: Error, Hashable, Sendable {
  /// No cache exists at the path yet.
  case missing(path: String)
  /// A newer version of the program made the file. The file was not changed. Exit code 78.
  case newerSchema(path: String)
  /// An older version made the file. Opening it with ``SQLiteCache`` migrates it.
  case olderSchema(path: String)
  /// The file is damaged. ``SQLiteCache/salvage(at:identity:now:)`` keeps the outbox.
  case corrupt(path: String, detail: String)
  /// The file belongs to another account.
  case otherAccount(path: String, found: AccountName)
  /// The disk is full, or the account's quota on it.
  ///
  /// The transaction did not happen, or the file could not be opened. Reading can fail in this way
  /// too: the first process needs a little space for a file beside it.
  case full(path: String)
  /// The file or its folder can't be read or written, or another process keeps it locked.
  case io(path: String, detail: String)
  /// The next search interrupted a running search. Not a failure.
  case interrupted
}

extension CacheError: ExplainedError {
  package var description: String {
    switch self {
    case .missing(let path):
      "No cache exists at \(path) yet. Start bellhop or run 'bellhop sync' to create it."
    case .newerSchema(let path):
      "A newer version of bellhop created the cache at \(path). Nothing was changed. "
        + "Start that version or update this one."
    case .olderSchema(let path):
      "An older version of bellhop created the cache at \(path). Nothing was changed. "
        + "Start bellhop once to update the cache."
    case .corrupt(let path, let detail):
      "The cache at \(path) is damaged (\(detail)). The store still has every item; "
        + "your unsent changes are rescued when the cache is rebuilt."
    case .otherAccount(let path, let found):
      "The cache at \(path) belongs to the account '\(found)'. Nothing was changed. "
        + "Check the data folder of this account."
    case .full(let path):
      "The disk with \(path) is full. Existing data is safe; "
        + "the last change was not saved. Free some space and try again."
    case .io(let path, let detail):
      "The cache at \(path) cannot be used (\(detail)). Existing data is safe. "
        + "Check the file's owner and permissions, and the disk."
    case .interrupted:
      "A newer search replaced this one."
    }
  }
}
