package import BellhopModel
package import BellhopStore

/// A state of a ``MemoryBackend``, as a value on which transactions can run.
package struct MemorySnapshot: Sendable {
  var state: MemoryState
}

extension MemorySnapshot {
  /// Creates an empty storage.
  package init(lifeKey: LifeKey?) { state = MemoryState(lifeKey: lifeKey) }

  /// The key of the data's life; nil for the data of one process.
  package var lifeKey: LifeKey? {
    get { state.lifeKey }
    set { state.lifeKey = newValue }
  }

  /// The ids of all users, lowest first.
  package var userIDs: [UserID] { state.partitions.keys.sorted() }

  package func read<Value>(_ body: (any StoreReading) throws -> Value) rethrows -> Value {
    var copy = state
    return try body(MemoryTransaction(taking: &copy, in: .store))
  }

  /// Runs `body` in a transaction, and throws if it writes outside of the scope.
  ///
  /// After an error the state is the one from before.
  package mutating func write<Value>(
    in scope: WriteScope, _ body: (any StoreTransaction) throws -> Value
  ) throws -> Value {
    let transaction = MemoryTransaction(taking: &state, in: scope)
    defer { transaction.returnState(to: &state) }
    do {
      let value = try body(transaction)
      if let violation = transaction.check.violation { throw violation }
      return value
    } catch {
      transaction.rollBack()
      throw error
    }
  }

  /// Returns the sequence of a user; zero for a user who does not exist.
  package func sequence(of user: UserID) -> SequenceNumber {
    state.partitions[user]?.counters.sequence ?? .zero
  }

  /// Sets the sequence of a user. For deliberate faults, because no write does that.
  package mutating func setSequence(_ sequence: SequenceNumber, of user: UserID) {
    state.partitions[user]?.counters.sequence = sequence
  }
}
