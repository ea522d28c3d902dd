import BellhopTestSupport
import Testing

/// The imports of each target, compared with its dependencies in the manifest.
@Suite("Imports")
struct ImportTests {
  /// The modules of the toolchain, which every target may import.
  static let toolchain: Set<String> = [
    "Swift", "FoundationEssentials", "Glibc", "Musl", "Darwin", "Synchronization", "Dispatch",
    "_Concurrency",
  ]
  /// The toolchain modules that only tests and ``importersOfFoundation`` may import.
  ///
  /// They need much memory.
  static let toolchainOfTests: Set<String> = ["Foundation", "Testing"]
  static let importersOfFoundation: Set<String> = [
    "BellhopSimulation", "BellhopRouterSimulation", "bellhop-simulate", "bellhop-bench",
  ]
  /// Modules that come with a product of another package, by the product's name.
  static let companions: [String: Set<String>] = [
    "GRDB": ["GRDBSQLite"],
    "Hummingbird": ["HummingbirdCore"],
  ]
  /// Dependencies that a target must not have, directly or indirectly.
  static let forbidden: [String: Set<Manifest.Dependency>] = [
    "BellhopInbox": [.target("BellhopCache"), .target("BellhopSync"), .target("BellhopTerminal")],
    "BellhopStore": [.target("BellhopWire"), .product("Hummingbird")],
  ]

  @Test("each file imports only modules that its target depends on")
  func importsAreDependencies() throws {
    let manifest = try Manifest.ofPackage.get()
    for target in manifest.targets {
      var allowed = Self.toolchain.union(target.dependencies.flatMap(Self.modules))
      if !target.folder.hasPrefix("Sources/") { allowed.formUnion(Self.toolchainOfTests) }
      if Self.importersOfFoundation.contains(target.name) { allowed.insert("Foundation") }
      for (path, modules) in try Self.imports.get()[target.name] ?? [:] {
        let others = modules.subtracting(allowed).sorted()
        #expect(others.isEmpty, "\(path) imports \(others)")
      }
    }
  }

  @Test("each dependency of a target is imported by one of its files")
  func dependenciesAreImported() throws {
    let manifest = try Manifest.ofPackage.get()
    for target in manifest.targets {
      let imported = try (Self.imports.get()[target.name] ?? [:]).values
        .reduce(into: Set<String>()) { $0.formUnion($1) }
      for dependency in target.dependencies {
        // Suites start programs, and do not import them.
        if target.kind == .suite, case .target(let name) = dependency,
          manifest.target(name)?.kind == .program
        {
          continue
        }
        #expect(
          !imported.isDisjoint(with: Self.modules(of: dependency)),
          "Package.swift:\(target.line): no file of \(target.name) imports \(dependency.module)")
      }
      let twice = Dictionary(grouping: target.dependencies) { $0 }.filter { $0.value.count > 1 }
      #expect(twice.isEmpty, "Package.swift:\(target.line): \(target.name) repeats a dependency")
    }
  }

  @Test("each Swift file belongs to a target", arguments: ["Sources", "Tests"])
  func filesHaveTargets(_ folder: String) throws {
    let folders = try Manifest.ofPackage.get().targets.map { $0.folder + "/" }
    let files = try SourceTree.swiftFiles(below: folder)
    #expect(files.count > 50)
    for file in files {
      #expect(folders.contains { file.path.hasPrefix($0) }, "\(file.path) is in no target's folder")
    }
  }

  @Test("the model depends on no other module")
  func modelStandsAlone() throws {
    let model = try #require(try Manifest.ofPackage.get().target("BellhopModel"))
    #expect(model.dependencies == [])
  }

  @Test(
    "no forbidden dependency is reached, directly or through other targets",
    arguments: forbidden.keys.sorted())
  func forbiddenDependencies(_ name: String) throws {
    let manifest = try Manifest.ofPackage.get()
    #expect(manifest.target(name) != nil)
    let reached = manifest.closure(of: name).intersection(Self.forbidden[name] ?? [])
    #expect(reached == [])
  }

  @Test("no product depends on a target in the folder of the tests")
  func productsNeedNoTests() throws {
    let manifest = try Manifest.ofPackage.get()
    #expect(manifest.products.count >= 5)
    for product in manifest.products {
      for root in product.targets {
        let reached = manifest.closure(of: root).union([.target(root)])
        for case .target(let name) in reached {
          let target = try #require(manifest.target(name), "\(product.name) has no target \(name)")
          #expect(
            !target.folder.hasPrefix("Tests/"), "\(product.name) depends on \(target.folder)")
        }
      }
    }
  }

  @Test("the parser of import lines accepts all their forms")
  func importLines() {
    #expect(Self.importedModule("import GRDB") == "GRDB")
    #expect(Self.importedModule("  import Glibc") == "Glibc")
    #expect(Self.importedModule("package import BellhopModel") == "BellhopModel")
    #expect(Self.importedModule("internal import struct NIOCore.ByteBuffer") == "NIOCore")
    #expect(Self.importedModule("import func Glibc.read") == "Glibc")
    #expect(Self.importedModule("@preconcurrency import CNcurses") == "CNcurses")
    #expect(Self.importedModule("@_spi(Testing) public import BellhopModel") == "BellhopModel")
    #expect(Self.importedModule("// import GRDB") == nil)
    #expect(Self.importedModule("let text = \"an import of\"") == nil)
    let script = "import GRDB\nlet script = \"\"\"\n  import http\n  \"\"\"\nimport Logging\n"
    #expect(Self.importedModules(in: script) == ["GRDB", "Logging"])
  }
}

