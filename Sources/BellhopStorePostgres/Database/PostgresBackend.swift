#if BELLHOP_POSTGRES
package import BellhopModel
package import BellhopStore
internal import Synchronization

/// A store in a schema of a PostgreSQL database, which any number of processes may serve.
///
/// It has two pools of connections, so that reads do not wait for writes. A ``PostgresWatchdog`` notices
/// a server that does not confirm commits. See <doc:TransactionsOfTheStore>.
package final class PostgresBackend: StorageBackend {
  /// The sizes and checks of a backend.
  package struct Options: Sendable {
    /// The number of connections that write.
    package var writers = 8
    /// The number of connections that read; each performs one read at a time.
    package var readers = 8
    /// Whether to refuse a server whose commits wait for no standby.
    package var requiresSynchronousStandby = true
    /// The time between two heartbeats, which reveal a server that confirms no commit.
    package var heartbeatInterval = Duration.seconds(5)
    /// The time without a confirmed commit after which writes are refused and all connections replaced.
    package var unconfirmedMax = Duration.seconds(10)
    /// The time between two checks that commits wait for a standby.
    package var standbyCheckInterval = Duration.seconds(30)

    package init() {}
  }

  /// The most reads that wait for a connection.
  private static let readsWaitingMax = 4096
  /// The most runs of a read whose connection was lost.
  private static let readAttemptsMax = 3
  /// The number of readers that long reads leave free for sign-in, deltas and health.
  private static let shortReaders = 2

  let readers: PostgresPool
  let writers: PostgresPool
  private let check: ServerCheck
  private let writer: PostgresWriter
  private let watchdog: PostgresWatchdog
  package let longReadsMax: Int
  private let size = Mutex<(at: ContinuousClock.Instant, bytes: Int64)?>(nil)

  /// Opens a store whose tables are in the schema of the settings; see ``migrate(_:)``.
  ///
  /// Uses the host with the highest timeline. If there are several, asking all of them takes little
  /// more than the time limit for opening a session, at most.
  ///
  /// - Parameters:
  /// - now: This machine's wall-clock time, which is compared with the server's.
  /// - random: Random bits for the marks of transactions and for pauses.
  /// - Throws: ``StoreError/newerSchema``; ``StoreError/unavailable(reason:)``.
  package static func open(
    _ settings: PostgresSettings, options: Options = Options(),
    now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> UInt64
  ) async throws(StoreError) -> PostgresBackend {
    var settings = settings
    settings.target = .readWrite
    let check = ServerCheck(
      now: now, requiresSynchronousStandby: options.requiresSynchronousStandby)
    // The first host that accepts writes may be an old primary, which is still up.
    if settings.hosts.count > 1 { await check.probe(settings) }
    let backend = PostgresBackend(settings, options, check, random: random)
    do {
      // Throws the reason if no connection can be opened.
      try await backend.readers.run { _ in }
      try await backend.writers.run { _ in }
    } catch {
      await backend.close()
      throw storeError(error)
    }
    backend.check.endStart()
    backend.watchdog.begin()
    return backend
  }

  /// Creates or updates the tables, as their owner. No other call changes them.
  ///
  /// - Throws: ``StoreError/newerSchema`` before anything is changed; ``PostgresError``.
  package static func migrate(_ settings: PostgresSettings) async throws {
    try await blocking("migration") {
      let connection = try PostgresConnection.open(settings)
      defer { connection.close() }
      try PostgresSchema.migrate(connection)
    }
  }

  private init(
    _ settings: PostgresSettings, _ options: Options, _ check: ServerCheck,
    random: @escaping @Sendable () -> UInt64
  ) {
    let prepare: @Sendable (PostgresConnection) throws -> Void = { try check.prepare($0) }
    let readers = PostgresPool(
      settings, size: options.readers, waitingMax: Self.readsWaitingMax, random: random,
      prepare: prepare)
    let writers = PostgresPool(
      settings, size: options.writers, waitingMax: PostgresWriter.waitingMax, random: random,
      prepare: prepare)
    let watchdog = PostgresWatchdog(
      settings, check: check,
      pace: .init(
        interval: options.heartbeatInterval, unconfirmedMax: options.unconfirmedMax,
        standbyCheckInterval: options.standbyCheckInterval),
      pools: [readers, writers], random: random, prepare: prepare)
    self.check = check
    self.readers = readers
    self.writers = writers
    self.watchdog = watchdog
    longReadsMax = max(1, options.readers - Self.shortReaders)
    writer = PostgresWriter(writers, random: random) { watchdog.refusal }
    // The pools open their connections already, so that one may have seen a higher timeline.
    check.whenTimelineRises { [weak watchdog] in watchdog?.reset() }
  }

  /// The check of each new connection, for other connections of this process to the same database.
  package var connectionCheck: @Sendable (PostgresConnection) throws -> Void {
    let check = check
    return { connection in try check.prepare(connection) }
  }

  /// Adds a call that replaces other connections of this process when the backend replaces its own.
  ///
  /// It must not block. The backend keeps it until its own end.
  package func whenReset(_ action: @escaping @Sendable () -> Void) {
    watchdog.whenReset(action)
  }

  /// Runs `body` over a snapshot. It may run again if the connection is lost.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    var attempts = 1
    while true {
      do {
        return try await readers.run { connection in
          let context = TransactionContext(connection, .snapshot)
          try context.begin()
          // The pool ends the transaction after it has answered.
          return try body(PostgresTransaction(context))
        }
      } catch let error as PostgresError
        where error.remedy == .retry && attempts < Self.readAttemptsMax
      {
        attempts += 1
      } catch {
        throw Self.storeError(error)
      }
    }
  }

  package func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value {
    do {
      return try await writer.write(in: scope, { try body($0) }, committed: committed)
    } catch {
      throw Self.storeError(error)
    }
  }

  /// Returns at once: every write updates the search index itself.
  package func catchUp() async throws -> CatchUp { .done }

  /// Finishes accepted writes and reads, and closes the connections.
  package func close() async {
    await watchdog.stop()
    await writer.close()
    await writers.close()
    await readers.close()
  }

  // MARK: - Upkeep

  /// The time for which a measured size of the database is used again.
  private static let sizeLife = Duration.seconds(10)

  package func figures() async throws -> StorageFigures {
    let (commits, writes, waiting) = writer.figures
    return StorageFigures(
      databaseBytes: await databaseBytes(), commits: commits, writes: writes,
      waitingWrites: waiting)
  }

  package func problems() async throws -> [String] {
    do {
      return try await readers.run { [check] in try check.problems($0) }
    } catch {
      throw Self.storeError(error)
    }
  }

  /// A description of the problem if the server has lost the setting by which commits wait for a standby.
  ///
  /// The ``PostgresWatchdog`` checks it from time to time.
  package var concerns: [String] { check.concerns }

  /// Returns the size of the database; nil if it is unknown.
  private func databaseBytes() async -> Int64? {
    let known = size.withLock { $0 }
    if let known, known.at.duration(to: .now) < Self.sizeLife { return known.bytes }
    let bytes = try? await readers.run { connection -> Int64 in
      try connection.run("SELECT pg_database_size(current_database()) AS bytes").first()
        .value("bytes")
    }
    guard let bytes else { return nil }
    size.withLock { $0 = (.now, bytes) }
    return bytes
  }

  // MARK: - Errors

  /// Translates failures into the store's errors, without statements and values.
  static func storeError(_ error: any Error) -> StoreError {
    switch error {
    case let error as StoreError: error
    case let error as PostgresError: storeError(error)
    case is CancellationError: .cancelled
    default: .unavailable(reason: error.explanation.clause)  // open: any Error
    }
  }

  private static func storeError(_ error: PostgresError) -> StoreError {
    switch error {
    case .lockTimeout, .tooManyWaiting, .conflict: .busy
    // Another transaction has inserted the same key meanwhile.
    case .refused("23505", _, _): .busy
    case .diskFull: .storageFull
    case .closed: .closed
    case .invalidAddress, .secretInAddress, .exposedPasswordFile, .unverifiedServer, .unreachable,
      .accessDenied, .serverTooOld, .connectionLost, .timedOut, .shuttingDown, .readOnly,
      .tooManyConnections, .outOfMemory, .failedTransaction, .missingRight, .refused,
      .unexpectedValue, .missingColumn, .missingRow:
      .unavailable(reason: error.reason)
    }
  }
}

extension PostgresError {
  private static let promise = " Nothing was changed."

  /// The failure as a part of a message that already says that nothing was changed.
  fileprivate var reason: String {
    let text = description
    guard text.hasSuffix(Self.promise) else { return text.clause }
    return String(text.dropLast(Self.promise.count)).clause
  }
}
#endif
