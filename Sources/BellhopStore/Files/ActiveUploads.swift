internal import BellhopModel
internal import Synchronization

/// The in-memory state of a store's blob store: uploads in progress, and blobs without a row yet.
final class ActiveUploads: Sendable {
  let shelf: any BlobStore
  private let state: Mutex<State>

  private struct State {
    var uploads: [UserID: Int] = [:]
    var held: [FileHash: Int] = [:]
    var isTidy: Bool
  }

  /// The maximum number of concurrent uploads per user: each takes disk space before any quota
  /// applies.
  static let uploadsAtOnceMax = 8

  /// - Parameter isTidy: whether the blob store need not be searched for unused blobs.
  init(shelf: any BlobStore, isTidy: Bool) {
    self.shelf = shelf
    state = Mutex(State(isTidy: isTidy))
  }

  /// A place among the user's concurrent uploads.
  final class Ticket: Sendable {
    private let desk: ActiveUploads
    private let user: UserID

    fileprivate init(desk: ActiveUploads, user: UserID) {
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

  /// - Throws: ``StoreError/busy`` while the user has too many uploads in progress.
  func begin(for user: UserID) throws -> Ticket {
    let isFree = state.withLock { state in
      guard state.uploads[user, default: 0] < Self.uploadsAtOnceMax else { return false }
      state.uploads[user, default: 0] += 1
      return true
    }
    guard isFree else { throw StoreError.busy }
    return Ticket(desk: self, user: user)
  }

  /// Protects a blob from removal, from before it is placed until its row is written.
  func hold(_ hash: FileHash) { state.withLock { $0.held[hash, default: 0] += 1 } }

  func release(_ hash: FileHash) {
    state.withLock { state in
      let rest = (state.held[hash] ?? 1) - 1
      state.held[hash] = rest > 0 ? rest : nil
    }
  }

  /// Removes blobs that no upload holds and that no row used in the transaction just committed.
  ///
  /// Call it at the commit, before any later write begins. A row added to the same commit after the
  /// check belongs to an upload, which holds its blob until it is answered. Blobs that cannot be
  /// removed are found at the next start.
  func remove(_ unused: [FileHash]) {
    for hash in unused {
      state.withLock { state in
        if state.held[hash] == nil || Mutant.bytesInFlight.isOn { try? shelf.remove(hash) }
      }
    }
  }

  /// Returns whether the blob store must still be searched for unused blobs; true only once.
  func takeTidying() -> Bool {
    state.withLock { state in
      defer { state.isTidy = true }
      return !state.isTidy
    }
  }
}