// MARK: - Reading

extension ImportTests {
  /// The modules that the files of each target import, by target and path.
  static let imports: Result<[String: [String: Set<String>]], any Error> = Result {
    try readImports()
  }

  private static func readImports() throws -> [String: [String: Set<String>]] {
    var imports: [String: [String: Set<String>]] = [:]
    for target in try Manifest.ofPackage.get().targets {
      for file in try files(of: target) {
        imports[target.name, default: [:]][file.path] = importedModules(in: file.text)
      }
    }
    return imports
  }

  /// The Swift files that a target is built from.
  static func files(of target: Manifest.Target) throws -> [SourceTree.File] {
    let excluded = target.excluded.map { "\(target.folder)/\($0)/" }
    return try SourceTree.swiftFiles(below: target.folder).filter { file in
      !excluded.contains { file.path.hasPrefix($0) }
    }
  }

  /// The modules that a dependency allows to import.
  static func modules(of dependency: Manifest.Dependency) -> Set<String> {
    Set([dependency.module]).union(companions[dependency.module] ?? [])
  }

  /// The modules that a file's text imports. Lines of multi-line strings do not count.
  static func importedModules(in text: String) -> Set<String> {
    var modules: Set<String> = []
    var isText = false
    for line in text.split(separator: "\n") {
      var code = line.drop { $0 == " " }
      if isText {
        guard code.hasPrefix("\"\"\"") else { continue }
        isText = false
        code = code.dropFirst(3)
      } else if let module = importedModule(code) {
        modules.insert(module)
      }
      isText = code.hasSuffix("\"\"\"") || code.hasSuffix("\"\"\"#")
    }
    return modules
  }

  /// The module that a line imports; nil for a line that is not an import.
  static func importedModule(_ line: Substring) -> String? {
    // The first characters of an import; this is called for every line of the package.
    guard let first = line.first(where: { $0 != " " }), "@fip".contains(first) else { return nil }
    let words = line.split(separator: " ")
    let access: Set<Substring> = ["public", "package", "internal", "private", "fileprivate"]
    let kinds: Set<Substring> = [
      "struct", "enum", "class", "protocol", "typealias", "func", "var", "let",
    ]
    guard let position = words.firstIndex(of: "import"),
      words[..<position].allSatisfy({ access.contains($0) || $0.hasPrefix("@") }),
      let module = words.dropFirst(position + 1).first(where: { !kinds.contains($0) })
    else { return nil }
    return String(module.prefix { $0 != "." })
  }
}
