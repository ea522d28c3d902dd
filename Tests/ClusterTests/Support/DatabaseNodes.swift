#if BELLHOP_POSTGRES
import BellhopStorePostgres
import BellhopTestSupport
import Foundation
import Glibc
import PostgresTestSupport

/// The programs of PostgreSQL.
enum DatabasePrograms {
  /// The folder of the programs; nil if they are not installed.
  static let folder = PostgresPrograms.folder(with: ["initdb", "postgres", "pg_basebackup"])

  /// Whether PostgreSQL is installed; CI requires it.
  static let isInstalled = folder != nil || getenv("BELLHOP_CI") != nil

  /// The words before a program of PostgreSQL, which refuses to run as root.
  static let asOwner =
    geteuid() == 0
    ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []

  static func path(_ name: String) throws -> String {
    try ClusterError.require(folder, "PostgreSQL is not installed") + "/\(name)"
  }

  /// Makes the user of the programs the owner of a file.
  static func changeOwner(of path: String) throws {
    guard geteuid() == 0 else { return }
    let user = try ClusterError.require(
      getpwnam("postgres")?.pointee, "the user postgres is missing")
    chown(path, user.pw_uid, user.pw_gid)
  }
}

/// The servers of PostgreSQL of one test: a primary and its standbys.
///
/// The first server begins as the primary.
actor DatabaseNodes {
  struct Options: Sendable {
    var count = 3
    /// Whether a commit waits for one standby.
    var isSynchronous = true
    /// The port through which standbys reach each server; nil for the server's own.
    var relays: [Int: Int] = [:]
    /// The size of the only server's disk in megabytes; its log is elsewhere. Nil for this machine's.
    var diskMegabytes: Int?
    /// The network of the only server; nil for this machine's.
    var network: DatabaseNetwork?
  }

  private struct Node {
    var name: String
    var port: Int
    var data: String
    var server: LifelineProcess?
    /// The number of data folders so far.
    var lives = 1
  }

  /// The database of the store, and the role that owns it.
  static let name = "bellhop"

  nonisolated let folder: String
  nonisolated let ports: [Int]
  private let options: Options
  private var nodes: [Node]
  private(set) var primary = 0

  /// Prepares the servers; see ``start()``.
  ///
  /// - Parameter ports: The ports of the servers, which must be free.
  init(_ options: Options, ports: [Int]) throws {
    self.options = options
    self.ports = ports
    let folder = try TemporaryFolder().path
    try DatabasePrograms.changeOwner(of: folder)
    self.folder = folder
    nodes = ports.enumerated().map { index, port in
      Node(name: "node\(index + 1)", port: port, data: "\(folder)/node\(index + 1)-1")
    }
  }

  /// The address on which servers listen, beside the socket in ``folder``.
  private nonisolated var host: String { options.network?.inside ?? "127.0.0.1" }

  /// The hosts in an address, such as `127.0.0.1:5432,127.0.0.1:5433`.
  nonisolated var hosts: String { ports.map { "\(host):\($0)" }.joined(separator: ",") }

  /// The address of the store's database.
  nonisolated func address(hosts: String? = nil) -> String {
    "postgres://\(Self.name)@\(hosts ?? self.hosts)/\(Self.name)?target_session_attrs=read-write"
      + (options.network == nil ? "" : "&sslmode=disable")
  }

  // MARK: - Starting and ending

  /// Starts all servers, and creates the store's database and its role.
  func start() async throws {
    if options.diskMegabytes == nil {
      try await ProgramRun.succeed(
        DatabasePrograms.asOwner + [DatabasePrograms.path("initdb"), "-D", nodes[0].data]
          + Self.initialArguments, folder: folder)
    }
    if let network = options.network {
      try Data(network.accessRules.utf8).write(to: URL(filePath: accessFile))
      try DatabasePrograms.changeOwner(of: accessFile)
    }
    try await start(0)
    for index in nodes.indices.dropFirst() {
      try await copy(to: index)
      try await start(index)
    }
    try await waitForStandbys(nodes.count - 1)
    try execute("CREATE ROLE \(Self.name) LOGIN; GRANT pg_monitor TO \(Self.name)")
    // Outside of a transaction block.
    try execute(
      "CREATE DATABASE \(Self.name) OWNER \(Self.name) TEMPLATE template0 ENCODING 'UTF8'")
  }

  /// Starts one server, and waits until it accepts connections.
  func start(_ index: Int) async throws {
    let node = nodes[index]
    let server = try await LifelineProcess(
      node.name, prefix(of: node) + command(of: node), folder: folder, ending: .database)
    nodes[index].server = server
    try await eventually("\(node.name) that accepts connections", last: server.logEnd) {
      (try? open(index)) != nil
    }
  }

  private static let initialArguments = [
    "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C",
  ]

  /// Mounts a small disk for the data in a namespace of its own, where it vanishes with the server.
  ///
  /// The arguments are the folders of data and log, the size, `initdb`, and the command of the server.
  private static let smallDisk = #"""
    data=$1 wal=$2 size=$3 initdb=$4 && shift 4 || exit
    as_owner="/usr/bin/setpriv --reuid=postgres --regid=postgres --clear-groups"
    mkdir "$data" "$wal" && chown postgres:postgres "$wal" && chmod 700 "$wal" || exit
    mount -t tmpfs -o "size=${size}m,mode=0700,uid=$(id -u postgres),gid=$(id -g postgres)" \
      tmpfs "$data" || exit
    $as_owner "$initdb" -D "$data" -X "$wal" \
      -U postgres --auth=trust --no-sync -E UTF8 --locale=C || exit
    exec $as_owner "$@"
    """#

  /// The words before the command of a server.
  private func prefix(of node: Node) throws -> [String] {
    let network = options.network?.prefix ?? []
    guard let megabytes = options.diskMegabytes else { return network + DatabasePrograms.asOwner }
    return network + [
      "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", Self.smallDisk,
      "sh", node.data, node.data + "-log", "\(megabytes)", try DatabasePrograms.path("initdb"),
    ]
  }

  /// The file with the rules of access to a server in a network of its own.
  private var accessFile: String { folder + "/pg_hba.conf" }

  private func command(of node: Node) throws -> [String] {
    let names = nodes.map(\.name).joined(separator: ", ")
    let ports = nodes.indices.map { String(options.relays[$0] ?? nodes[$0].port) }
    let upstream = [
      "host=\(nodes.map { _ in "127.0.0.1" }.joined(separator: ","))",
      "port=\(ports.joined(separator: ","))", "user=postgres", "connect_timeout=2",
      "target_session_attrs=read-write", "application_name=\(node.name)",
    ].joined(separator: " ")
    var settings =
      [
        "port=\(node.port)", "listen_addresses=\(host)", "unix_socket_directories=\(folder)",
        "cluster_name=\(node.name)", "primary_conninfo=\(upstream)",
        // A promoted standby waits for one of the others, and never for itself.
        "synchronous_standby_names=\(options.isSynchronous ? "ANY 1 (\(names))" : "")",
        "fsync=off", "shared_buffers=16MB", "max_connections=120", "max_wal_size=256MB",
        "wal_keep_size=256MB", "wal_retrieve_retry_interval=200ms",
        "wal_receiver_status_interval=1", "wal_receiver_timeout=5s", "wal_sender_timeout=5s",
        // In the data folder, so that no memory of a killed server stays in use.
        "dynamic_shared_memory_type=mmap",
      ]
    if options.network != nil { settings.append("hba_file=\(accessFile)") }
    return [try DatabasePrograms.path("postgres"), "-D", node.data]
      + settings.flatMap { ["-c", $0] }
  }

  /// Makes a standby of the primary.
  private func copy(to index: Int) async throws {
    try await ProgramRun.succeed(
      DatabasePrograms.asOwner + [
        DatabasePrograms.path("pg_basebackup"), "-D", nodes[index].data, "-h", "127.0.0.1",
        "-p", "\(nodes[primary].port)", "-U", "postgres", "-X", "stream", "-c", "fast",
        "--no-sync", "-R",
      ], folder: folder)
  }

  /// Ends all servers and removes their folders.
  func end() async {
    for node in nodes { await node.server?.end() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Ends one server; ``start(_:)`` continues it.
  func stop(_ index: Int) async {
    await nodes[index].server?.end()
    nodes[index].server = nil
  }

  /// The numbers of the servers that are standbys.
  var standbys: [Int] { nodes.indices.filter { $0 != primary } }

  /// The last messages of the servers, for failures.
  var logEnds: String {
    nodes.map { "\($0.name):\n\($0.server?.logEnd ?? "ended")" }.joined(separator: "\n")
  }

  // MARK: - Failover

  /// Kills the primary, so that it has no chance to react.
  func killPrimary() async throws {
    guard let server = nodes[primary].server else { return }
    let path = nodes[primary].data + "/postmaster.pid"
    let facts = try? String(contentsOfFile: path, encoding: .utf8)
    server.signal(SIGKILL)
    try await server.waitForEnd()
    await server.end()
    nodes[primary].server = nil
    // A killed server leaves a small segment of shared memory.
    let memory = facts?.split(separator: "\n").dropFirst(6).first?.split(separator: " ").last
    if let memory, let number = Int32(memory) { shmctl(number, IPC_RMID, nil) }
  }

  /// Promotes the standby that has received most, and waits until it accepts writes.
  func promote() async throws {
    let candidates = standbys.filter { nodes[$0].server != nil }
    for index in candidates {
      // Only then is the position of what it has received final.
      try await eventually("the end of replication to \(nodes[index].name)", last: logEnds) {
        try texts(
          "SELECT status AS v FROM pg_stat_wal_receiver WHERE status = 'streaming'", on: index
        ).isEmpty
      }
    }
    let positions = try candidates.map { index in
      let position = try texts(
        """
        SELECT (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn)::text
          AS v
        """, on: index)
      return (index: index, position: Int(position.first ?? "") ?? 0)
    }
    let next = try ClusterError.require(
      positions.max { $0.position < $1.position }, "no standby is left")
    let answer = try texts("SELECT pg_promote(true, 60)::text AS v", on: next.index)
    guard answer == ["true"] else {
      throw ClusterError("\(nodes[next.index].name) was not promoted: \(logEnds)")
    }
    primary = next.index
    try await waitForStandbys(candidates.count - 1)
  }

  /// Makes a server that was killed a standby of the new primary.
  func rejoin(_ index: Int) async throws {
    let old = nodes[index].data
    nodes[index].lives += 1
    nodes[index].data = "\(folder)/\(nodes[index].name)-\(nodes[index].lives)"
    try await copy(to: index)
    try? FileManager.default.removeItem(atPath: old)
    try await start(index)
    try await waitForStandbys(standbys.count)
  }

  /// Waits until this many standbys replicate from the primary.
  func waitForStandbys(_ count: Int) async throws {
    try await eventually("\(count) standbys", last: logEnds) {
      try texts("SELECT application_name AS v FROM pg_stat_replication WHERE state = 'streaming'")
        .count >= count
    }
  }

  /// Waits until each standby has received everything that the primary has written.
  func waitForReplication() async throws {
    let position = try texts("SELECT pg_current_wal_lsn()::text AS v").first ?? ""
    try await eventually("standbys that have received everything", last: logEnds) {
      try texts(
        """
        SELECT application_name AS v FROM pg_stat_replication
        WHERE flush_lsn IS NULL OR flush_lsn < '\(position)'::pg_lsn
        """
      ).isEmpty
    }
  }

  // MARK: - Network

  /// Lets all packets from and to the only server vanish, or lets them arrive again.
  func setNetwork(isCut: Bool) async throws {
    guard let network = options.network, let server = nodes[0].server else {
      throw ClusterError("the server has no network of its own")
    }
    try await network.set(isCut: isCut, server: server.processID, folder: folder)
  }

  // MARK: - Statements

  /// Opens a session of the administrator, whose commits wait for no standby.
  ///
  /// It uses the server's socket, and so crosses no network.
  private func open(
    _ index: Int? = nil, database: String = "postgres"
  ) throws -> PostgresConnection {
    var settings = try PostgresSettings(
      address: "postgres://postgres@/\(database)?host=\(folder)"
        + "&port=\(ports[index ?? primary])&target_session_attrs=any")
    settings.connectTimeout = patience
    settings.answerTimeout = patience
    settings.session["synchronous_commit"] = "local"
    settings.session["default_transaction_read_only"] = "off"
    return try PostgresConnection.open(settings)
  }

  /// Runs statements on the primary, which return nothing.
  func execute(_ sql: String, database: String = "postgres") throws {
    let connection = try open(database: database)
    defer { connection.close() }
    try connection.runScript(sql)
  }

  /// Returns the texts in the column `v` of a query, of the primary unless another server is given.
  func texts(
    _ sql: String, on index: Int? = nil, database: String = "postgres"
  ) throws -> [String] {
    let connection = try open(index, database: database)
    defer { connection.close() }
    let rows = try connection.run(sql)
    return try rows.map { try $0.value("v", as: String.self) }
  }

  /// Fills the disk of the only server.
  func fillDisk() {
    // Fails when the disk is full, and leaves the file there. For many more rows,
    // generate_series would need a temporary file, whose space is free again at the end.
    try? execute(
      "COPY (SELECT repeat('x', 100000) FROM generate_series(1, 2000)) TO '\(filler)'")
  }

  /// Frees the disk that ``fillDisk()`` has filled.
  func freeDisk() throws {
    try execute("COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; rm \(filler)'")
  }

  private var filler: String { nodes[0].data + "/filler" }

  /// The number of sessions of the store.
  func sessionsCount() throws -> Int {
    try texts("SELECT pid::text AS v FROM pg_stat_activity WHERE usename = '\(Self.name)'").count
  }

  /// Ends all sessions of the store.
  func endSessions() throws {
    _ = try texts(
      """
      SELECT pg_terminate_backend(pid)::text AS v FROM pg_stat_activity
      WHERE usename = '\(Self.name)'
      """)
  }
}
#endif
