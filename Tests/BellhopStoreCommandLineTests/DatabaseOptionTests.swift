import ArgumentParser
import BellhopTestSupport
import Glibc
import Testing

@testable import BellhopHelp
@testable import BellhopManual
@testable import BellhopStoreCommandLine

@Suite("The option --database")
struct DatabaseOptionTests {
  /// The commands that work on no single place of data.
  static let exempt: Set<String> = [
    "config default", "config check", "systemd-unit", "help", "manpage", "migrate",
  ]
  /// A line for each command that works on the data of a store, except serve.
  static let commands = [
    ["user", "add", "alice"], ["user", "list"], ["user", "remove", "alice"],
    ["user", "unlink", "alice", "https://id.example.com"],
    ["token", "create", "--user", "alice", "--scope", "device"], ["token", "list"],
    ["token", "revoke", "0198c0de"], ["device", "list", "--user", "alice"],
    ["device", "approve", "BCDF-GHJK", "--user", "alice"],
    ["device", "deny", "BCDF-GHJK", "--user", "alice"],
    ["device", "revoke", "--user", "alice", "laptop-1"], ["stats"],
    ["backup", "/nonexistent/backup"], ["restore", "/nonexistent/backup"], ["check"], ["doctor"],
    ["expire"], ["reload"], ["migrate-schema"], ["new-epoch"],
  ]

  /// Returns the paths of all commands without subcommands, with the names of their options.
  private static func leaves(
    of command: CommandTree, below path: [String] = []
  ) -> [(path: String, options: Set<String>)] {
    guard command.subcommands.isEmpty else {
      return command.subcommands.flatMap { leaves(of: $0, below: path + [$0.name]) }
    }
    let names = command.arguments.flatMap { $0.names ?? [] }.map(\.name)
    return [(path.joined(separator: " "), Set(names))]
  }

  /// Runs a command in this process, and returns its error.
  private func failure(_ arguments: [String]) async throws -> ProgramError {
    let command = try #require(try Bellhopd.parseAsRoot(arguments) as? any StoreCommand)
    do {
      try await command.perform()
    } catch {
      return ProgramError(error)
    }
    throw ProgramError(exitCode: 0, message: "\(arguments) did not fail")
  }

  @Test("each command that works on data has --data, --database and --config")
  func everyCommand() throws {
    let leaves = Self.leaves(of: try CommandTree(json: Bellhopd._dumpHelp()))
    #expect(leaves.count > 20)
    for (path, options) in leaves where !Self.exempt.contains(path) && !path.hasSuffix("help") {
      #expect(options.isSuperset(of: ["data", "database", "config"]), "\(path): \(options)")
    }
  }

  @Test("a password in the address is refused with 64 and not repeated", arguments: commands)
  func password(_ command: [String]) async throws {
    for address in [
      "postgres://bellhop:hunter2@db/bellhop", "postgresql://db/bellhop?password=hunter2",
      "postgres://db/bellhop?pass%77ord=hunter2",
    ] {
      let error = try await failure(command + ["--database", address])
      #expect(error.exitCode == 64)
      #expect(error.message.contains("--database contains a password"), "\(error.message)")
      #expect(!error.message.contains("hunter2"))
    }
  }

  @Test("serve refuses a password before anything is opened")
  func serve() async throws {
    let error = try await failure(["serve", "--database", "postgres://bellhop:hunter2@db/bellhop"])
    #expect(error.exitCode == 64)
    #expect(!error.message.contains("hunter2"))
  }

  @Test("both ends of a move refuse a password")
  func move() async throws {
    let address = "postgres://bellhop:hunter2@db/bellhop"
    let from = try await failure(["migrate", "--from", address, "--revive"])
    #expect(from.exitCode == 64 && from.message.contains("--from contains a password"))
    let same = try await failure(["migrate", "--from", "/nonexistent", "--to", "/elsewhere"])
    #expect(same.exitCode == 64 && same.message.contains("One of --from and --to"))
    let neither = try await failure(["migrate", "--from", address])
    #expect(neither.exitCode == 64 && neither.message.contains("either --to or --revive"))
  }

  @Test("a move refuses a password in libpq's other form, and does not repeat it")
  func otherForm() async throws {
    let error = try await failure([
      "migrate", "--from", "host=db password=hunter2", "--to", "/nonexistent/store",
    ])
    #expect(error.exitCode == 64 && error.message.contains("--from contains a password"))
    #expect(!error.message.contains("hunter2"))
  }

  @Test("a move from a directory that does not exist creates none")
  func missingSource() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let source = folder.path + "/missing"
    for ending in [["--to", "postgres://db.example.com/bellhop"], ["--revive"]] {
      let error = try await failure(["migrate", "--from", source] + ending)
      #expect(error.exitCode == 66 && error.message.contains(source), "\(error.message)")
    }
    #expect(access(source, F_OK) != 0)
  }

  @Test("an address as a data directory is refused and not repeated")
  func addressAsDirectory() async throws {
    let error = try await failure(["stats", "--data", "postgres://bellhop:hunter2@db/bellhop"])
    #expect(error.exitCode == 64 && error.message.contains("--database"), "\(error.message)")
    #expect(!error.message.contains("hunter2"))
  }

  @Test("a text that is not an address is refused with an example")
  func form() async throws {
    for text in ["db.example.com", "host=db user=bellhop", "mysql://db/bellhop"] {
      let error = try await failure(["stats", "--database", text])
      #expect(error.exitCode == 64)
      #expect(error.message.contains("postgres://db.example.com/bellhop"), "\(error.message)")
    }
  }

  @Test("a directory and a database together are refused")
  func both() async throws {
    let error = try await failure([
      "stats", "--data", "/nonexistent", "--database", "postgres://db/bellhop",
    ])
    #expect(error.exitCode == 64)
    #expect(error.message.contains("either --data or --database"))
  }

  @Test("the tables of a data directory need no command")
  func schemaOfDirectory() async throws {
    let error = try await failure(["migrate-schema", "--data", "/nonexistent"])
    #expect(error.exitCode == 64 && error.message.contains("give --database"))
  }

  #if !BELLHOP_POSTGRES
  @Test("a program without PostgreSQL says so, and how to get it", arguments: commands)
  func withoutTrait(_ command: [String]) async throws {
    let error = try await failure(command + ["--database", "postgres://db.example.com/bellhop"])
    #expect(error.exitCode == 78)
    #expect(error.message.contains("built without PostgreSQL"), "\(error.message)")
    #expect(error.message.contains("--traits PostgreSQL"))
  }
  #endif

  @Test("the grants of the serving role are only for rows")
  func grants() {
    let grants = ServeRole(name: "bellhop", schema: "store").grants
    #expect(grants.contains("ON ALL TABLES IN SCHEMA store TO bellhop;"))
    #expect(grants.contains("GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA store TO bellhop;"))
    for right in ["CREATE", "TRUNCATE", "REFERENCES", "TRIGGER", "ALL PRIVILEGES"] {
      #expect(!grants.contains(right))
    }
  }
}
