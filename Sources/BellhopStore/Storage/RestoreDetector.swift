package import BellhopModel
internal import Synchronization

/// The current life of a running store's data (SYNC-4).
///
/// A start of the store begins a life. Data that goes back under a running store, as when an
/// earlier state is written over its database or its disk is rolled back, begins another one. It
/// begins in the transaction of the first write afterwards, so that no sequence is issued twice in
/// one life. From then on everything is as after a restart with an earlier data directory: a client
/// whose token names a lost sequence starts again. Reads before that write need no check, because a
/// token of a lost sequence is then ahead of the store.
///
/// The check writes nothing. A state is an earlier one if it lacks the newest sequence of this
/// process, its newest revocation of a token, or the record of its start; each write checks all
/// three. A state that lacks only other changes, such as a new user or token, cannot be
/// distinguished from the current one. If the memory of the process went back too, as with the
/// snapshot of a running virtual machine, only a token of this life that is ahead of the store
/// reveals it. If the store catches up with all such tokens before the first of them is presented,
/// the rollback remains undetected.
final class RestoreDetector: Sendable {
  private struct State {
    var logic: StoreLogic
    /// The last commit of this process that took a sequence; nil before the first one of a life.
    var newest: TakenSequence?
    /// The token that this process revoked last in this life; nil before the first one.
    var revoked: AccessToken?
  }

  private let state: Mutex<State>

  init(_ logic: StoreLogic) { state = Mutex(State(logic: logic)) }

  /// The store's logic in the current life of its data.
  var logic: StoreLogic { state.withLock { $0.logic } }

  /// Returns the store's logic for a write in this transaction, which begins another life if the
  /// data went back.
  ///
  /// - Returns: the logic, and whether this transaction begins its life. If the transaction is
  ///   rolled back, the next write begins one.
  func logic(
    in transaction: any StoreTransaction
  ) throws -> (logic: StoreLogic, isNew: Bool) {
    let known = state.withLock { $0 }
    guard try wentBack(known, in: transaction) else { return (known.logic, false) }
    let next = try known.logic.reopened(in: transaction)
    state.withLock { $0 = State(logic: next) }
    return (next, true)
  }

  private func wentBack(_ known: State, in state: any StoreReading) throws -> Bool {
    if known.logic.laterToken.wasSeen { return true }
    // A token that no longer exists is refused too: it was forgotten meanwhile, or never created.
    if let revoked = known.revoked,
      let token = try state.accessToken(revoked.id, of: revoked.user), token.revoked == nil
    {
      return true
    }
    guard let newest = known.newest else {
      return try state.start(known.logic.identity.start.id) == nil
    }
    guard let counters = try state.counters(of: newest.user) else { return true }
    return counters.sequence < newest.sequence
  }

  /// Records a committed sequence. Called in the order of commits.
  func note(_ taken: TakenSequence) { state.withLock { $0.newest = taken } }

  /// Records that a token was revoked or admitted again. Called in the order of commits.
  func noteRevocation(of token: AccessToken) {
    state.withLock { $0.revoked = token.revoked == nil ? nil : token }
  }

  /// Forgets the last revocation while a sign-in is admitted again, which may be the revoked one.
  func forgetRevocation() { state.withLock { $0.revoked = nil } }

  /// Forgets a user who is being removed, and whose counters will therefore be missing.
  func forget(_ user: UserID) {
    state.withLock { if $0.newest?.user == user { $0.newest = nil } }
  }
}

/// A flag that records that a token of the current life was ahead of the store.
final class LaterToken: Sendable {
  private let seen = Atomic<Bool>(false)

  var wasSeen: Bool { seen.load(ordering: .relaxed) }

  func note() { seen.store(true, ordering: .relaxed) }
}

extension StoreService {
  /// The store's logic in the current life of its data.
  var logic: StoreLogic { dataLife.logic }

  /// The id of the start that began the current life of the data; it changes after the data went
  /// back.
  package var start: UniqueID<StoreStart> { logic.identity.start.id }

  /// Clears in-memory state of data that went back. Streams end and open again as after a restart,
  /// because their sequences go back too.
  func forgetLostPast() {
    counted.withLock { $0.rollbacks += 1 }
    knownTokens?.forgetAll()
    hub.disconnectAll()
  }
}
