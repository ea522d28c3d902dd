import BellhopTestSupport
import Testing

/// The article about the modules, compared with the manifest.
@Suite("The article about the modules")
struct ModulesTests {
  static let path = "Sources/BellhopModel/Documentation.docc/Modules.md"

  /// A row of the table of imports.
  struct Row: Equatable {
    var name: String
    var purpose: String
    var imports: [String]
  }

  /// The rows of the table, in order.
  static func rows(of article: String) -> [Row] {
    article.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        .dropFirst().dropLast().map { $0.split(separator: " ").joined(separator: " ") }
      return Row(
        name: cells.first.map(plain) ?? "", purpose: cells.dropFirst().first ?? "",
        imports: cells.dropFirst(2).first?.split(separator: ", ").map(plain) ?? [])
    }
  }

  /// The modules in each layer of the drawing, the lowest layer first.
  static func layers(of article: String) -> [[String]] {
    let lines = article.split(separator: "\n").drop { $0 != "```text" }.dropFirst()
      .prefix { $0 != "```" }
    return lines.split { $0.contains("↓") }.map { layer in
      layer.flatMap { $0.split(separator: " ").map(String.init) }
    }
    .reversed()
  }

  static func plain(_ text: some StringProtocol) -> String { String(text.filter { $0 != "`" }) }

  /// The targets below `Sources`.
  static func modules() throws -> [Manifest.Target] {
    try Manifest.ofPackage.get().targets.filter { $0.folder.hasPrefix("Sources/") }
  }

  @Test("its table has one row for each module, and no other")
  func rowsAreModules() throws {
    let rows = try Self.rows(of: SourceTree.text(Self.path))
    #expect(try rows.map(\.name).sorted() == Self.modules().map(\.name).sorted())
    for row in rows { #expect(row.purpose.hasSuffix("."), "\(row.name) has no purpose") }
  }

  @Test("each row names the imports that the manifest allows, and no other")
  func rowsNameImports() throws {
    let rows = try Self.rows(of: SourceTree.text(Self.path))
    for module in try Self.modules() {
      let row = rows.first { $0.name == module.name }
      #expect(row?.imports.sorted() == module.targets.sorted(), "the row of \(module.name)")
    }
  }

  @Test("its drawing has each module in one layer, and imports only lower layers")
  func layers() throws {
    let layers = try Self.layers(of: SourceTree.text(Self.path))
    let modules = try Self.modules()
    #expect(layers.flatMap(\.self).sorted() == modules.map(\.name).sorted())
    for module in modules {
      let layer = layers.firstIndex { $0.contains(module.name) } ?? 0
      let lower = Set(layers[..<layer].flatMap(\.self))
      let others = module.targets.filter { !lower.contains($0) }
      #expect(others.isEmpty, "\(module.name) imports \(others), in no lower layer")
    }
  }

  @Test("the parser of the article finds its rows and layers")
  func reader() {
    let article = """
      ## Overview

      ```text
      two          three
         ↓           ↓
      one
      four
      ```

      | Module | Purpose | Imports |
      | --- | --- | --- |
      | `one` | The first. |  |
      | `two` | The second. | `one`, `four-five` |
      """
    #expect(
      Self.rows(of: article) == [
        Row(name: "one", purpose: "The first.", imports: []),
        Row(name: "two", purpose: "The second.", imports: ["one", "four-five"]),
      ])
    #expect(Self.layers(of: article) == [["one", "four"], ["two", "three"]])
  }
}
