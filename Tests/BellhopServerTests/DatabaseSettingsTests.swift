import BellhopSettings
import Testing

@testable import BellhopServer

@Suite("The settings of a database")
struct DatabaseSettingsTests {
  private func read(_ text: String) -> (settings: DatabaseSettings, problems: [String]) {
    let (settings, findings) = StoreSettings.read(text, version: "0")
    return (settings.database, findings.map(\.words))
  }

  @Test("all settings are read, and the defaults are safe")
  func values() {
    let standard = read("").settings
    #expect(standard == DatabaseSettings())
    #expect(standard.requireStandby && !standard.acceptUnverifiedServers)
    let (settings, problems) = read(
      """
      [database]
      address = "postgres://h1,h2/bellhop?target_session_attrs=read-write"
      schema = "team_2"
      connections = 32
      require-standby = false
      accept-unverified-servers = true
      attachments = "/srv/bellhop/files"
      """)
    #expect(problems.isEmpty)
    #expect(settings.address == "postgres://h1,h2/bellhop?target_session_attrs=read-write")
    #expect(settings.schema == "team_2" && settings.connections == 32)
    #expect(!settings.requireStandby && settings.acceptUnverifiedServers)
    #expect(settings.attachments == .folder("/srv/bellhop/files"))
  }

  @Test("an address with a password is refused, and not repeated")
  func secrets() {
    let problems = read("database.address = \"postgres://bellhop:hunter2@db/bellhop\"").problems
    #expect(problems.count == 1)
    #expect(problems.first?.contains("an address without a password") == true)
    #expect(problems.first?.contains("hunter2") == false)
  }

  @Test("an unknown setting and a name that needs quotes are errors")
  func unknown() {
    #expect(
      read("database.adress = \"postgres://db/bellhop\"").problems
        == ["line 1: database.adress is not a setting; did you mean database.address?"])
    for schema in ["Bellhop", "2nd", "pg_store", "a b", "a\\\"b", ""] {
      #expect(read("database.schema = \"\(schema)\"").problems.count == 1, "\(schema)")
    }
  }

  @Test("the number of connections has limits")
  func connections() {
    for count in [4, 200] {
      #expect(read("database.connections = \(count)").problems.isEmpty, "\(count)")
    }
    for count in [3, 201] {
      #expect(read("database.connections = \(count)").problems.count == 1, "\(count)")
    }
  }

  @Test("a relative folder of attachments starts at the folder of the file")
  func folder() {
    var settings = StoreSettings.read("database.attachments = \"files\"", version: "0").settings
    settings.resolvePaths(below: "/etc/bellhop")
    #expect(settings.database.attachments == .folder("/etc/bellhop/files"))
  }

  @Test(
    "a secret is found in every form of an address",
    arguments: [
      "postgres://u:p@db/bellhop", "postgresql://u:p@db", "postgres://u:p?x@db/bellhop",
      "postgres://u:p/x@db/bellhop", "postgres://db/bellhop?password=p",
      "postgres://db/bellhop?sslmode=require&sslpassword=p", "postgres://db?p%61ssword=p",
      "host=db password=p", "postgres://u:@db/bellhop",
    ])
  func forms(_ text: String) {
    #expect(DatabaseAddress.fault(in: text) == .secret)
    #expect(DatabaseAddress(text) == nil)
  }

  @Test(
    "an address without a secret is accepted",
    arguments: [
      "postgres://db/bellhop", "postgresql://u@h1:5432,h2:5433/bellhop", "postgres://[::1]:5432/b",
      "postgres:///bellhop?host=/run/postgresql", "postgres://db/b?passfile=/etc/bellhop/pgpass",
      "postgres://u@db/bellhop?sslmode=verify-full&sslrootcert=system",
    ])
  func addresses(_ text: String) {
    #expect(DatabaseAddress(text)?.text == text)
  }

  @Test("the values in force are printed with the address")
  func file() {
    let text = "[database]\naddress = \"postgres://db/bellhop\"\n"
    let file = StoreSettings.read(text, version: "0").settings.file
    #expect(file.contains("[database]\naddress = \"postgres://db/bellhop\"\n"))
    #expect(StoreSettings.read(file, version: "0").findings.isEmpty)
  }
}
