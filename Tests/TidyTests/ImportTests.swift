import BellhopTestSupport
import Testing

/// Who may import whom: the walls of the house. A new import is a decision, made here.
@Suite("The walls of the house")
struct ImportTests {
  /// What each room may import of this package, and of other packages.
  static let allowed: [String: Set<String>] = [
    "BellhopModel": [],
    "BellhopWire": ["BellhopModel"],
    "BellhopTime": ["BellhopModel"],
    "BellhopText": [],
    "BellhopScreen": ["BellhopModel", "BellhopText"],
    "BellhopSettings": ["TOMLKit"],
    "BellhopThemes": ["BellhopScreen", "BellhopSettings"],
    "BellhopNetwork": [
      "BellhopModel", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS",
    ],
    "BellhopInbox": [
      "BellhopModel", "BellhopSearch", "BellhopTime", "BellhopScreen", "BellhopText",
    ],
    "BellhopSearch": ["BellhopModel"],
    "BellhopSearchIndex": ["BellhopSearch", "GRDB"],
    "BellhopCache": [
      "BellhopModel", "BellhopSearch", "BellhopSearchIndex", "GRDB", "GRDBSQLite",
    ],
    "BellhopSync": [
      "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopCache", "AsyncHTTPClient",
      "CBellhopSystem", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Logging",
    ],
    "BellhopOutbound": [
      "BellhopModel", "BellhopNetwork", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
    ],
    "BellhopKit": ["BellhopModel", "BellhopWire", "BellhopCache", "BellhopSync"],
    "BellhopTerminal": ["BellhopModel", "BellhopScreen", "BellhopText", "CNcurses"],
    "BellhopClient": [
      "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopSettings", "BellhopTime",
      "BellhopText", "BellhopScreen", "BellhopThemes", "BellhopInbox", "BellhopOutbound",
      "BellhopCache",
      "BellhopSync",
      "BellhopKit", "BellhopTerminal", "CBellhopSystem", "CExecutor",
    ],
    "bellhop": ["BellhopClient", "BellhopModel", "ArgumentParser"],
    "BellhopStore": ["BellhopModel", "BellhopSearch", "Crypto"],
    "BellhopStoreSQLite": [
      "BellhopModel", "BellhopSearch", "BellhopSearchIndex", "BellhopStore", "GRDB",
      "GRDBSQLite",
    ],
    "BellhopIdentity": [
      "BellhopModel", "BellhopWire", "BellhopStore", "Crypto", "CryptoExtras",
    ],
    "BellhopServer": [
      "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopSettings", "BellhopTime",
      "BellhopOutbound", "BellhopStore", "BellhopIdentity", "AsyncHTTPClient", "CZlib",
      "CoreMetrics",
      "Crypto",
      "HTTPTypes",
      "Hummingbird",
      "HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOPosix", "NIOSSL",
      "NIOWebSocket", "ServiceLifecycle", "UnixSignals",
    ],
    "BellhopSimulation": [
      "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopCache", "BellhopSync",
      "BellhopStore", "Foundation",
    ],
    "BellhopRouterSimulation": [
      "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopCache", "BellhopSync",
      "BellhopStore", "BellhopStoreSQLite", "BellhopServer", "BellhopSimulation", "Foundation",
      "HTTPTypes",
      "Hummingbird", "Logging", "NIOCore",
    ],
    "bellhop-simulate": [
      "BellhopModel", "BellhopSimulation", "BellhopRouterSimulation", "ArgumentParser",
      "Foundation",
    ],
    "bellhopd": [
      "BellhopModel", "BellhopText", "BellhopTime", "BellhopServer", "BellhopIdentity",
      "BellhopStore", "BellhopStoreSQLite", "ArgumentParser", "CBellhopSystem", "Logging",
      "ServiceLifecycle",
    ],
  ]

  /// What comes with the toolchain, for any room.
  static let toolchain: Set<String> = [
    "Swift", "FoundationEssentials", "Glibc", "Musl", "Darwin", "Synchronization", "Dispatch",
    "_Concurrency",
  ]

  /// Programs that measure, and are no room of the house.
  static let exempt: Set<String> = ["bellhop-bench"]

  static func importedModule(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let position = words.firstIndex(of: "import"), position <= 2,
      words[..<position].allSatisfy({
        ["public", "package", "internal", "private", "@preconcurrency", "@testable"].contains($0)
      }),
      let module = words.dropFirst(position + 1).first(where: { $0 != "struct" && $0 != "enum" })
    else { return nil }
    return String(module.prefix { $0 != "." })
  }

  @Test("each room imports only what its row of the table allows")
  func importsStayWithinTheTable() throws {
    let files = try SourceTree.swiftFiles(below: "Sources")
    #expect(files.count > 50)
    var seen: Set<String> = []
    for file in files {
      let room = String(file.path.split(separator: "/")[1])
      seen.insert(room)
      if Self.exempt.contains(room) { continue }
      let allowed = try #require(Self.allowed[room], "\(room) has no row in the table")
      for module in file.lines.compactMap(Self.importedModule)
      where !Self.toolchain.contains(module) && module != room {
        #expect(allowed.contains(module), "\(file.path) imports \(module)")
      }
    }
    for room in Self.allowed.keys { #expect(seen.contains(room), "\(room) has no files") }
  }

  @Test("the reader of import lines knows them in all their forms")
  func importLines() {
    #expect(Self.importedModule("import GRDB") == "GRDB")
    #expect(Self.importedModule("package import BellhopModel") == "BellhopModel")
    #expect(Self.importedModule("internal import struct NIOCore.ByteBuffer") == "NIOCore")
    #expect(Self.importedModule("@preconcurrency import CNcurses") == "CNcurses")
    #expect(Self.importedModule("// import GRDB") == nil)
    #expect(Self.importedModule("let text = \"an import of\"") == nil)
  }
}
