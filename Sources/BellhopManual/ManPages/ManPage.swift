/// A manual page for man(1), made of the same sources as the help of the programs.
package struct ManPage: Sendable {
  /// The name without the section, such as `bellhop.toml`.
  package let name: String
  package let section: Int
  /// The page in roff.
  package let text: String

  package var fileName: String { "\(name).\(section)" }

  /// A name with its explanation: a file, an exit status, an environment variable.
  package struct Entry: Sendable, Hashable {
    package let name: String
    package let meaning: String

    package init(_ name: String, _ meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// The parts of a page that neither the parser nor the topics contain.
  package struct Facts: Sendable {
    package var version: String
    package var files: [Entry]
    package var environment: [Entry]
    package var exitStatus: [Entry]
    package var seeAlso: [String]

    package init(
      version: String, files: [Entry], environment: [Entry] = [], exitStatus: [Entry] = [],
      seeAlso: [String]
    ) {
      self.version = version
      self.files = files
      self.environment = environment
      self.exitStatus = exitStatus
      self.seeAlso = seeAlso
    }
  }

  /// Creates the page of a program: its commands, then the topics of its manual.
  package static func program(
    _ tree: CommandTree, section: Int, topics: [Topic], facts: Facts
  ) -> ManPage {
    var roff = RoffWriter(
      name: tree.name, section: section, source: "\(tree.name) \(facts.version)")
    roff.name(tree.name, tree.abstract)
    roff.synopsis(of: tree)
    roff.section("Description")
    roff.discussion(tree.discussion)
    roff.section("Options")
    for argument in tree.arguments where argument.shouldDisplay { roff.argument(argument) }
    roff.section("Commands")
    for command in tree.shownSubcommands { roff.command(command, path: tree.name) }
    for topic in topics { roff.topic(topic) }
    roff.facts(facts)
    return ManPage(name: tree.name, section: section, text: roff.text)
  }

  /// Creates the page of a configuration file.
  ///
  /// - Parameters:
  ///   - name: The page's name.
  ///   - summary: The second half of the line of names.
  ///   - path: The file's location.
  ///   - settings: The printed default file: comments above each setting.
  ///   - topic: The topic of the manual on configuration.
  package static func configuration(
    name: String, summary: String, path: String, settings: String, topic: Topic?, facts: Facts
  ) -> ManPage {
    var roff = RoffWriter(name: name, section: 5, source: "bellhop \(facts.version)")
    let file = DefaultFile(settings)
    roff.name(name, summary)
    roff.section("Synopsis")
    roff.raw([".PP", RoffWriter.bold(path)])
    roff.section("Description")
    roff.paragraph(plain: file.introduction)
    if let topic { roff.body(of: topic) }
    roff.section("Settings")
    for block in file.blocks { roff.block(block) }
    roff.facts(facts)
    return ManPage(name: name, section: 5, text: roff.text)
  }
}

// MARK: - Parts

extension RoffWriter {
  /// Writes the line of names, which whatis(1) and apropos(1) read.
  fileprivate mutating func name(_ name: String, _ summary: String) {
    section("Name")
    var summary = summary
    while summary.last == "." { summary.removeLast() }
    raw([
      Self.escaped(name, as: .literal) + " \\- " + Self.escaped(summary, as: .prose)
    ])
  }

  fileprivate mutating func synopsis(of tree: CommandTree) {
    section("Synopsis")
    raw([
      ".nf",
      Self.bold(tree.name) + " [" + Self.italic("command") + "] [" + Self.italic("options")
        + "]",
      Self.bold("\(tree.name) help") + " [" + Self.italic("command") + "]", ".fi",
    ])
  }

  /// Writes a command with its arguments, then its subcommands.
  fileprivate mutating func command(_ command: CommandTree, path: String) {
    let name = "\(path) \(command.name)"
    subsection(name)
    let arguments = command.shownArguments
    var usage = Self.bold(name)
    if !command.shownSubcommands.isEmpty { usage += " [" + Self.italic("subcommand") + "]" }
    if arguments.contains(where: { $0.kind != .positional }) {
      usage += " [" + Self.italic("options") + "]"
    }
    for argument in arguments where argument.kind == .positional {
      let word = Self.italic(argument.valueName ?? "value") + (argument.isRepeating ? " ..." : "")
      usage += argument.isOptional ? " [\(word)]" : " \(word)"
    }
    raw([".PP", usage])
    paragraph(plain: command.abstract)
    let aliases = command.aliases.map { Self.bold("\(path) \($0)") }.joined(separator: " and ")
    if !aliases.isEmpty { raw([".PP", "Short form: \(aliases)."]) }
    if let subcommand = command.defaultSubcommand {
      raw([".PP", Self.bold(name) + " alone is " + Self.bold("\(name) \(subcommand)") + "."])
    }
    discussion(command.discussion)
    for argument in arguments { self.argument(argument) }
    for subcommand in command.shownSubcommands { self.command(subcommand, path: name) }
  }

  fileprivate mutating func argument(_ argument: CommandTree.Argument) {
    var tag: String
    if argument.kind == .positional {
      tag = Self.italic(argument.valueName ?? "value")
    } else {
      tag = (argument.names ?? []).map { Self.bold($0.spelling) }.joined(separator: ", ")
      if argument.kind == .option { tag += " " + Self.italic(argument.valueName ?? "value") }
    }
    if argument.isRepeating { tag += " ..." }
    entry(tag: tag, plain: argument.text)
  }

  /// Writes the long text of a command: paragraphs, and examples as code.
  fileprivate mutating func discussion(_ text: String) {
    var sentences: [String] = []
    var examples: [String] = []
    func isExample(_ line: String) -> Bool { line.hasPrefix("  ") || line.hasPrefix("Example: ") }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [
      ""
    ] {
      if isExample(line) {
        if !sentences.isEmpty { paragraph(plain: sentences.joined(separator: " ")) }
        sentences = []
        examples.append(String(line.trimmingPrefix("Example: ").drop { $0 == " " }))
        continue
      }
      if !examples.isEmpty { code(examples) }
      examples = []
      if line.isEmpty {
        if !sentences.isEmpty { paragraph(plain: sentences.joined(separator: " ")) }
        sentences = []
      } else {
        sentences.append(line)
      }
    }
  }

  /// Writes a setting or a table of a configuration file.
  fileprivate mutating func block(_ block: DefaultFile.Block) {
    if block.isTable {
      subsection(block.name)
      if !block.help.isEmpty { paragraph(plain: block.help) }
    } else {
      entry(tag: Self.bold(block.name), plain: block.help)
    }
    if !block.code.isEmpty { code(block.code, inEntry: !block.isTable) }
  }

  /// Writes the sections at the end of a page.
  fileprivate mutating func facts(_ facts: ManPage.Facts) {
    for (title, entries) in [
      ("Files", facts.files), ("Environment", facts.environment),
      ("Exit status", facts.exitStatus),
    ] where !entries.isEmpty {
      section(title)
      for entry in entries { self.entry(tag: Self.bold(entry.name), plain: entry.meaning) }
    }
    section("See also")
    raw([
      facts.seeAlso.map { page in
        guard let bracket = page.firstIndex(of: "(") else { return Self.bold(page) }
        return Self.bold(String(page[..<bracket])) + page[bracket...]
      }.joined(separator: ", ")
    ])
  }
}
