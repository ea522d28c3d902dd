import BellhopTestSupport
import Foundation
import Testing

/// The pages and articles of the modules, compared with the code.
@Suite("The documentation of the modules")
struct DocumentationTests {
  /// A page of a module's documentation, with its path.
  struct Page: CustomTestStringConvertible, Sendable {
    var module: String
    var name: String
    var text: String

    var path: String { "\(DocumentationTests.folder(of: module))/\(name).md" }
    var isLanding: Bool { name == module.replacing("-", with: "_") }
    var testDescription: String { path }

    /// The symbols that the page links to in the list of its topics.
    var topics: [String] {
      let list = text.split(separator: "\n").drop { $0 != "## Topics" }.dropFirst()
      return list.filter { $0.hasPrefix("- ``") }.map { line in
        String(line.dropFirst(4).prefix { $0 != "`" })
      }
    }

    /// The articles that the page links to.
    var articles: [String] {
      text.matches(of: /<doc:(\w+)>/).map { String($0.1) }
    }

    /// The paths of files and folders that the page names.
    ///
    /// Paths with an ellipsis or a word in capitals stand for several files.
    var paths: [String] {
      text.matches(of: /`((?:Sources|Tests|themes|\.ci)\/[^`\s]*)`/).map { String($0.1) }
        .filter { !$0.contains("…") && !$0.contains("NAME") }
    }

    /// The modules that the page names in the line with this label; nil if it has no such line.
    func modules(after label: String) -> [String]? {
      guard let start = text.range(of: "\n\(label): ")?.upperBound else { return nil }
      return text[start...].prefix(upTo: text.range(of: "\n\n", after: start))
        .matches(of: /`([\w-]+)`/).map { String($0.1) }
    }
  }

  static func folder(of module: String) -> String { "Sources/\(module)/Documentation.docc" }

  /// The modules with Swift files.
  static func modules() throws -> [String] {
    let files = try SourceTree.swiftFiles(below: "Sources")
    return Set(
      files.compactMap { $0.path.split(separator: "/").dropFirst().first }.map(String.init)
    )
    .sorted()
  }

  static func pages() throws -> [Page] {
    try modules().flatMap { module in
      let url = SourceTree.root.appending(path: folder(of: module))
      let files = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
      return try files.filter { $0.hasSuffix(".md") }.sorted().map { file in
        let text = try SourceTree.text("\(folder(of: module))/\(file)")
        return Page(module: module, name: String(file.dropLast(3)), text: text)
      }
    }
  }

  /// The types and functions at the top level of a file that other modules can use.
  static func declared(in text: String) -> [String] {
    let declaration =
      /^(?:package|public) (?:[a-z]+ )*?(?:struct|enum|class|actor|protocol|func|typealias) (\w+)/
    return text.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("p") else { return nil }
      return line.prefixMatch(of: declaration).map { String($0.1) }
    }
  }

  @Test("each Swift module has a landing page with its purpose and its imports")
  func landingPages() throws {
    let pages = try Self.pages()
    for module in try Self.modules() {
      let landing = pages.first { $0.module == module && $0.isLanding }
      guard let page = landing else {
        Issue.record("\(module) has no landing page in \(Self.folder(of: module))")
        continue
      }
      let title = "# ``\(page.name)``\n\n"
      #expect(page.text.hasPrefix(title), "\(page.path) has another title")
      let purpose = page.text.dropFirst(title.count).prefix { $0 != "\n" }
      #expect(!purpose.isEmpty && !purpose.hasPrefix("#"), "\(page.path) has no purpose")
      #expect(page.text.contains("\n### Where to add things\n"), "\(page.path)")
    }
  }

  @Test("each landing page names the modules of the manifest that it imports, and that import it")
  func imports() throws {
    let targets = try ModulesTests.modules()
    for page in try Self.pages() where page.isLanding {
      let imported = targets.first { $0.name == page.module }?.targets ?? []
      let importers = targets.filter { $0.targets.contains(page.module) }.map(\.name)
      #expect(page.modules(after: "Imports")?.sorted() == imported.sorted(), "\(page.path)")
      #expect(page.modules(after: "Imported by")?.sorted() == importers.sorted(), "\(page.path)")
    }
  }

  @Test("each topic is a type or a function of the module that other modules can use")
  func topics() throws {
    var names: [String: Set<String>] = [:]
    for file in try SourceTree.swiftFiles(below: "Sources") {
      let module = String(file.path.split(separator: "/")[1])
      names[module, default: []].formUnion(Self.declared(in: file.text))
    }
    var count = 0
    for page in try Self.pages() {
      for symbol in page.topics {
        count += 1
        let name = String(symbol.prefix { $0 != "(" })
        #expect(names[page.module]?.contains(name) == true, "\(page.path) names \(symbol)")
      }
    }
    #expect(count > 150)
  }

  @Test("each landing page lists all articles of its module, and links resolve")
  func articles() throws {
    let pages = try Self.pages()
    for page in pages {
      let others = pages.filter { $0.module == page.module && !$0.isLanding }.map(\.name)
      let missing = Set(page.articles).subtracting(others)
      #expect(missing.isEmpty, "\(page.path) links to \(missing.sorted())")
      guard page.isLanding else { continue }
      let unlisted = Set(others).subtracting(page.articles)
      #expect(unlisted.isEmpty, "\(page.path) does not list \(unlisted.sorted())")
    }
  }

  @Test("each file and folder that a page names exists")
  func paths() throws {
    var count = 0
    for page in try Self.pages() {
      for path in page.paths {
        count += 1
        let url = SourceTree.root.appending(path: path)
        #expect(FileManager.default.fileExists(atPath: url.path), "\(page.path) names \(path)")
      }
    }
    #expect(count > 150)
  }

  @Test("the reader of pages finds topics, articles, paths and modules")
  func reader() {
    let page = Page(
      module: "one-two", name: "one_two",
      text: """
        # ``one_two``

        The purpose, in `Sources/One/A.swift`, `Sources/…/B.swift` and `Sources/NAME`.

        Imports: `One`,
        `two-three`.

        ``NotHere`` and <doc:Article>.

        ## Topics

        - ``Type``
        - ``call(_:_:)``
        """)
    #expect(page.isLanding)
    #expect(page.topics == ["Type", "call(_:_:)"])
    #expect(page.articles == ["Article"])
    #expect(page.paths == ["Sources/One/A.swift"])
    #expect(page.modules(after: "Imports") == ["One", "two-three"])
    #expect(page.modules(after: "Imported by") == nil)
    let code = "package final class Type: Sendable {}\nfunc call(_ number: Int) {}"
    #expect(Self.declared(in: code) == ["Type"])
  }
}

extension StringProtocol {
  /// The start of the next occurrence of a text; the end if there is none.
  fileprivate func range(of text: String, after start: Index) -> Index {
    self[start...].firstRange(of: text)?.lowerBound ?? endIndex
  }
}
