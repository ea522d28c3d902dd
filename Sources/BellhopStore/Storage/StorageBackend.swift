/// The storage of a store's rows: the contract of every backend.
///
/// The semantics are implemented once, in ``StoreLogic``, as synchronous functions over a
/// transaction. A backend stores rows and finds them again; it makes no decisions. Every backend
/// passes the same conformance suite. It guarantees:
///
/// 1. **Atomic.** All effects of one `write` exist after it returns, or none after it throws.
///    Requests may share a commit; one that throws does not affect the others.
/// 2. **Durable before the answer.** `write` returns when the commit is on the disk.
/// 3. **One writer of a user.** Writes of one user's rows run one after another, so that no lower
///    sequence appears after a visible one (SYNC-2). ``WriteScope`` states which users a write locks,
///    and when. A body may run again; only its last run has effects. A reader sees one committed
///    state throughout.
/// 4. **Finished once begun.** Cancelling the task that called `write` does not undo or split it.
///    `committed` runs after the commit and before the answer. It runs in commit order, unless the
///    data has a ``LifeKey``.
/// 5. **Flat.** The cost of a call grows with the rows it returns, not with the number of stored
///    rows. Rows are found by (user, sequence), (user, arrival, id), (user, app, app notification
///    id), (user, short number), by the time they leave, and by the time they were deleted.
/// 6. **Bounded.** When too many writes are waiting, `write` throws ``StoreError/busy``
///    immediately.
/// 7. **Open to short reads.** While at most ``longReadsMax`` reads take long, as lists may,
///    another read begins immediately.
/// 8. **Refusing.** A full disk is ``StoreError/storageFull``, a database of a newer version
///    ``StoreError/newerSchema``, any other failure ``StoreError/unavailable(reason:)``.
///
/// Only writes in the scope ``WriteScope/users`` span users, and the keys of a user's rows begin with
/// the user, so that the same schema can be distributed over machines by user.
package protocol StorageBackend: StorageUpkeep {
  /// The maximum number of concurrent reads that may take long, so that other reads find a reader.
  var longReadsMax: Int { get }

  /// Runs `body` over one committed state.
  ///
  /// It may run again over a later state, as after a lost connection. Only its last run counts.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value

  /// Runs `body` in a transaction and returns when it is durable.
  ///
  /// - Parameter scope: the users whose rows the body writes.
  func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value

  /// Performs a short piece of deferred work, such as adding texts to a search index.
  ///
  /// It affects only speed: written items are found immediately. Call it again while there is more.
  /// Several processes may call it at the same time.
  func catchUp() async throws -> CatchUp

  /// Finishes waiting calls and releases the storage. Later calls throw.
  func close() async
}

extension StorageBackend {
  /// The limit for a storage in which no read waits for another.
  package var longReadsMax: Int { .max }
}

/// The remaining work that writes deferred.
package enum CatchUp: Hashable, Sendable {
  case done
  /// More work remains.
  ///
  /// `isUnderLoad` means that other writes are waiting, or that a client has read since the last
  /// piece: a device may be fetching everything. Then this work should not take all of the time.
  case more(isUnderLoad: Bool)
}
