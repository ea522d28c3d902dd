#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStorePostgres
import BellhopTestSupport
import Foundation
import Glibc
import PostgresTestSupport
import Testing

extension ServerTests {
  @Suite("Opening a connection")
  struct OpeningTests {
    @Test("a session has the settings that the store relies on")
    func session() throws {
      let connection = try connect { $0.session = PostgresSettings.session(schema: "a\"b") }
      let row = try connection.run(
        """
        SELECT current_setting('search_path') AS path, current_setting('TimeZone') AS zone,
          current_setting('synchronous_commit') AS commit, current_setting('lock_timeout') AS lock,
          current_setting('default_transaction_isolation') AS isolation,
          current_setting('client_encoding') AS encoding
        """
      ).first()
      #expect(try row.value("path") == #""a""b""#)
      #expect(try row.value("zone") == "UTC")
      #expect(try row.value("commit") == "on")
      #expect(try row.value("lock") == "5s")
      #expect(try row.value("isolation") == "read committed")
      #expect(try row.value("encoding") == "UTF8")
      let error = #expect(throws: PostgresError.self) {
        try connection.run("CREATE TABLE nowhere (n int8)")
      }
      #expect(error?.description.contains("3F000") == true)
    }

    @Test("an ordinary role reads the facts of the server")
    func facts() throws {
      try connect().run("CREATE ROLE ordinary LOGIN")
      let connection = try PostgresConnection.open(cluster().settings(user: "ordinary"))
      let now = { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - 60_000) }
      let facts = try connection.facts(now: now)
      #expect(facts.serverVersion == connection.serverVersion && facts.serverVersion >= 140_000)
      #expect(facts.systemIdentifier != 0)
      #expect(facts.timeline == 1)
      #expect(facts.synchronousStandbyNames == "")
      #expect(!facts.isInRecovery)
      // This machine's clock is said to be a minute behind.
      let error = facts.clockOffset - .seconds(60)
      #expect(error <= facts.clockUncertainty && error >= .zero - facts.clockUncertainty)
    }

    @Test("hosts that refuse or are silent are passed over, and are named if none is left")
    func hosts() throws {
      let silent = try SilentPort()
      let folder = try cluster().folder
      var settings = try PostgresSettings(
        address: "postgres://postgres@/postgres?host=127.0.0.1,127.0.0.1,\(folder)"
          + "&port=1,\(silent.number),5432")
      let good = settings.hosts.removeLast()
      settings.connectTimeout = .milliseconds(500)
      let start = ContinuousClock.now
      let error = #expect(throws: PostgresError.self) { try PostgresConnection.open(settings) }
      #expect(start.duration(to: .now) < patience)
      let text = error?.description ?? ""
      #expect(text.contains("127.0.0.1:1: ") && text.contains("127.0.0.1:\(silent.number): "))
      #expect(error?.remedy == .wait)
      // A busy machine may need longer for the last host.
      settings.connectTimeout = patience
      settings.hosts = [settings.hosts[0], good]
      #expect(try PostgresConnection.open(settings).host == good)
    }

    @Test("a server that is read only is refused, unless the address accepts any")
    func readOnly() throws {
      try connect().runScript(
        "CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on;")
      var settings = try cluster().settings(user: "reader")
      #expect(throws: PostgresError.readOnly) { try PostgresConnection.open(settings) }
      settings.target = .any
      let connection = try PostgresConnection.open(settings)
      #expect(throws: PostgresError.readOnly) { try connection.run("CREATE TABLE never (n int8)") }
      #expect(!connection.isUsable)
    }

    @Test("a role without a free connection, and an unknown database, are errors of their own")
    func refusals() throws {
      try connect().run("CREATE ROLE lonely LOGIN CONNECTION LIMIT 1")
      let first = try PostgresConnection.open(cluster().settings(user: "lonely"))
      #expect(throws: PostgresError.tooManyConnections) {
        try PostgresConnection.open(cluster().settings(user: "lonely"))
      }
      first.close()
      let address = try cluster().address(database: "absent")
      let settings = try PostgresSettings(address: address)
      let error = #expect(throws: PostgresError.self) { try PostgresConnection.open(settings) }
      #expect(error == .accessDenied(reason: "database \"absent\" does not exist"))
    }

    @Test("the password comes from a password file that only its owner can read")
    func passwordFile() throws {
      let secret = "correct horse"
      try connect().run("CREATE ROLE guarded LOGIN PASSWORD '\(secret)'")
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let file = folder.path + "/pgpass"
      let address = try cluster().address(user: "guarded") + "&passfile=\(file)"
      func open(_ password: String) throws -> PostgresConnection {
        try Data("*:*:*:guarded:\(password)\n".utf8).write(to: URL(filePath: file))
        chmod(file, 0o600)
        return try PostgresConnection.open(PostgresSettings(address: address))
      }
      let missing = #expect(throws: PostgresError.self) {
        try PostgresConnection.open(PostgresSettings(address: address))
      }
      #expect(missing?.remedy == .report)
      let wrong = #expect(throws: PostgresError.self) { try open("battery staple") }
      #expect(
        wrong == .accessDenied(reason: "password authentication failed for user \"guarded\""))
      #expect(try open(secret).isUsable)
      chmod(file, 0o640)
      #expect(throws: PostgresError.exposedPasswordFile(path: file)) {
        try PostgresSettings(address: address)
      }
      chmod(file, 0o600)
      let settings = try PostgresSettings(address: address)
      chmod(file, 0o604)
      #expect(throws: PostgresError.exposedPasswordFile(path: file)) {
        try PostgresConnection.open(settings)
      }
    }
  }
}

/// A port of this machine that accepts connections and never answers.
final class SilentPort {
  private let socket: Int32
  let number: String

  init() throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) { bytes in
      let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      return bind(socket, address, length) == 0 && listen(socket, 8) == 0
        && getsockname(socket, address, &length) == 0
    }
    try #require(isListening)
    self.socket = socket
    number = String(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(socket) }
}
#endif
