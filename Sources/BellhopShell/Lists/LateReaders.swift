internal import BellhopCache
internal import Synchronization

/// The readers of all accounts, opened when they are first needed.
final class LateReaders: Sendable {
  private let sessions: [Session]
  private let opened = Mutex<[ListReader]>([])

  init(_ sessions: [Session]) { self.sessions = sessions }

  /// Returns the readers, in the order of the accounts.
  func all() throws -> [ListReader] {
    let known = opened.withLock { $0 }
    if !known.isEmpty { return known }
    let readers = try sessions.map { try $0.newListReader() }
    opened.withLock { $0 = readers }
    return readers
  }

  func merged() throws -> MergedReader { MergedReader(readers: try all()) }

  /// Ends the current search of each reader.
  func interruptSearch() {
    for reader in opened.withLock({ $0 }) { reader.cache.interruptSearch() }
  }
}
