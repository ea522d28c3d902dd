internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel

/// The arguments of the command line, reordered so that the parser accepts filters.
///
/// The parser takes `-app:ci` for an option, so it is moved after `--`, which ends the options. The
/// order of the terms in a filter does not matter.
package struct TypedArguments: Sendable {
  /// The arguments without the name of the program.
  private let arguments: [String]

  /// The commands that accept a filter as arguments.
  private static let listing: Set<String> = ["list", "ls", "count"]

  package init(_ arguments: [String]) { self.arguments = arguments }

  /// Returns the arguments for the parser.
  ///
  /// - Throws: `ClientError` for an option that exists only as a filter, such as `list --unread`.
  package func parsed() throws -> [String] {
    guard let command = arguments.first else { return [] }
    let takesTerms = Self.listing.contains(command)
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    var options: [String] = []
    var terms: [String] = []
    for (index, argument) in arguments[..<end].enumerated() {
      if takesTerms, index > 0 { try Self.check(option: argument, at: index, arguments) }
      if !Self.isNegatedTerm(argument) {
        options.append(argument)
      } else if options.last == "--filter" {
        options[options.count - 1] = "--filter=" + argument
      } else if takesTerms {
        terms.append(argument)
      } else {
        options.append(argument)
      }
    }
    guard !terms.isEmpty || end < arguments.endIndex else { return options }
    return options + ["--"] + terms + arguments[end...].dropFirst()
  }

  /// Whether the text is `-`, followed by a field of the filter language and a colon.
  private static func isNegatedTerm(_ text: String) -> Bool {
    guard text.first == "-", let colon = text.firstIndex(of: ":") else { return false }
    return FilterPhrase.Field(typed: text[..<colon].dropFirst()) != nil
  }

  /// The selections of `list` that are also states of the filter language.
  private static let selections: Set<String> = ["tray", "handled", "snoozed", "scheduled"]

  private static func check(option: String, at index: Int, _ arguments: [String]) throws {
    guard option.hasPrefix("--") else { return }
    let parts = option.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
    guard let name = parts.first else { return }
    let term: String
    if ListFilter.State(rawValue: name) != nil, !selections.contains(name) {
      term = "is:" + name
    } else if FilterPhrase.Field(typed: name) != nil {
      let following = arguments[(index + 1)...].first.flatMap { $0.hasPrefix("-") ? nil : $0 }
      term = "\(name):\(parts.count > 1 ? parts[1] : following ?? "…")"
    } else {
      return
    }
    throw ClientError(
      .usage,
      "--\(name) is not an option of bellhop \(arguments[0]). Did you mean \(term.prefix(64))?",
      next: "Filters are arguments, such as bellhop \(arguments[0]) \(term.prefix(64)).")
  }
}
