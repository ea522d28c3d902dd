import BellhopWire
import Glibc

/// A peer that inserts rows into PostgreSQL with `pgbench`, each in a durable transaction of its
/// own.
final class PostgresInsert: Peer {
  private let user: UnprivilegedUser
  private let server: Server
  private let pgbench: String
  private let script: String

  init(_ place: PeerPlace) throws {
    // The server refuses to run as root.
    user = try UnprivilegedUser(["postgres", "nobody"], "postgres", place.workspace)
    do {
      pgbench = try Files.installed("pgbench")
      let data = user.folder + "/data"
      try user.run(
        try Files.installed("initdb"),
        ["-D", data, "-A", "trust", "-U", "bench", "--locale=C", "-E", "UTF8"])
      let port = try Server.freePort()
      server = try Server(
        user.command(
          try Files.installed("postgres"),
          [
            "-D", data, "-p", "\(port)", "-c", "listen_addresses=127.0.0.1", "-c",
            "unix_socket_directories=", "-c", "fsync=on", "-c", "synchronous_commit=on",
          ]), folder: user.folder, port: port)
      let body = String(
        decoding: try WireJSON.encode(PublishPayload(BenchRequests.sample())), as: UTF8.self
      ).replacing("'", with: "''")
      script = try user.write("INSERT INTO item (body) VALUES ('\(body)');\n", to: "insert.sql")
      try makeTable()
    } catch {
      user.removeFolder()
      throw error
    }
  }

  func measure(_ work: PublishWork) throws -> Double {
    // pgbench accepts whole seconds only.
    let seconds = max(1, Int(work.time.inSeconds.rounded(.up)))
    let output = try bench([
      "-f", script, "-M", "prepared", "-c", "\(work.connections)", "-j", "1", "-T", "\(seconds)",
    ])
    return try PgbenchOutput(text: output).rate()
  }

  func stop() {
    server.stop()
    user.removeFolder()
  }

  /// Creates the tables, also with `pgbench`, so that no other program is needed.
  ///
  /// The server accepts connections a little before it responds to them, hence the attempts.
  private func makeTable() throws {
    let table = try user.write(
      """
      CREATE TABLE item (id bigserial PRIMARY KEY, arrived timestamptz NOT NULL DEFAULT now(), \
      body jsonb NOT NULL);

      """, to: "table.sql")
    for attempt in 1... {
      do {
        try bench(["-f", table, "-t", "1"])
        return
      } catch  where attempt < 20 {
        usleep(100_000)
      }
    }
  }

  @discardableResult
  private func bench(_ arguments: [String]) throws -> String {
    try Subprocess(
      path: pgbench,
      arguments: ["-n", "-h", "127.0.0.1", "-p", "\(server.port)", "-U", "bench"] + arguments
        + ["postgres"],
      directory: user.folder
    ).run()
  }
}
