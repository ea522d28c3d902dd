#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopStorePostgres
internal import BellhopStoreSQLite
internal import Dispatch
internal import Logging

/// The schema of a PostgreSQL database that holds a store, which any number of processes may serve.
///
/// Commands work on the database themselves, also while processes serve it, and send them messages. So
/// they need no admin socket.
struct DatabasePlace: DataPlace {
  let database: DatabaseSettings
  let postgres: PostgresSettings
  /// The address without options, which administrators recognise, and a schema of another name.
  let description: String

  /// The connections of a process beside those for reads and writes.
  ///
  /// Two carry messages, two carry attachments, and one watches the server.
  static let otherConnections = 5
  /// The connections of a command: half of them write.
  static let commandConnections = 4

  /// Reads the address, without connecting to it.
  ///
  /// - Throws: `PostgresError`.
  init(_ settings: DatabaseSettings) throws {
    let address = settings.address ?? ""
    database = settings
    let schema = settings.schema == DatabaseSettings().schema ? "" : " (schema \(settings.schema))"
    description = String(address.prefix { $0 != "?" }) + schema
    var postgres = try PostgresSettings(
      address: address, acceptsUnverifiedServers: settings.acceptUnverifiedServers)
    postgres.session = PostgresSettings.session(schema: settings.schema)
    self.postgres = postgres
  }

  // MARK: - Opening

  func openForServing(_ settings: StoreSettings, logger: Logger) async throws -> OpenedStore {
    if !database.requireStandby {
      logger.warning(
        "database.require-standby is false: a failover of the database may lose what was confirmed")
    }
    let opened = try await open(
      .starting, limits: settings.limits, connections: database.connections, isListening: true)
    do {
      try await opened.service.join(host: SystemName.host, version: ProgramVersion.number)
      return opened
    } catch {
      await opened.close()
      throw error
    }
  }

  /// Opens the store for one command.
  private func openForCommand(limits: StoreLimits = StoreLimits()) async throws -> OpenedStore {
    try await open(
      .joining, limits: limits, connections: Self.commandConnections, isListening: false)
  }

  /// - Parameter isListening: Whether to receive the messages of other processes.
  private func open(
    _ mode: StoreLogic.StartMode, limits: StoreLimits, connections: Int, isListening: Bool
  ) async throws -> OpenedStore {
    let backend = try await backend(connections: connections)
    let blobs = blobs(beside: backend)
    // A failover must not leave the messages on an old primary, which still accepts connections.
    let channel = PostgresPeerChannel(
      postgres, channel: database.schema, isListening: isListening,
      random: StoreEnvironment.live.random, prepare: backend.connectionCheck)
    backend.whenReset { channel.reconnect() }
    do {
      let service = try await StoreService.open(
        mode, on: backend, environment: .live, limits: limits, shelf: blobs.store, peers: channel)
      return OpenedStore(service: service, release: blobs.close)
    } catch {
      await backend.close()
      await blobs.close()
      throw error
    }
  }

  /// Opens the rows of the store.
  ///
  /// - Throws: `PostgresError` if no server accepts the role, so that a command ends with its exit code;
  ///   `StoreError` if the store cannot be used.
  func backend(connections: Int) async throws -> PostgresBackend {
    try await Self.blocking { [postgres] in
      let connection = try PostgresConnection.open(postgres)
      connection.close()
    }
    var options = PostgresBackend.Options()
    options.writers = connections / 2
    options.readers = connections - options.writers
    options.requiresSynchronousStandby = database.requireStandby
    return try await PostgresBackend.open(
      postgres, options: options, now: StoreEnvironment.live.now,
      random: StoreEnvironment.live.random)
  }

  /// Returns the blob store, and how to close it. It uses the same server as the rows.
  func blobs(
    beside backend: PostgresBackend
  ) -> (store: any BlobStore, close: @Sendable () async -> Void) {
    switch database.attachments {
    case .folder(let path): return (DirectoryBlobStore(path: path), {})
    case .database:
      let store = PostgresBlobStore(
        postgres, random: StoreEnvironment.live.random, prepare: backend.connectionCheck)
      backend.whenReset { store.reconnect() }
      return (store, { await store.close() })
    }
  }

  func openStorage(isSource: Bool) async throws -> OpenedStorage {
    let backend = try await backend(connections: Self.commandConnections)
    if isSource {
      do {
        try await requireStore(in: backend)
      } catch {
        await backend.close()
        throw error
      }
    }
    let blobs = blobs(beside: backend)
    return OpenedStorage(
      backend: backend, files: blobs.store,
      close: {
        await backend.close()
        await blobs.close()
      })
  }

  private func requireStore(in backend: PostgresBackend) async throws {
    guard try await backend.read({ try $0.metadata(.epoch) }) != nil else {
      throw ProgramError.noStore(in: description)
    }
  }

  /// Runs calls that block, on a thread of their own.
  static func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "bellhopd.database").async {
        continuation.resume(with: Result(catching: body))
      }
    }
  }

  // MARK: - Administration

  var administrationListeners: [Listener] { [] }

  func administrationSocket() throws -> AdminSocket? {
    throw ProgramError.usage(
      "Processes that serve a database are not reached through it. Nothing was changed. Send SIGHUP "
        + "to each of them, such as with: systemctl reload bellhopd")
  }

  func administer<Answer>(
    _ request: AdminRequest<Answer>, settings: StoreSettings
  ) async throws -> Answer {
    let opened = try await openForCommand(limits: settings.limits)
    do {
      let answer = try await opened.service.administer(request, settings: settings)
      await opened.release()
      return answer
    } catch {
      await opened.release()
      throw error
    }
  }

  func beginEpoch() async throws {
    // Opening the store would create it.
    try await openStorage(isSource: true).use { _ in }
    let opened = try await openForCommand()
    do {
      try await opened.service.beginEpochAndClose()
      await opened.release()
    } catch {
      await opened.release()
      throw error
    }
  }

  func problems() async throws -> [String] {
    try await openStorage(isSource: true).use { [postgres] storage in
      let problems = try await storage.backend.problems()
      guard problems.isEmpty else { return problems }
      let incomplete = try await (storage.files as? PostgresBlobStore)?.problems() ?? []
      return try await incomplete
        + PostgresFiles.problems(
          postgres, random: StoreEnvironment.live.random, shelf: storage.files)
    }
  }
}
#endif
