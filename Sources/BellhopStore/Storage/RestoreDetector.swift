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
///
/// In a storage with a ``LifeKey``, other processes write too. Then the key reveals a failover, and
/// each transaction reads the identity of the data: see
/// ``StoreLogic/continuing(writingIn:afterLossIn:)``. The process continues in another life only
/// after the commit of the transaction that found it. An earlier state with the same key, as from a
/// snapshot of the database's disk, lacks a start, or a sequence of the user whom a write is for.
/// Revocations are not compared: each write would read another user's token for it, and a snapshot
/// that lost only revocations lost no sequence.
final class RestoreDetector: Sendable {
  private struct State {
    var logic: StoreLogic
    /// The last commit of this process that took a sequence; nil before the first one of a life.
    var newest: TakenSequence?
    /// The token that this process revoked last in this life; nil before the first one.
    var revoked: AccessToken?
    /// The newest sequences that this process has issued in this life, if it has a key.
    var sequences = NewestSequences()

    /// Continues in another life of the data, unless this process has left the former one already.
    mutating func enter(
      _ identity: StoreIdentity, after former: UniqueID<StoreStart>
    ) -> Bool {
      guard logic.identity.start.id == former else { return false }
      self = State(logic: logic.continued(as: identity))
      return true
    }
  }

  private let state: Mutex<State>

  init(_ logic: StoreLogic) { state = Mutex(State(logic: logic)) }

  /// The store's logic in the current life of its data, as far as this process knows it.
  var logic: StoreLogic { state.withLock { $0.logic } }

  /// Returns the store's logic for a read.
  ///
  /// If the state lacks the known life, the data went back. Then the process stays in that life, so
  /// that its next write finds the loss too.
  ///
  /// - Parameter known: the logic from before the read began.
  /// - Returns: the logic, and whether this process now continues in a later life of the data.
  func logic(
    reading snapshot: any StoreReading, knowing known: StoreLogic
  ) throws -> (logic: StoreLogic, isNew: Bool) {
    guard snapshot.lifeKey != nil else { return (known, false) }
    let found = try known.continuing(reading: snapshot)
    let former = known.identity.start
    guard found.identity.start.isLater(than: former) else { return (found, false) }
    return state.withLock { state in
      guard state.enter(found.identity, after: former.id) else { return (found, false) }
      return (state.logic, true)
    }
  }

