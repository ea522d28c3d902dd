// swift-tools-version: 6.2
import PackageDescription

#if canImport(Glibc)
  import Glibc
#endif

/// One settings array for every Swift target of this package. The trait `Mutants` builds deliberate
/// faults in, which `bellhop-simulate --mutants` turns on one at a time. The trait `QuietExecutor`
/// builds in the client's own executor; see `Sources/CExecutor`.
let settings: [SwiftSetting] = [
  .define("BELLHOP_MUTANTS", .when(traits: ["Mutants"])),
  .define("BELLHOP_QUIET_EXECUTOR", .when(traits: ["QuietExecutor"])),
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The modules and suites with code for the trait `PostgreSQL`. A build with it leaves all others as they
/// are.
let postgresTargets: Set = [
  "BellhopStoreCommandLine", "BellhopStoreCommandLineTests", "BellhopStorePostgres",
  "ClusterTests", "PostgresTestSupport", "PostgresTests", "StorageConformanceTests",
  "bellhop-bench",
]

/// The settings of a module, a program or a suite.
func settings(of name: String) -> [SwiftSetting] {
  settings
    + (postgresTargets.contains(name)
      ? [.define("BELLHOP_POSTGRES", .when(traits: ["PostgreSQL"]))] : [])
}

/// The commit that the programs name after their version; nil for all builds but a release.
///
/// `.ci/release` sets it. Such programs are for other machines too, also for those with glibc 2.35.
/// It stands before `linking`, which reads it: a manifest's variables get their values in this order.
let commit: String? = {
  guard let text = Context.environment["BELLHOP_RELEASE"] else { return nil }
  precondition(
    !text.isEmpty && text.allSatisfy { $0.isHexDigit },
    "BELLHOP_RELEASE must be a commit in hexadecimal digits.")
  return text
}()

/// How the programs that people leave running are linked for release: nobody loads them, so they
/// export no symbols, and what the loader has to adjust is packed. Otherwise 7 MB of tables that are
/// read once, at the start, would stay in memory.
let linking: [LinkerSetting] = [
  .unsafeFlags(
    ["-use-ld=lld", "-Xlinker", "--no-export-dynamic"]
      + (packsRelocations ? ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"] : []),
    .when(platforms: [.linux], configuration: .release))
]

let commitSettings: [CSetting] = commit.map { [.define("BELLHOP_COMMIT", to: $0)] } ?? []

/// Whether this system's loader, for which programs are built that are not released, knows packed
/// relocations: glibc does since 2.36.
var packsRelocations: Bool {
  if commit != nil { return false }
  #if canImport(Glibc)
    var name = [CChar](repeating: 0, count: 64)
    guard confstr(Int32(_CS_GNU_LIBC_VERSION), &name, name.count) > 0 else { return false }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let version = String(decoding: bytes, as: UTF8.self).split(separator: " ").last ?? ""
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    return numbers.count >= 2 && (numbers[0], numbers[1]) >= (2, 36)
  #else
    return false
  #endif
}

/// The folder of static libraries that the linker prefers to the system's shared ones.
///
/// `.ci/release` sets it for the second of its two links.
let staticLibraries: [LinkerSetting] =
  Context.environment["BELLHOP_STATIC_LIBRARIES"].map { [.unsafeFlags(["-L", $0])] } ?? []

// MARK: - Products of other packages

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(
  name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(
  name: "HummingbirdTesting", package: "hummingbird")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let unixSignals = Target.Dependency.product(
  name: "UnixSignals", package: "swift-service-lifecycle")
let serviceLifecycle = Target.Dependency.product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let tomlKit = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")

// MARK: - Targets

/// A module with its folder under `Sources/`. The files of folders named in `resources` are compiled
/// into it.
func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], resources: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: resources.map { .embedInCode($0) },
    swiftSettings: settings(of: name))
}

/// A program: argument parsing over one composition root.
func program(
  _ name: String, _ dependencies: [Target.Dependency], linking: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, swiftSettings: settings(of: name),
    linkerSettings: linking + staticLibraries)
}

