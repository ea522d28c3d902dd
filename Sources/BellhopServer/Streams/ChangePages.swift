package import BellhopModel
package import BellhopStore
internal import Synchronization

/// The changes of users, read once for all readers at the same position.
///
/// A publication wakes every reader of a user, and nearly all of them are at the same position. The
/// first one reads the store, and the others share the result. Keeps each user's last page, if it
/// is small.
package final class ChangePages: Sendable {
  /// The changes after a position, in order.
  package struct Page: Sendable {
    package var rows: [StoredRow]
    /// The last sequence that the page includes.
    package var through: SequenceNumber
    /// The texts of its changes, which readers share.
    package let texts = SharedTexts()
  }

  typealias Read = @Sendable (_ after: SequenceNumber, _ user: UserID) async throws -> Page

  private struct Entry {
    var number: Int
    /// The start that the data belongs to. After a rollback, a sequence may be another row's.
    var start: UniqueID<StoreStart>?
    var after: SequenceNumber
    /// The sequence that was committed before the read began, and is therefore in the page.
    var known: SequenceNumber
    var reading: Task<Page, any Error>
  }

  private struct State {
    var entries: [UserID: Entry] = [:]
    var reads = 0
  }

  static let rowsMax = 500
  /// The maximum size of a page to keep. A reader that is further behind is usually alone there.
  private static let keptBytesMax = 64 << 10
  /// The maximum number of users with a kept page.
  private static let usersMax = 256

  private let read: Read
  private let start: @Sendable () -> UniqueID<StoreStart>?
  private let state = Mutex(State())

  /// - Parameter start: Returns the start that the data belongs to; another one after a rollback.
  init(
    start: @escaping @Sendable () -> UniqueID<StoreStart>? = { nil }, _ read: @escaping Read
  ) {
    self.read = read
    self.start = start
  }

  convenience init(_ store: StoreService) {
    let read: Read = { after, user in
      let (rows, through) = try await store.rows(after: after, limit: Self.rowsMax, of: user)
      return Page(rows: rows, through: through)
    }
    self.init(start: { store.start }, read)
  }

  /// The number of reads from the store.
  var reads: Int { state.withLock { $0.reads } }

  /// Returns the changes after a position.
  ///
  /// - Parameter known: A sequence that the caller knows to be committed. The page reaches it or is
  ///   full.
  package func page(
    after: SequenceNumber, knowing known: SequenceNumber, of user: UserID
  ) async throws -> Page {
    let start = start()
    let entry = state.withLock { state in
      if let entry = state.entries[user], entry.after == after, entry.known >= known,
        entry.start == start
      {
        return entry
      }
      state.reads += 1
      let reading = Task { [read] in try await read(after, user) }
      let entry = Entry(
        number: state.reads, start: start, after: after, known: known, reading: reading)
      if state.entries[user] == nil, state.entries.count >= Self.usersMax {
        state.entries.removeValue(forKey: state.entries.keys.first ?? user)
      }
      state.entries[user] = entry
      return entry
    }
    do {
      let page = try await entry.reading.value
      if page.byteCount > Self.keptBytesMax { forget(entry, of: user) }
      return page
    } catch {
      // The next caller tries again.
      forget(entry, of: user)
      throw error
    }
  }

  private func forget(_ entry: Entry, of user: UserID) {
    state.withLock { state in
      if state.entries[user]?.number == entry.number { state.entries[user] = nil }
    }
  }
}

extension ChangePages.Page {
  fileprivate var byteCount: Int {
    // A row has numbers and times besides its text.
    rows.reduce(0) { $0 + $1.byteCount + 64 }
  }
}
