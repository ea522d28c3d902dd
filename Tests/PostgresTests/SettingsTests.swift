#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStorePostgres
import BellhopTestSupport
import Foundation
import Glibc
import Testing

@Suite("Addresses of databases")
struct SettingsTests {
  private func settings(
    _ address: String, acceptsUnverifiedServers: Bool = false, environment: [String: String] = [:]
  ) throws -> PostgresSettings {
    try PostgresSettings(
      address: address, acceptsUnverifiedServers: acceptsUnverifiedServers,
      environment: { environment[$0] })
  }

  @Test("an address names hosts with ports, a database and a target")
  func parts() throws {
    let one = try settings("postgres://ada@h1:5433,h2/bellhop?target_session_attrs=read-write")
    #expect(one.hosts.map(\.description) == ["h1:5433", "h2"])
    #expect(one.database == "bellhop")
    #expect(one.target == .readWrite)
    #expect(one.connectTimeout == .seconds(10))
    let two = try settings("postgresql:///?host=/run/a,[::1]&port=7&connect_timeout=3")
    #expect(two.hosts.map(\.description) == ["/run/a:7", "[::1]:7"])
    #expect(two.connectTimeout == .seconds(3))
    let three = try settings("postgres:///bellhop", environment: ["PGHOST": "localhost"])
    #expect(three.hosts.map(\.description) == ["localhost"])
    #expect(try settings("postgres:///bellhop").description == "bellhop at the local socket")
  }

  @Test(
    "an address with a secret is refused",
    arguments: [
      "postgres://ada:s3cret@localhost/bellhop", "postgres://localhost/bellhop?password=s3cret",
      "postgres://localhost/bellhop?sslpassword=s3cret", "postgres://:s3cret@/bellhop",
      "postgres://localhost/bellhop?pass%77ord=s3cret",
    ])
  func secrets(_ address: String) throws {
    #expect(throws: PostgresError.secretInAddress) { try settings(address) }
  }

  @Test(
    "an address in another form is refused without repeating it",
    arguments: [
      "", "host=localhost password=s3cret", "mysql://s3cret@localhost/", "postgres://[s3cret",
      "postgres://localhost/?s3cret=1", "postgres://localhost/?s3cret", "postgres://h:s3cret/",
      "postgres://h1,h2/?port=1,2,3", "postgres://h/?hostaddr=127.0.0.1", "postgres:///?service=a",
      "postgres://h/?target_session_attrs=standby", "postgres://h/?connect_timeout=s3cret",
    ])
  func malformed(_ address: String) throws {
    let error = #expect(throws: PostgresError.self) { try settings(address) }
    guard case .invalidAddress = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("s3cret") == false)
  }

  @Test("the environment does not lead to another address than the named host")
  func hostAddress() throws {
    #expect(throws: PostgresError.self) {
      try settings("postgres://localhost/", environment: ["PGHOSTADDR": "192.0.2.1"])
    }
    #expect(throws: PostgresError.self) {
      try settings("postgres:///", environment: ["PGSERVICE": "bellhop"])
    }
    #expect(throws: PostgresError.unverifiedServer(host: "db.example.com")) {
      try settings(
        "postgres:///?sslmode=require", environment: ["PGHOST": "db.example.com"])
    }
  }

  @Test(
    "a server on the network needs a verified certificate, unless that is waived",
    arguments: ["disable", "allow", "prefer", "require", "verify-ca"])
  func verification(mode: String) throws {
    let address = "postgres://localhost,db.example.com/bellhop?sslmode=\(mode)"
    #expect(throws: PostgresError.unverifiedServer(host: "db.example.com")) {
      try settings(address)
    }
    #expect(try settings(address, acceptsUnverifiedServers: true).hosts.count == 2)
    for host in ["localhost", "127.0.0.1", "%2Frun%2Fpostgresql", "[::1]", ""] {
      #expect(try settings("postgres://\(host)/bellhop?sslmode=\(mode)").hosts.count == 1)
    }
    #expect(try settings("postgres://db.example.com/?sslmode=verify-full").hosts.count == 1)
    #expect(try settings("postgres://db.example.com/").hosts.count == 1)
  }

  @Test("a password file that others can read is refused, whichever way it is named")
  func passwordFile() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.path + "/.pgpass"
    try Data("*:*:*:*:s3cret\n".utf8).write(to: URL(filePath: file))
    let ways: [(String, [String: String])] = [
      ("?passfile=\(file)", [:]), ("", ["PGPASSFILE": file]), ("", ["HOME": folder.path]),
    ]
    for (query, environment) in ways {
      chmod(file, 0o640)
      #expect(throws: PostgresError.exposedPasswordFile(path: file)) {
        try settings("postgres://localhost/" + query, environment: environment)
      }
      chmod(file, 0o600)
      let found = try settings("postgres://localhost/" + query, environment: environment)
      #expect(!"\(found) \(String(reflecting: found))".contains("s3cret"))
    }
  }

  @Test("settings print as hosts and database, also when they are dumped")
  func descriptions() throws {
    let settings = try settings("postgres://ada@h1,h2:6000/bellhop?application_name=x")
    #expect(settings.description == "bellhop at h1, h2:6000")
    #expect("\(settings)" == settings.debugDescription)
    var dumped = ""
    dump(settings, to: &dumped)
    #expect(!dumped.contains("ada"))
  }
}

@Suite("Errors of the database")
struct PostgresErrorTests {
  private static let errors: [PostgresError] = [
    .invalidAddress(reason: "it does not begin with postgres://"), .secretInAddress,
    .exposedPasswordFile(path: "/etc/pgpass"), .unverifiedServer(host: "db.example.com"),
    .unreachable(reasons: ["h1: Connection refused", "h2: it does not accept writes"]),
    .accessDenied(reason: "password authentication failed for user \"ada\""),
    .serverTooOld(version: 130_004), .connectionLost(reason: "the server closed it"),
    .timedOut(after: .seconds(30)), .shuttingDown, .readOnly, .conflict, .lockTimeout,
    .tooManyConnections, .diskFull, .outOfMemory, .failedTransaction,
    .refused(sqlState: "22P02", message: "invalid input: \"s3cret\"", constraint: nil),
    .missingRight(message: "permission denied for table item"),
    .unexpectedValue(column: "id", expected: "bytes", found: "NULL"), .missingColumn("id"),
    .missingRow, .tooManyWaiting, .closed,
  ]

  @Test("each text is a sentence, and repeats no value", arguments: errors)
  func texts(_ error: PostgresError) {
    let text = error.description
    #expect(text.first?.isUppercase == true && text.hasSuffix("."))
    #expect(!text.contains("..") && !text.contains("  ") && !text.contains("s3cret"))
    #expect(error.explanation == text)
  }

  @Test("only the line for the log has the server's own message")
  func log() {
    let error = PostgresError.refused(sqlState: "22P02", message: "bad: \"x\"", constraint: nil)
    #expect(
      error.log
        == "The database refused a statement with SQLSTATE 22P02. Nothing was changed. "
        + "The server said: bad: \"x\"")
    #expect(PostgresError.conflict.log == PostgresError.conflict.description)
  }
}
#endif