/// A test suite with its folder under `Tests/`.
func suite(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings(of: name))
}

let package = Package(
  name: "bellhop",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "bellhop", targets: ["bellhop"]),
    .executable(name: "bellhopd", targets: ["bellhopd"]),
    .executable(name: "bellhop-bench", targets: ["bellhop-bench"]),
    .executable(name: "bellhop-simulate", targets: ["bellhop-simulate"]),
    .library(name: "BellhopKit", targets: ["BellhopKit", "BellhopModel"]),
    // Only for this package's tests, which preload it into the programs.
    .library(name: "BellhopFaults", type: .dynamic, targets: ["CFaults"]),
  ],
  traits: [
    .trait(
      name: "Mutants",
      description: "Deliberate faults, for the proof that the simulation catches them."),
    .trait(
      name: "QuietExecutor",
      description:
        "Fewer wake-ups of an idle screen, by a private hook of Swift's runtime; ignores priorities."
    ),
    .trait(
      name: "PostgreSQL",
      description: "Stores in PostgreSQL 14 or later. Needs libpq (Debian's libpq-dev)."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/LebJe/TOMLKit.git", exact: "0.6.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
    .package(
      url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
  ],
  targets: [
    // Shared by client and store.
    module("BellhopModel"),
    module("BellhopWire", ["BellhopModel"]),
    module("BellhopTime", ["BellhopModel"]),
    module("BellhopSettings", [tomlKit]),

    // Shared by client and store: failures of the network in words.
    module(
      "BellhopNetwork",
      ["BellhopModel", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL, nioTLS]),

    // The client, from the pure modules outwards.
    module("BellhopText"),
    module("BellhopManual", ["BellhopText"], resources: ["User", "Store"]),
    .target(name: "CBellhopSystem", cSettings: commitSettings),
    module(
      "BellhopHelp",
      [
        "BellhopModel", "BellhopText", "BellhopManual", "BellhopSettings", "CBellhopSystem",
        argumentParser,
      ]),
    module("BellhopScreen", ["BellhopModel", "BellhopText"]),
    module("BellhopThemes", ["BellhopScreen", "BellhopSettings"]),
    module(
      "BellhopInbox",
      [
        "BellhopModel", "BellhopSearch", "BellhopTime", "BellhopScreen", "BellhopText",
        "BellhopManual",
      ]),
    module("BellhopSearch", ["BellhopModel"]),
    module("BellhopSearchIndex", ["BellhopSearch", grdb]),
    module("BellhopCache", ["BellhopModel", "BellhopSearch", "BellhopSearchIndex", grdb]),
    .target(name: "CExecutor"),
    module(
      "BellhopSync",
      [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopCache", "CBellhopSystem",
        asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL,
      ]),
    module(
      "BellhopKit",
      ["BellhopModel", "BellhopWire", "BellhopTime", "BellhopCache", "BellhopSync"]),
    .target(
      name: "CNcurses",
      linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
    module("BellhopTerminal", ["BellhopModel", "BellhopScreen", "BellhopText", "CNcurses"]),
    module(
      "BellhopClient",
      [
        "BellhopModel", "BellhopWire", "BellhopSettings", "BellhopText", "BellhopScreen",
        "BellhopThemes", "BellhopTime", "BellhopInbox", "BellhopCache", "BellhopSync",
        "BellhopKit", "BellhopTerminal", "BellhopNetwork", "BellhopOutbound", "CBellhopSystem",
        .target(name: "CExecutor", condition: .when(traits: ["QuietExecutor"])),
      ]),
    module(
      "BellhopShell",
      [
        "BellhopModel", "BellhopWire", "BellhopText", "BellhopScreen", "BellhopThemes",
        "BellhopInbox", "BellhopCache", "BellhopSync", "BellhopTerminal", "BellhopSettings",
        "BellhopClient", "CBellhopSystem",
      ]),
    module(
      "BellhopCommands",
      [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopSettings", "BellhopText",
        "BellhopScreen", "BellhopThemes", "BellhopTime", "BellhopInbox", "BellhopCache",
        "BellhopSync", "BellhopKit", "BellhopTerminal", "BellhopClient",
      ]),
    module(
      "BellhopCommandLine",
      [
        "BellhopClient", "BellhopShell", "BellhopCommands", "BellhopManual", "BellhopHelp",
        "BellhopModel", "BellhopText", argumentParser,
      ]),
    program("bellhop", ["BellhopCommandLine"], linking: linking),

    // Shared by client and store: requests to hosts that strangers name.
    module(
      "BellhopOutbound", ["BellhopModel", "BellhopNetwork", nioCore, nioHTTP1, nioPosix, nioSSL]),

    // The store.
    module("BellhopStore", ["BellhopModel", "BellhopSearch", crypto]),
    module("BellhopStoreMemory", ["BellhopModel", "BellhopStore"]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    module(
      "BellhopStoreSQLite",
      ["BellhopModel", "BellhopSearch", "BellhopSearchIndex", "BellhopStore", grdb]),
    // A system library is compiled only into modules that import it, and without the trait none
    // does. So the plain build needs no libpq.
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    module(
      "BellhopStorePostgres",
      [
        "BellhopModel", "BellhopSearch", "BellhopStore",
        .target(name: "CPostgres", condition: .when(traits: ["PostgreSQL"])),
      ]),
    module(
      "BellhopIdentity", ["BellhopModel", "BellhopWire", "BellhopStore", crypto, cryptoExtras]),
    module(
      "BellhopServer",
      [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopSettings", "BellhopTime",
        "BellhopOutbound", "BellhopStore", "BellhopIdentity", "CZlib", asyncHTTPClient,
        coreMetrics, crypto,
        httpTypes, hummingbird, logging, nioCore, nioHTTP1, nioHTTPTypes, nioPosix, nioSSL,
        nioWebSocket, serviceLifecycle, unixSignals,
      ]),
    module(
      "BellhopDialects",
      [
        "BellhopModel", "BellhopWire", "BellhopTime", "BellhopStore", "BellhopServer", crypto,
        httpTypes, hummingbird, nioCore,
      ]),
    module(
      "BellhopStoreCommandLine",
      [
        "BellhopManual", "BellhopHelp", "BellhopModel", "BellhopText", "BellhopTime",
        "BellhopSettings", "BellhopServer", "BellhopDialects", "BellhopStore", "BellhopStoreSQLite",
        .target(name: "BellhopStorePostgres", condition: .when(traits: ["PostgreSQL"])),
        "CBellhopSystem",
        argumentParser, logging,
      ]),
    program("bellhopd", ["BellhopStoreCommandLine"], linking: linking),

    // Both programs in one file, for packages: most of what a program needs, the other needs too.
    program(
      "bellhop-programs", ["BellhopCommandLine", "BellhopStoreCommandLine"], linking: linking),

    // The proof of synchronisation.
    module(
      "BellhopSimulation",
      [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopCache", "BellhopSync",
        "BellhopStore", "BellhopStoreMemory",
      ]),
    module(
      "BellhopRouterSimulation",
      [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopCache", "BellhopSync",
        "BellhopStore", "BellhopStoreSQLite", "BellhopServer", "BellhopSimulation", httpTypes,
        hummingbird, logging,
      ]),
    program(
      "bellhop-simulate",
      ["BellhopModel", "BellhopSimulation", "BellhopRouterSimulation", argumentParser]),

    // Measurements, and what they share with the tests: pseudo-terminals, and a reader of what a
    // program writes to one.
    .target(name: "CPty"),
    module("TerminalReader", ["BellhopText"]),
    program(
      "bellhop-bench",
      [
        "BellhopModel", "BellhopWire", "BellhopStore", "BellhopStoreSQLite",
        .target(name: "BellhopStorePostgres", condition: .when(traits: ["PostgreSQL"])),
        "BellhopCache", "BellhopSync", "BellhopClient", "CPty", "TerminalReader", argumentParser,
        grdb,
      ]),

    // Faults of a machine, for the tests of the programs.
    .target(name: "CFaults"),

    // Tests.
    // Sees of the library what a program of another package sees.
    .executableTarget(
      name: "bellhop-example", dependencies: ["BellhopKit", "BellhopModel"], path: "Tests/Example",
      packageAccess: false, swiftSettings: settings),
    .target(
      name: "BellhopTestSupport",
      dependencies: [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopText",
        "BellhopScreen", "BellhopTerminal", "BellhopInbox", "BellhopStore", "BellhopStoreMemory",
        "BellhopCache", "BellhopSync", "BellhopServer", "BellhopDialects",
        "BellhopIdentity", "BellhopSimulation", "CPty", crypto, cryptoExtras, hummingbird,
        httpTypes, logging,
      ],
      path: "Tests/Support", swiftSettings: settings),
    .target(
      name: "PostgresTestSupport", dependencies: ["BellhopStorePostgres", "BellhopTestSupport"],
      path: "Tests/PostgresSupport", swiftSettings: settings(of: "PostgresTestSupport")),
    suite("BellhopModelTests", ["BellhopModel", "BellhopTestSupport"]),
    suite("BellhopWireTests", ["BellhopModel", "BellhopWire", "BellhopTestSupport"]),
    suite("BellhopTimeTests", ["BellhopModel", "BellhopTime", "BellhopTestSupport"]),
    suite("BellhopTextTests", ["BellhopText", "BellhopTestSupport"]),
    suite(
      "BellhopManualTests",
      [
        "BellhopModel", "BellhopText", "BellhopManual", "BellhopHelp", "BellhopInbox",
        "BellhopClient",
        "BellhopServer", "BellhopTestSupport", "BellhopCommandLine", "BellhopStoreCommandLine",
        argumentParser,
      ]),
    suite(
      "BellhopStoreCommandLineTests",
      [
        "BellhopHelp", "BellhopManual", "BellhopServer", "BellhopStore", "BellhopStorePostgres",
        "BellhopStoreCommandLine", "BellhopTestSupport", "PostgresTestSupport", argumentParser,
      ]),
    suite("BellhopSettingsTests", ["BellhopSettings", "BellhopTestSupport"]),
    suite("BellhopThemesTests", ["BellhopScreen", "BellhopThemes", "BellhopTestSupport"]),
    suite(
      "BellhopInboxTests",
      [
        "BellhopModel", "BellhopScreen", "BellhopText", "BellhopInbox",
        "BellhopManual", "BellhopTestSupport",
      ]),
    suite(
      "BellhopCacheTests",
      [
        "BellhopModel", "BellhopSearch", "BellhopSearchIndex", "BellhopCache",
        "BellhopTestSupport", grdb,
      ]),
    suite(
      "BellhopSyncTests",
      [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopCache", "BellhopSync",
        "BellhopTestSupport", nioCore, nioEmbedded,
      ]),
    suite(
      "BellhopKitTests",
      [
        "BellhopModel", "BellhopWire", "BellhopCache", "BellhopSync", "BellhopKit", "BellhopStore",
        "BellhopStoreMemory", "BellhopSimulation", "BellhopTestSupport",
      ]),
    suite(
      "BellhopTerminalTests",
      [
        "BellhopModel", "BellhopScreen", "BellhopText", "BellhopInbox", "BellhopTerminal",
        "BellhopTestSupport", "TerminalReader",
      ]),
    suite(
      "BellhopClientTests",
      [
        "BellhopModel", "BellhopInbox", "BellhopCache", "BellhopSync", "BellhopSettings",
        "BellhopClient", "BellhopScreen", "BellhopText", "BellhopTestSupport", "BellhopNetwork",
        "BellhopOutbound",
      ]),
    suite(
      "BellhopShellTests",
      [
        "BellhopModel", "BellhopInbox", "BellhopCache",
        "BellhopClient", "BellhopShell", "BellhopScreen", "BellhopTerminal",
        "BellhopText", "BellhopThemes", "BellhopTestSupport",
      ]),
    suite(
      "BellhopCommandsTests",
      [
        "BellhopModel", "BellhopTime", "BellhopInbox", "BellhopCache", "BellhopSync", "BellhopText",
        "BellhopClient", "BellhopCommands", "BellhopTestSupport",
      ]),
    suite(
      "BellhopIdentityTests",
      ["BellhopModel", "BellhopStore", "BellhopIdentity", "BellhopTestSupport", crypto]),
    suite(
      "BellhopServerTests",
      [
        "BellhopModel", "BellhopWire", "BellhopCache", "BellhopSync", "BellhopSettings",
        "BellhopStore", "BellhopStoreMemory", "BellhopStoreSQLite", "BellhopServer",
        "BellhopOutbound", "BellhopIdentity", "BellhopTestSupport", "CZlib", asyncHTTPClient,
        httpTypes, nioCore, nioEmbedded, nioHTTP1, nioPosix, nioSSL, nioWebSocket, logging,
      ]),
    suite(
      "BellhopDialectsTests",
      [
        "BellhopModel", "BellhopWire", "BellhopSettings", "BellhopStore", "BellhopStoreMemory",
        "BellhopServer", "BellhopDialects", "BellhopTestSupport", httpTypes, nioCore,
      ], exclude: ["Fixtures"]),
    suite(
      "StorageConformanceTests",
      [
        "BellhopModel", "BellhopStore", "BellhopStoreMemory", "BellhopStoreSQLite",
        "BellhopStorePostgres", "BellhopTestSupport", "PostgresTestSupport", grdb,
      ]),
    suite(
      "PostgresTests",
      [
        "BellhopModel", "BellhopSearch", "BellhopStore", "BellhopStorePostgres",
        "BellhopTestSupport", "PostgresTestSupport",
      ]),
    suite(
      "ClusterTests",
      [
        "BellhopModel", "BellhopCache", "BellhopSync", "BellhopStorePostgres",
        "BellhopTestSupport", "PostgresTestSupport", "CPty", "bellhopd", asyncHTTPClient, nioCore,
        nioHTTP1,
      ]),
    suite(
      "ConvergenceTests",
      [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopStore", "BellhopStoreMemory",
        "BellhopCache", "BellhopSync",
        "BellhopSimulation", "BellhopRouterSimulation", "BellhopTestSupport",
      ]),
    suite(
      "ScreenTests",
      [
        "BellhopModel", "BellhopText", "BellhopScreen", "BellhopInbox", "BellhopThemes",
        "BellhopTerminal", "CNcurses", "BellhopTestSupport",
      ], exclude: ["Snapshots"]),
    suite(
      "EndToEndTests",
      [
        "BellhopTestSupport", "CPty", "TerminalReader", "bellhop", "bellhopd", "bellhop-programs",
        "bellhop-example",
      ]),
    suite(
      "CompatibilityTests",
      [
        "BellhopModel", "BellhopWire", "BellhopStore", "BellhopStoreSQLite", "BellhopServer",
        "BellhopCache", "BellhopSync", "BellhopInbox", "BellhopSettings", "BellhopClient",
        "BellhopSimulation", "BellhopTestSupport", grdb, httpTypes, hummingbird, hummingbirdTesting,
      ], exclude: ["0.1.0"]),
    suite("TidyTests", ["BellhopInbox", "BellhopTestSupport"]),
    suite(
      "ErrorTests",
      [
        "BellhopModel", "BellhopNetwork", "BellhopWire", "BellhopTime", "BellhopText",
        "BellhopScreen", "BellhopThemes", "BellhopInbox", "BellhopOutbound", "BellhopCache",
        "BellhopSync", "BellhopKit", "BellhopTerminal", "BellhopClient", "BellhopShell",
        "BellhopCommands", "BellhopSettings", "BellhopStore", "BellhopIdentity", "BellhopServer",
        "BellhopTestSupport", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL,
      ]),
  ]
)
