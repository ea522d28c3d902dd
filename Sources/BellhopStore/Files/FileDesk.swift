internal import BellhopModel
internal import Synchronization

/// What a store knows of its shelf while it runs: which uploads are under way, and which bytes are
/// between the shelf and their row.
final class FileDesk: Sendable {
  let shelf: any FileShelf
  private let state: Mutex<State>

  private struct State {
    var uploads: [UserID: Int] = [:]
    var held: [FileHash: Int] = [:]
    var isTidy: Bool
  }

  /// Uploads of one user at the same time: each takes room on the disk before any quota sees it.
  static let uploadsAtOnceMax = 8

  /// - Parameter isTidy: whether the shelf is not to be looked through.
  init(shelf: any FileShelf, isTidy: Bool) {
    self.shelf = shelf
    state = Mutex(State(isTidy: isTidy))
  }

  /// A place among the user's uploads.
  final class Ticket: Sendable {
    private let desk: FileDesk
    private let user: UserID

    fileprivate init(desk: FileDesk, user: UserID) {
      self.desk = desk
      self.user = user
    }

    deinit {
      let user = user
      desk.state.withLock { state in
        let rest = (state.uploads[user] ?? 1) - 1
        state.uploads[user] = rest > 0 ? rest : nil
      }
    }
  }

  /// - Throws: ``StoreError/busy`` while the user has too many uploads under way.
  func begin(for user: UserID) throws -> Ticket {
    let isFree = state.withLock { state in
      guard state.uploads[user, default: 0] < Self.uploadsAtOnceMax else { return false }
      state.uploads[user, default: 0] += 1
      return true
    }
    guard isFree else { throw StoreError.busy }
    return Ticket(desk: self, user: user)
  }

  /// Keeps bytes with this hash from being removed, before they are placed and until their row is
  /// written.
  func hold(_ hash: FileHash) { state.withLock { $0.held[hash, default: 0] += 1 } }

  func release(_ hash: FileHash) {
    state.withLock { state in
      let rest = (state.held[hash] ?? 1) - 1
      state.held[hash] = rest > 0 ? rest : nil
    }
  }

  /// Removes bytes that no upload has, and that no row had in the transaction that was just
  /// committed.
  ///
  /// To be called at the commit, before any later write begins. A row that came into the same commit
  /// after the question belongs to an upload, which holds its bytes until it is answered. What
  /// cannot be removed is found when the store is started again.
  func remove(_ unused: [FileHash]) {
    for hash in unused {
      state.withLock { state in
        if state.held[hash] == nil || Mutant.bytesInFlight.isOn { try? shelf.remove(hash) }
      }
    }
  }

  /// Whether the shelf is still to be looked through; it is said once.
  func takeTidying() -> Bool {
    state.withLock { state in
      defer { state.isTidy = true }
      return !state.isTidy
    }
  }
}
