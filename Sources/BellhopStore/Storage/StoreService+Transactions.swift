internal import BellhopModel
internal import Synchronization

extension StoreService {
  /// Performs a short read.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (StoreLogic, any StoreReading) throws -> Value
  ) async throws(StoreError) -> Value {
    do {
      return try await readOnce(body)
    } catch {
      throw StoreError(error)
    }
  }

  private func readOnce<Value: Sendable>(
    _ body: @escaping @Sendable (StoreLogic, any StoreReading) throws -> Value
  ) async throws -> Value {
    try await backend.read { [self, known = dataLife.logic] state in
      let (logic, isNew) = try dataLife.logic(reading: state, knowing: known)
      if isNew { forgetLostPast(isShared: true) }
      return try body(logic, state)
    }
  }

  /// Performs a read that may take long, when it is the user's turn.
  func longRead<Value: Sendable>(
    _ purpose: ReadingScheduler.Purpose, for user: UserID, isAnonymous: Bool = false,
    _ body: @escaping @Sendable (StoreLogic, any StoreReading) throws -> Value
  ) async throws(StoreError) -> Value {
    do {
      return try await turns.run(purpose, for: .init(user: user, isAnonymous: isAnonymous)) {
        try await readOnce(body)
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Returns how many of the user's long reads are running and how many are waiting.
  ///
  /// - Parameter isAnonymous: whether to count reads without a token, or all others.
  package func longReads(
    of user: UserID, isAnonymous: Bool = false
  ) -> (running: Int, waiting: Int) {
    turns.figures(of: .init(user: user, isAnonymous: isAnonymous))
  }

  /// Reads one committed state directly. For simulations, which inspect the contents of a store.
  package func inspect<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws(StoreError) -> Value {
    try await read { try body($1) }
  }

  /// Performs a write in one transaction; see ``WriteScope``.
  func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (StoreLogic, any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void = { _ in }
  ) async throws(StoreError) -> Value {
    let user = Mutex<UserID?>(nil)
    do {
      return try await backend.write(
        in: scope,
        { [dataLife] transaction in
          defer { user.withLock { $0 = transaction.takenSequence?.user } }
          let (logic, lifeChange) = try dataLife.logic(writingIn: transaction, scope: scope)
          let value = try body(logic, transaction)
          let effects = WriteEffects(
            accessChanges: transaction.accessChanges, start: logic.identity.start,
            lifeChange: lifeChange, takenSequence: transaction.takenSequence,
            changedRevocation: transaction.changedRevocation,
            publishTally: transaction.publishTally)
          return (value, effects)
        },
        committed: { [self] (value, effects) in
          if dataLife.commit(effects.lifeChange) {
            forgetLostPast(isShared: effects.start.lifeKey != nil)
          }
          if let taken = effects.takenSequence {
            dataLife.note(taken, in: effects.start)
            dataLife.logic.ruleCache.noteCommit(taken, in: effects.start.id)
          }
          if let token = effects.changedRevocation { dataLife.noteRevocation(of: token) }
          knownTokens?.forget(effects.accessChanges)
          let logic = dataLife.logic
          logic.rates.take(effects.publishTally, at: logic.environment.uptime())
          committed(value)
        }
      ).0
    } catch {
      let error = StoreError(error)
      writeHealth.note(error, user: user.withLock { $0 })
      throw error
    }
  }
}
