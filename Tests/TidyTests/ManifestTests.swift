import Testing

/// The parser of `Package.swift` itself.
@Suite("The parser of the manifest")
struct ManifestTests {
  /// A manifest with these targets.
  static func manifest(targets: String, constants: String = "", end: String = "") throws -> Manifest
  {
    try Manifest(
      """
      // swift-tools-version: 6.2
      import PackageDescription

      #if canImport(Glibc)
        import Glibc
      #endif

      let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]
      let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
      let nioCore = Target.Dependency.product(
        name: "NIOCore", package: "swift-nio")
      \(constants)
      func module(_ name: String) -> Target { let folder = "Sources"; return .target(name: name) }
      let package = Package(
        name: "bellhop", platforms: [.macOS(.v15)],
        products: [
          .executable(name: "one", targets: ["one"]),
          .library(name: "Two", type: .dynamic, targets: ["Two"]),
        ],
        dependencies: [.package(url: "https://example.org/a.git", exact: "1.0.0", traits: [])],
        targets: [
          // A comment, and module("NotThis").
          \(targets)
        ]
      )
      \(end)
      """)
  }

  @Test("the package's own manifest is read whole")
  func ofPackage() throws {
    let manifest = try Manifest.ofPackage.get()
    #expect(manifest.target("BellhopModel")?.kind == .library)
    #expect(manifest.target("bellhop")?.kind == .program)
    #expect(manifest.target("TidyTests")?.kind == .suite)
    #expect(manifest.target("bellhop-example")?.folder == "Tests/Example")
    #expect(manifest.products.contains { $0.name == "BellhopKit" })
  }

  @Test("each form of a target gives its kind, folder and dependencies")
  func forms() throws {
    let manifest = try Self.manifest(
      targets: """
        module("Two"),
        module("Three", ["Two", grdb], resources: ["Texts"]),
        program("one", ["Three", nioCore], linking: linking),
        suite("OneTests", ["Two"], exclude: ["Pictures"]),
        .target(name: "CSystem"),
        .target(name: "CReader", path: "Tests/Reader", linkerSettings: [.linkedLibrary("z")]),
        .target(
          name: "Support",
          dependencies: ["Two", .target(name: "CSystem", condition: .when(traits: ["Quiet"]))],
          swiftSettings: settings),
        .executableTarget(
          name: "example", dependencies: ["Two"], path: "Tests/Example", packageAccess: false),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        """)
    #expect(
      manifest.products == [
        Manifest.Product(name: "one", targets: ["one"]),
        Manifest.Product(name: "Two", targets: ["Two"]),
      ])
    #expect(
      manifest.targets.map(\.name) == [
        "Two", "Three", "one", "OneTests", "CSystem", "CReader", "Support", "example",
        "CPostgres",
      ])
    #expect(
      manifest.targets.map(\.kind) == [
        .library, .library, .program, .suite, .library, .library, .library, .program, .library,
      ])
    #expect(
      manifest.targets.map(\.folder) == [
        "Sources/Two", "Sources/Three", "Sources/one", "Tests/OneTests", "Sources/CSystem",
        "Tests/Reader", "Sources/Support", "Tests/Example", "Sources/CPostgres",
      ])
    #expect(
      manifest.targets.map(\.dependencies) == [
        [], [.target("Two"), .product("GRDB")], [.target("Three"), .product("NIOCore")],
        [.target("Two")], [], [], [.target("Two"), .target("CSystem")], [.target("Two")],
        [],
      ])
    #expect(manifest.target("OneTests")?.excluded == ["Pictures"])
    #expect(
      manifest.closure(of: "one")
        == [.target("Three"), .target("Two"), .product("GRDB"), .product("NIOCore")])
    #expect(Manifest.Dependency.target("one-two").module == "one_two")
  }

  private static let unknownForm =
    "not module(…), program(…), suite(…), .target(…), .executableTarget(…), .systemLibrary(…)"

  @Test(
    "a target in an unknown form is refused with its line",
    arguments: [
      (#"target("Two")"#, unknownForm), (#"shared"#, unknownForm),
      (#"module(name)"#, "not a string"),
      (#"module("Two", shared)"#, "not a list"),
      (#"module("Two", shared + ["Three"])"#, "neither a comma nor )"),
      (#"module("Two", [], "Three")"#, "not a name and dependencies"),
      (#"module("Two", path: "Three")"#, "module with an unknown argument path"),
      (#".target(name: "Two", sources: ["a.swift"])"#, ".target with an unknown argument sources"),
      (#".target(path: "Two")"#, ".target without name"),
      (#"module("T\(number)")"#, "a string that is not a plain literal"),
      (#"module("Two", [sqlite])"#, "sqlite is not a product"),
      (#"module("Two", [.product(name: "A", package: "b")])"#, "a dependency in an unknown form"),
      (#"module("Two", ["Three"])"#, "Three is not a target"),
      (#"module({ "Two" }())"#, "not a literal, a name, a list or a call"),
    ])
  func unknownTargets(_ form: String, _ problem: String) {
    #expect(throws: ManifestError(line: 23, problem: problem)) {
      try Self.manifest(targets: form)
    }
  }

  @Test("a product of another package in an unknown form is refused with its line")
  func unknownConstants() {
    #expect(
      throws: ManifestError(
        line: 12, problem: "Target.Dependency.product with an unknown argument condition")
    ) {
      try Self.manifest(
        targets: "", constants: #"let a = Target.Dependency.product(name: "A", condition: .when())"#
      )
    }
    #expect(throws: ManifestError(line: 12, problem: "not Target.Dependency.product(…)")) {
      try Self.manifest(targets: "", constants: #"let a = Target.Dependency.byName(name: "A")"#)
    }
  }

  @Test("a statement after the package is refused with its line")
  func statementsAfterPackage() {
    #expect(throws: ManifestError(line: 26, problem: "a statement after the package")) {
      try Self.manifest(targets: "", end: "package.targets.append(module(\"Two\"))")
    }
  }
}
