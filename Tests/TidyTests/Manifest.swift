import BellhopTestSupport

/// The targets and products that `Package.swift` declares, read from its text.
///
/// A declaration in a form that the parser does not know is an error with its line, so that no
/// target escapes the tests over the manifest.
struct Manifest {
  enum Dependency: Hashable {
    /// A target of this package.
    case target(String)
    /// A product of another package, whose module has the same name.
    case product(String)

    var module: String {
      switch self {
      case .target(let name): name.replacing("-", with: "_")
      case .product(let name): name
      }
    }
  }

  struct Target {
    enum Kind {
      case library, program, suite
    }

    var kind: Kind
    var name: String
    var line: Int
    var folder: String
    /// Folders below the target's own that it excludes.
    var excluded: [String] = []
    var dependencies: [Dependency] = []

    /// The targets of this package that it depends on.
    var targets: [String] {
      dependencies.compactMap { dependency -> String? in
        guard case .target(let name) = dependency else { return nil }
        return name
      }
    }
  }

  struct Product: Equatable {
    var name: String
    var targets: [String]
  }

  private(set) var products: [Product] = []
  private(set) var targets: [Target] = []
  /// The names in the manifest for products of other packages.
  private var constants: [String: String] = [:]

  /// The manifest of this package.
  static let ofPackage: Result<Manifest, any Error> = Result {
    try Manifest(SourceTree.text("Package.swift"))
  }

  func target(_ name: String) -> Target? { targets.first { $0.name == name } }

  /// All dependencies of a target, direct or indirect.
  func closure(of name: String) -> Set<Dependency> {
    var found: Set<Dependency> = []
    var open = target(name)?.dependencies ?? []
    while let next = open.popLast() {
      guard found.insert(next).inserted, case .target(let name) = next else { continue }
      open += target(name)?.dependencies ?? []
    }
    return found
  }
}

// MARK: - Reading

extension Manifest {
  /// - Throws: ``ManifestError`` for a declaration in an unknown form.
  init(_ source: String) throws {
    var parser = try ManifestParser(source)
    var depth = 0
    while let token = parser.next {
      if depth == 0, parser.accept(.word("let"), .word("package"), .mark("=")) { break }
      if depth == 0, case .word("let") = token {
        parser.take()
        guard case .word(let name) = parser.take() else { continue }
        guard parser.rest.prefix(3).map(\.kind) == [.mark("="), .word("Target"), .mark(".")]
        else { continue }
        parser.take()
        constants[name] = try Self.product(
          try parser.expression(), called: "Target.Dependency.product")
        continue
      }
      if case .mark(let mark) = token {
        depth += "([{".contains(mark) ? 1 : ")]}".contains(mark) ? -1 : 0
      }
      parser.take()
    }
    try readPackage(try parser.expression())
    if parser.next != nil {
      throw ManifestError(line: parser.nextLine, problem: "a statement after the package")
    }
    for target in targets {
      for case .target(let name) in target.dependencies where self.target(name) == nil {
        throw ManifestError(line: target.line, problem: "\(name) is not a target")
      }
    }
  }

  private mutating func readPackage(_ expression: ManifestExpression) throws {
    let call = try Call(expression, named: "Package")
    try call.allow([
      "name", "platforms", "products", "traits", "dependencies", "targets",
    ])
    products = try call.list("products").map { element in
      let product = try Call(element, named: ".executable", ".library")
      try product.allow(["name", "type", "targets"])
      return Product(name: try product.text("name"), targets: try product.texts("targets"))
    }
    targets = try call.list("targets").map { try readTarget($0) }
  }

  private func readTarget(_ expression: ManifestExpression) throws -> Target {
    let call = try Call(
      expression, named: "module", "program", "suite", ".target", ".executableTarget",
      ".systemLibrary")
    let isShort = !call.name.hasPrefix(".")
    try call.allow(
      isShort
        ? ["", "linking", "exclude", "resources"]
        : [
          "name", "dependencies", "path", "exclude", "packageAccess", "swiftSettings",
          "cSettings", "linkerSettings", "pkgConfig", "providers",
        ])
    let unlabelled = call.arguments.filter { $0.label.isEmpty }.map(\.value)
    guard !isShort || (1...2).contains(unlabelled.count) else {
      throw ManifestError(line: call.line, problem: "not a name and dependencies")
    }
    let name = try isShort ? Call.text(unlabelled[0]) : call.text("name")
    let kind: Target.Kind =
      switch call.name {
      case "program", ".executableTarget": .program
      case "suite": .suite
      default: .library
      }
    let folder =
      try call.value("path").map(Call.text) ?? (kind == .suite ? "Tests/" : "Sources/") + name
    let dependencies =
      try isShort ? unlabelled.dropFirst().first.map(Call.list) ?? [] : call.list("dependencies")
    return Target(
      kind: kind, name: name, line: call.line, folder: folder,
      excluded: try call.texts("exclude"),
      dependencies: try dependencies.map { try readDependency($0) })
  }

  private func readDependency(_ expression: ManifestExpression) throws -> Dependency {
    switch expression.form {
    case .text(let name): return .target(name)
    case .name(let name):
      guard let product = constants[name] else {
        throw ManifestError(line: expression.line, problem: "\(name) is not a product")
      }
      return .product(product)
    case .call(".target", _):
      let call = try Call(expression, named: ".target")
      try call.allow(["name", "condition"])
      return .target(try call.text("name"))
    case .call, .list:
      throw ManifestError(line: expression.line, problem: "a dependency in an unknown form")
    }
  }

  private static func product(
    _ expression: ManifestExpression, called name: String
  ) throws -> String {
    let call = try Call(expression, named: name)
    try call.allow(["name", "package"])
    return try call.text("name")
  }

  /// A call in the manifest, with its arguments by label.
  private struct Call {
    var name: String
    var line: Int
    var arguments: [ManifestExpression.Argument]

    init(_ expression: ManifestExpression, named names: String...) throws {
      guard case .call(let name, let arguments) = expression.form, names.contains(name) else {
        throw ManifestError(
          line: expression.line, problem: "not \(names.map { "\($0)(…)" }.joined(separator: ", "))")
      }
      self.name = name
      self.line = expression.line
      self.arguments = arguments
    }

    func allow(_ labels: Set<String>) throws {
      for argument in arguments where !labels.contains(argument.label) {
        throw ManifestError(
          line: argument.value.line, problem: "\(name) with an unknown argument \(argument.label)")
      }
    }

    func value(_ label: String) -> ManifestExpression? {
      arguments.first { $0.label == label }?.value
    }

    func text(_ label: String) throws -> String {
      guard let value = value(label) else {
        throw ManifestError(line: line, problem: "\(name) without \(label)")
      }
      return try Self.text(value)
    }

    /// The elements of an argument; none if it is missing.
    func list(_ label: String) throws -> [ManifestExpression] {
      try value(label).map(Self.list) ?? []
    }

    func texts(_ label: String) throws -> [String] { try list(label).map(Self.text) }

    static func text(_ expression: ManifestExpression) throws -> String {
      guard case .text(let text) = expression.form else {
        throw ManifestError(line: expression.line, problem: "not a string")
      }
      return text
    }

    static func list(_ expression: ManifestExpression) throws -> [ManifestExpression] {
      guard case .list(let elements) = expression.form else {
        throw ManifestError(line: expression.line, problem: "not a list")
      }
      return elements
    }
  }
}
