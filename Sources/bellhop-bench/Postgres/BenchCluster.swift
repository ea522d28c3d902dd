#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import BellhopStorePostgres
import Glibc

/// A throw-away cluster of PostgreSQL: a server with its own folder, and a synchronous standby if wanted.
///
/// The servers listen on sockets in the folder only. They end with this program, however it ends.
final class BenchCluster {
  /// The programs that must be installed.
  static let programs = ["initdb", "postgres", "pgbench", "pg_basebackup", "timeout"]

  /// The settings of every server, which stores and `pgbench` share.
  ///
  /// They fit a small machine with several programs. Durability is PostgreSQL's default.
  static let serverSettings = [
    "fsync=on", "synchronous_commit=on", "full_page_writes=on", "shared_buffers=512MB",
    "max_wal_size=4GB", "checkpoint_timeout=15min", "random_page_cost=1.1", "jit=off",
    "max_connections=200",
  ]

  let hasStandby: Bool
  let user: UnprivilegedUser
  private let primary: Server
  private var standby: Server?

  /// The folder of the sockets.
  var folder: String { user.folder }
  var port: UInt16 { primary.port }
  /// The address as `bellhopd` takes it.
  var address: String { Self.address(folder: folder, port: port) }
  /// The word that tells the figures of this cluster from those of the other.
  var label: String { hasStandby ? "standby" : "alone" }

  /// Creates the data and starts the servers.
  ///
  /// - Throws: ``BenchError``, `PostgresError` and `StoreError` if a program is missing or fails.
  init(_ workspace: Workspace, hasStandby: Bool) async throws {
    self.hasStandby = hasStandby
    // The server refuses to run as root.
    user = try UnprivilegedUser(["postgres", "nobody"], "cluster", workspace)
    do {
      let data = user.folder + "/data"
      try user.run(
        try Files.installed("initdb"),
        ["-D", data, "-A", "trust", "-U", "bench", "--locale=C", "-E", "UTF8"])
      primary = try Self.start(user, data: "data")
      try await PostgresBackend.migrate(try settings())
      if hasStandby { try startStandby() }
    } catch {
      user.removeFolder()
      throw error
    }
  }

  deinit { stop() }

  /// Ends the servers and removes their data.
  func stop() {
    standby?.stop()
    primary.stop()
    user.removeFolder()
  }

  // MARK: - Servers

  private static func address(folder: String, port: UInt16) -> String {
    "postgres://bench@/postgres?host=\(folder)&port=\(port)"
  }

  /// Starts a server over a folder below that of the user.
  private static func start(_ user: UnprivilegedUser, data: String) throws -> Server {
    // The port is only a part of the name of the socket.
    let port = try Server.freePort()
    var arguments = ["-D", "\(user.folder)/\(data)", "-p", "\(port)", "-k", user.folder]
    for setting in serverSettings + ["listen_addresses="] { arguments += ["-c", setting] }
    var connection = try PostgresSettings(address: address(folder: user.folder, port: port))
    connection.target = .any
    // The server ignores QUIT, its immediate end, until it has begun. Its data is removed anyway.
    return try Server(
      user.command(try Files.installed("postgres"), arguments), folder: user.folder, port: port,
      signals: ["TERM", "QUIT"]
    ) { (try? PostgresConnection.open(connection)) != nil }
  }

  /// Starts a standby, and waits until commits wait for it.
  private func startStandby() throws {
    try user.run(
      try Files.installed("pg_basebackup"),
      [
        "-h", folder, "-p", "\(port)", "-U", "bench", "-D", folder + "/standby", "-R", "-X",
        "stream", "-c", "fast",
      ])
    standby = try Self.start(user, data: "standby")
    try withConnection { connection in
      try connection.runScript("ALTER SYSTEM SET synchronous_standby_names = '*'")
      try connection.runScript("SELECT pg_reload_conf()")
      for _ in 0..<1000 {
        let row = try connection.run(
          """
          SELECT count(*) AS standbys FROM pg_stat_replication
          WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')
          """
        ).first()
        if try row.value("standbys", as: Int.self) > 0 { return }
        usleep(10_000)
      }
      throw BenchError("the standby does not follow the server")
    }
  }

  // MARK: - Connections

  /// The settings for connections of this program, with limits that fit large statements.
  ///
  /// - Parameter recorder: Receives the statements; nil to record none.
  func settings(_ recorder: StatementRecorder? = nil) throws -> PostgresSettings {
    var settings = try PostgresSettings(address: address)
    settings.answerTimeout = .seconds(1800)
    settings.commitTimeout = .seconds(60)
    if let recorder { settings.onStep = { recorder.note($1, of: $0) } }
    return settings
  }

  /// Runs `body` with a connection of this program.
  func withConnection<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    let connection = try PostgresConnection.open(try settings())
    defer { connection.close() }
    return try body(connection)
  }

  /// Runs `body` with the store in this program, without any process of `bellhopd`.
  func withStore<Value>(
    recorder: StatementRecorder? = nil,
    _ body: (_ service: StoreService, _ backend: PostgresBackend) async throws -> Value
  ) async throws -> Value {
    var options = PostgresBackend.Options()
    options.requiresSynchronousStandby = hasStandby
    // Heartbeats would be recorded too.
    options.heartbeatInterval = .seconds(3600)
    options.unconfirmedMax = .seconds(7200)
    let environment = StoreFolder.environment
    let backend = try await PostgresBackend.open(
      try settings(recorder), options: options, now: environment.now,
      random: environment.random)
    let service: StoreService
    do {
      service = try await StoreService.open(.starting, on: backend, environment: environment)
    } catch {
      await backend.close()
      throw error
    }
    do {
      let value = try await body(service, backend)
      await service.close()
      return value
    } catch {
      await service.close()
      throw error
    }
  }

  // MARK: - Processes of the store

  /// Starts processes of `bellhopd`, which share the database.
  ///
  /// - Parameter others: Further lines of their configuration file.
  func serve(
    _ workspace: Workspace, processes: Int, in folder: String, settings others: String
  ) throws -> [Server] {
    let settings = others + "[database]\nrequire-standby = \(hasStandby)\n"
    var servers: [Server] = []
    for number in 1...processes {
      let home = "\(folder)/process\(number)"
      try Files.makeFolder(home)
      do {
        servers.append(
          try Server(
            workspace, place: ["--database", address], folder: home, settings: settings))
      } catch {
        for server in servers { server.stop() }
        throw error
      }
    }
    return servers
  }

  // MARK: - Figures

  /// The CPU time of all processes of both servers since their start.
  func cpu() throws -> Duration {
    let servers = [primary] + (standby.map { [$0] } ?? [])
    return try servers.reduce(.zero) { $0 + (try ProcessTree(of: $1.processID).cpu) }
  }

  /// Returns the times of transactions that change one row, on one connection.
  ///
  /// No write can be faster: each needs a round trip and a commit on the disks.
  func commitTime(for time: Duration) throws -> Samples {
    try withConnection { connection in
      try connection.runScript(
        """
        CREATE TABLE IF NOT EXISTS public.bench_commit (number bigint NOT NULL);
        INSERT INTO public.bench_commit SELECT 0
        WHERE NOT EXISTS (SELECT FROM public.bench_commit);
        """)
      var times = Samples()
      let end = ContinuousClock.now + time
      while ContinuousClock.now < end {
        times.add(
          try timed {
            try connection.begin()
            try connection.queue("UPDATE public.bench_commit SET number = number + 1")
            guard connection.commit() == .committed else {
              throw BenchError("a commit was not confirmed")
            }
          })
      }
      return times
    }
  }
}
#endif
