package import BellhopModel
package import BellhopStore
internal import Synchronization

/// What changed, read once for all who ask for the same.
///
/// A publication wakes every reader of a user, and nearly all of them stand at the same place: the
/// first one reads the store, and the others have what it read. What it keeps is the last page of a
/// user, if that is small.
package final class ChangePages: Sendable {
  /// What changed after a place, in order.
  package struct Page: Sendable {
    package var rows: [StoredRow]
    /// Everything up to here is in it.
    package var through: SequenceNumber
    /// What its readers are told of it.
    package let texts = SharedTexts()
  }

  typealias Read = @Sendable (_ after: SequenceNumber, _ user: UserID) async throws -> Page

  private struct Entry {
    var number: Int
    /// The life of the data: in another life, other rows may have the same sequences.
    var start: UniqueID<StoreStart>?
    var after: SequenceNumber
    /// What was committed for certain before the reading began, and so is in the page.
    var known: SequenceNumber
    var reading: Task<Page, any Error>
  }

  private struct State {
    var entries: [UserID: Entry] = [:]
    var reads = 0
  }

  static let rowsMax = 500
  /// Pages of more content are not kept: who is so far behind is mostly alone there.
  private static let keptBytesMax = 64 << 10
  /// Of so many users at most.
  private static let usersMax = 256

  private let read: Read
  private let start: @Sendable () -> UniqueID<StoreStart>?
  private let state = Mutex(State())

  /// - Parameter start: The start that began the present life of the data.
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

  /// How often the store was read.
  var reads: Int { state.withLock { $0.reads } }

  /// The changes after a place.
  ///
  /// - Parameter known: what the caller knows to be committed; the page has it, or is full before.
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
      // The next one tries again.
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
    // Beside its text a row has numbers and times.
    rows.reduce(0) { $0 + $1.byteCount + 64 }
  }
}
