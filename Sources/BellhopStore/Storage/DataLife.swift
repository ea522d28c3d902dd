package import BellhopModel
internal import Synchronization

/// The life of the data that a running store is in (SYNC-4).
///
/// A start of the store begins one. Data that goes back under a store that runs, as when an earlier
/// state is written over its database or its disk is rolled back, begins another one: in the
/// transaction of the first write after it, so that no sequence is given out twice in one life.
/// From then on all is as after a restart with an earlier data directory: a token that names a
/// lost sequence starts again. Reads before that write need no check, because a token of a lost
/// sequence is ahead of the store then.
///
/// The check writes nothing. A state without the newest sequence of this process, without its newest
/// revocation of a token, or without the record of its start is an earlier one; all are checked with
/// each write. A state that lacks only other changes, such as a new user or token, is not told from
/// the present one. Where the memory of the process went back as well, as with the snapshot of a
/// running virtual machine, only a token can tell: one of this life that is ahead of the store. What
/// cannot be noticed is a store that has caught up with all such tokens before the first of them is
/// presented.
final class DataLife: Sendable {
  private struct State {
    var logic: StoreLogic
    /// The last commit of this process that took a sequence; nil before the first one of a life.
    var newest: TakenSequence?
    /// The token that this process revoked last in this life; nil before.
    var revoked: AccessToken?
  }

  private let state: Mutex<State>

  init(_ logic: StoreLogic) { state = Mutex(State(logic: logic)) }

  /// The store's logic in the present life of its data.
  var logic: StoreLogic { state.withLock { $0.logic } }

  /// The same for a write in this transaction, which begins another life where the data went back.
  ///
  /// - Returns: the logic, and whether it is of a life that this transaction begins. When the
  ///   transaction is rolled back, the next write begins one.
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
    // A token that is not there any more is refused, too: it was forgotten since, or never made.
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

  /// Notes a sequence that was committed. Called in the order of commits.
  func note(_ taken: TakenSequence) { state.withLock { $0.newest = taken } }

  /// Notes that a token was revoked, or let in again. Called in the order of commits.
  func noteRevocation(of token: AccessToken) {
    state.withLock { $0.revoked = token.revoked == nil ? nil : token }
  }

  /// Forgets the last revocation while a sign-in is let in again, which may be the revoked one.
  func forgetRevocation() { state.withLock { $0.revoked = nil } }

  /// Forgets a user who is being removed, and whose counters will be missing for that reason.
  func forget(_ user: UserID) {
    state.withLock { if $0.newest?.user == user { $0.newest = nil } }
  }
}

/// Whether a token of the present life was presented that is ahead of the store.
final class LaterToken: Sendable {
  private let seen = Atomic<Bool>(false)

  var wasSeen: Bool { seen.load(ordering: .relaxed) }

  func note() { seen.store(true, ordering: .relaxed) }
}

extension StoreService {
  /// The store's logic in the present life of its data.
  var logic: StoreLogic { dataLife.logic }

  /// The start that began the present life of the data: another one after the data went back.
  package var start: UniqueID<StoreStart> { logic.identity.start.id }

  /// Forgets what memory has of data that went back. Streams end, and open again as after a
  /// restart, because their sequences go back too.
  func forgetLostPast() {
    counted.withLock { $0.rollbacks += 1 }
    knownTokens?.forgetAll()
    hub.disconnectAll()
  }
}
