/// The printed default configuration file of a program, split into its settings.
struct DefaultFile {
  /// The comment at the beginning.
  let introduction: String
  let blocks: [Block]

  /// A setting, or a table with all that is below it up to the next empty line.
  struct Block: Hashable {
    /// The setting's name, or the table's header with its brackets.
    var name: String
    var help: String
    var code: [String]
    var isTable: Bool
  }

  /// The line above an example of a setting without a default.
  private static let exampleMark = "No default; for example:"

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(
        line.hasPrefix("# ") ? line.dropFirst(2) : line.hasPrefix("#") ? line.dropFirst() : line)
    }
    let parts = lines.split(whereSeparator: \.isEmpty).map(Array.init)
    introduction = parts.first?.joined(separator: " ") ?? ""
    blocks = parts.dropFirst().compactMap(Self.block)
  }

  private static func block(_ lines: [String]) -> Block? {
    let header = lines.firstIndex { $0.hasPrefix("[") && $0.hasSuffix("]") }
    guard let start = header ?? lines.indices.last else { return nil }
    let isTable = header != nil
    let help = lines[..<start].filter { $0 != exampleMark }.joined(separator: " ")
    let hasExample = lines[..<start].contains(exampleMark)
    let first = lines[start]
    return Block(
      name: isTable ? first : String(first.prefix { $0 != "=" && $0 != " " }),
      help: hasExample ? help + " No default; for example:" : help,
      code: isTable ? Array(lines[(start + 1)...]) : [first], isTable: isTable)
  }
}