  /// Returns the store's logic for a write, which begins another life if the data went back.
  ///
  /// - Returns: the logic, and the change of the data's life that ``commit(_:)`` completes. If the
  ///   transaction is rolled back, the next write finds the change again.
  func logic(
    writingIn transaction: any StoreTransaction, scope: WriteScope
  ) throws -> (logic: StoreLogic, change: LifeChange) {
    if transaction.lifeKey != nil { return try sharedLogic(writingIn: transaction, scope: scope) }
    let known = state.withLock { $0 }
    guard try wentBack(known, in: transaction) else { return (known.logic, .unchanged) }
    let next = try known.logic.reopened(in: transaction)
    state.withLock { $0 = State(logic: next) }
    return (next, .begun)
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

  /// Returns the logic for a write in a storage that other processes write too.
  private func sharedLogic(
    writingIn transaction: any StoreTransaction, scope: WriteScope
  ) throws -> (logic: StoreLogic, change: LifeChange) {
    let user: UserID? = if case .user(let id) = scope { id } else { nil }
    let counters = try user.flatMap { try transaction.counters(of: $0) }
    let (logic, newest) = state.withLock { state in
      (state.logic, user.flatMap { state.sequences[$0] })
    }
    // The user is locked, so no other write has issued a sequence since the counters were read.
    let isBehind = if let counters, let newest { counters.sequence < newest } else { false }
    let former = logic.identity.start.id
    let found = try logic.continuing(
      writingIn: transaction,
      afterLossIn: isBehind || logic.laterToken.wasSeen ? former : nil)
    let change = LifeChange.found(found.identity, after: former)
    return (
      found.notBefore(counters?.changed),
      found.identity.start.id == former ? .unchanged : change
    )
  }

  /// Completes a change of the data's life after the commit.
  ///
  /// - Returns: whether the life is new to this process, so that it must forget the lost past.
  func commit(_ change: LifeChange) -> Bool {
    switch change {
    case .unchanged: false
    case .begun: true
    case .found(let identity, let former): state.withLock { $0.enter(identity, after: former) }
    }
  }

  /// Records a committed sequence.
  ///
  /// Without a key of the data's life, it is called in the order of commits. With one, a sequence
  /// of another life than the current one is ignored.
  ///
  /// - Parameter start: the start in which it was issued.
  func note(_ taken: TakenSequence, in start: StoreStart) {
    state.withLock { state in
      if start.lifeKey == nil {
        state.newest = taken
      } else if state.logic.identity.start.id == start.id {
        state.sequences.note(taken)
      }
    }
  }

  /// Records that a token was revoked or admitted again. Called in the order of commits.
  func noteRevocation(of token: AccessToken) {
    state.withLock { $0.revoked = token.revoked == nil ? nil : token }
  }

  /// Forgets the last revocation while a sign-in is admitted again, which may be the revoked one.
  func forgetRevocation() { state.withLock { $0.revoked = nil } }

  /// Forgets a user who is being removed, and whose counters will therefore be missing.
  func forget(_ user: UserID) {
    state.withLock { state in
      if state.newest?.user == user { state.newest = nil }
      state.sequences.forget(user)
    }
  }
}

/// A change of the data's life in a transaction.
enum LifeChange: Sendable {
  case unchanged
  /// The transaction began another life, in which the process continues already.
  case begun
  /// The transaction found or began another life than the one that the process knew.
  case found(StoreIdentity, after: UniqueID<StoreStart>)
}

/// The newest sequences that this process has issued, by user.
///
/// A user beyond ``usersMax`` replaces any other one.
struct NewestSequences: Sendable {
  /// The maximum number of users: about 0.5 MB.
  static let usersMax = 10_000

  private var sequences: [UserID: SequenceNumber] = [:]

  subscript(user: UserID) -> SequenceNumber? { sequences[user] }

  /// Records a sequence. The commits of one user may be recorded in any order.
  mutating func note(_ taken: TakenSequence) {
    if let known = sequences[taken.user], known >= taken.sequence { return }
    if sequences.count >= Self.usersMax, sequences[taken.user] == nil,
      let other = sequences.keys.first
    {
      sequences[other] = nil
    }
    sequences[taken.user] = taken.sequence
  }

  mutating func forget(_ user: UserID) { sequences[user] = nil }
}

/// A flag that records that a token of the current life was ahead of the store.
final class LaterToken: Sendable {
  private let seen = Atomic<Bool>(false)

  var wasSeen: Bool { seen.load(ordering: .relaxed) }

  func note() { seen.store(true, ordering: .relaxed) }
}

extension StoreService {
  /// The store's logic in the current life of its data, as of the last transaction.
  var logic: StoreLogic { dataLife.logic }

  /// The id of the start that began the current life of the data, as of the last transaction.
  ///
  /// It changes after the data went back.
  package var start: UniqueID<StoreStart> { logic.identity.start.id }

  /// Clears in-memory state of data that went back. Streams end and open again as after a restart,
  /// because their sequences go back too.
  ///
  /// - Parameter isShared: whether other processes serve the data too. Then a life may also end
  ///   without a loss.
  func forgetLostPast(isShared: Bool) {
    counted.withLock { if isShared { $0.lifeChanges += 1 } else { $0.rollbacks += 1 } }
    knownTokens?.forgetAll()
    hub.disconnectAll()
    // Otherwise, messages of this life would count as those of another one until the next comparison,
    // which would also end the streams that have opened meanwhile.
    guard let peers else { return }
    _ = peers.adopt(DataLife(logic.identity))
    changedUsers.noteLoss()
  }
}
