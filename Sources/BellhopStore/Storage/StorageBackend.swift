/// Where a store keeps its rows: the contract of every backend.
///
/// The semantics live in ``StoreLogic``, once, as synchronous functions over a transaction. A
/// backend stores rows and finds them again; it decides nothing. Every backend passes the one
/// conformance suite. What it guarantees:
///
/// 1. **Atomic.** All writes of one `write` are there after it returns, or none after it throws.
///    Requests may share a commit; one that throws takes nothing of the others with it.
/// 2. **Durable before the answer.** `write` returns when the commit is on the disk.
/// 3. **One writer.** Write bodies run one after another, so that a sequence that is visible has
///    no lower one still to come (SYNC-2). A reader sees one committed state throughout.
/// 4. **Finished once begun.** Cancelling the task that called `write` does not undo or split it.
///    `committed` runs after the commit and before the answer, in commit order.
/// 5. **Flat.** What a call costs grows with the rows it returns, not with the rows there are:
///    rows are found by (user, sequence), (user, arrival, id), (user, app, app id), (user, short
///    number), by the time they leave, and by the time they were deleted.
/// 6. **Bounded.** When too many writes wait, `write` throws ``StoreError/busy`` at once.
/// 7. **Open to short readings.** While at most ``longReadsMax`` readings take long, as lists may,
///    another one begins at once.
/// 8. **Refusing.** A full disk is ``StoreError/storageFull``, a database of a newer version
///    ``StoreError/newerSchema``, any other failure ``StoreError/unavailable(reason:)``.
///
/// No transaction spans users, and every key begins with the user, so that the same schema can
/// be spread over machines by user.
package protocol StorageBackend: StorageUpkeep {
  /// How many readings that may take long run at once, so that others find a reader.
  var longReadsMax: Int { get }

  /// Runs `body` over one committed state.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value

  /// Runs `body` in a transaction and answers when it is durable.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value

  /// Does a short piece of what writes left for later, as adding texts to a search index.
  ///
  /// Nothing depends on it but speed: what was written is found at once. To be called again while
  /// there is more.
  func catchUp() async throws -> CatchUp

  /// Lets what waits finish and releases the storage. Calls after this throw.
  func close() async
}

extension StorageBackend {
  /// For a storage in which no reading waits for another.
  package var longReadsMax: Int { .max }
}

/// What is left of the work that writes put off.
package enum CatchUp: Hashable, Sendable {
  case done
  /// There is more. Under load other writes wait, or somebody has read since the last piece: a
  /// device may be fetching everything. It should not take all of the time then.
  case more(isUnderLoad: Bool)
}
