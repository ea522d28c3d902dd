#if BELLHOP_POSTGRES
import BellhopStorePostgres
import BellhopTestSupport
import Foundation
import Glibc
import PostgresTestSupport
import Testing

extension ServerTests {
  @Suite("A server that crashes", .cluster())
  struct CrashTests {
    @Test("the outcome of a commit is unknown, and the pool recovers by itself")
    func crash() async throws {
      let cluster = try cluster()
      try connect().runScript(
        """
        CREATE TABLE crashed (n int8);
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(300); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON crashed DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION slow();
        """)
      let pool = try PostgresPool(
        cluster.settings(), size: 3, waitingMax: 10, random: { UInt64.random(in: 0 ... .max) })
      try await eventually("an open pool") { pool.figures.connected == 3 }
      let commit = try beside { connection in
        try connection.begin()
        try connection.queue("INSERT INTO crashed VALUES (1)")
        return connection.commit()
      }
      let watcher = try connect()
      let process = try await eventually("a COMMIT that sleeps") {
        try watcher.run("SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'").first
          .map { try pid_t($0.value("pid", as: Int.self)) }
      }
      // The server then ends all sessions, and recovers.
      kill(process, SIGKILL)
      guard case .unknown(.connection(.connectionLost)) = try await commit.value else {
        Issue.record("\(try await commit.value)")
        return
      }
      try await eventually("a pool that has recovered", last: "\(pool.figures) \(cluster.log)") {
        do {
          return try await pool.run { try $0.run("SELECT FROM crashed").isEmpty }
        } catch let error as PostgresError where error.remedy != .report {
          return false
        }
      }
      await pool.close()
    }
  }

  /// A server with a certificate for `localhost`, which is its own authority.
  @Suite(
    "A server with TLS",
    .enabled(if: access("/usr/bin/openssl", X_OK) == 0, "openssl is not installed here"))
  struct TLSTests {
    @Test("a certificate is verified with its name, and large values arrive whole")
    func verification() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let (key, certificate) = (folder.path + "/key", folder.path + "/certificate")
      try PostgresCluster.run(
        "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
      let port = try SilentPort().number
      let cluster = try await PostgresCluster(
        options: [
          "ssl=on", "ssl_key_file=../key", "ssl_cert_file=../certificate",
          "listen_addresses=127.0.0.1",
        ],
        files: [
          "key": String(contentsOfFile: key, encoding: .utf8),
          "certificate": String(contentsOfFile: certificate, encoding: .utf8),
        ], port: port)
      defer { cluster.stop() }
      func open(_ host: String, _ certificate: String) throws -> PostgresConnection {
        try PostgresConnection.open(
          PostgresSettings(
            address: "postgres://postgres@\(host):\(port)/postgres?sslmode=verify-full"
              + "&connect_timeout=60&sslrootcert=\(certificate)"))
      }
      let connection = try open("localhost", certificate)
      let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
      #expect(try connection.run(sql).first().value("ssl"))
      let text = String(repeating: "bell ", count: 1_000_000)
      #expect(try connection.run("SELECT $1 AS t", .text(text)).first().value("t") == text)
      for _ in 0..<500 { try connection.queue("SELECT $1 AS t", .text(String(text.prefix(9000)))) }
      #expect(try connection.flush().allSatisfy { $0 == 1 })
      // Another name than in the certificate, and another authority.
      #expect(throws: PostgresError.self) { try open("127.0.0.1", certificate) }
      #expect(throws: PostgresError.self) { try open("localhost", "/etc/hosts") }
    }
  }
}
#endif
