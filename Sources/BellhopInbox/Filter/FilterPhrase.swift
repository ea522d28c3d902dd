package import BellhopModel
import BellhopTime

/// Parses filters as users type them.
///
/// For example: `app:ci,nas is:unread prio:>=high after:yesterday -group:main "disk full"`. `level:` is a
/// synonym of `prio:`.
///
/// Terms are separated by blanks and must all match. Commas separate alternatives; `-` negates a
/// term; words that are not terms are searched for. Names may end in `*`. Values with blanks are
/// quoted.
package struct FilterPhrase: TypedPhrase, Sendable {
  /// The reason why a filter is not valid.
  package struct SyntaxError: ExplainedError, Hashable, Sendable {
    /// One sentence with the problem and the accepted form.
    package var description: String
    /// A shorter version; nil if nothing can be omitted.
    package var brief: String?
    /// The characters that the problem is about.
    package var range: Range<Int>
    /// The word that is not valid; empty if several are wrong together.
    package var word: String = ""
    /// The words that would be valid in its place.
    package var known: [String] = []
  }

  /// The fields of the language, in the order of help and completion.
  package enum Field: String, CaseIterable, Sendable {
    case app, group, tag
    case state = "is"
    case priority = "prio"
    case after, before, on

    /// The name that the field of levels has beside its own.
    static let levelName = "level"

    /// All names that users may type, in the order of help.
    static let names = allCases.map(\.rawValue) + [levelName]

    /// Creates the field with this name, in any case.
    package init?(typed name: some StringProtocol) {
      let name = name.lowercased()
      self.init(rawValue: name == Self.levelName ? Self.priority.rawValue : name)
    }

    /// The value after the colon, for help.
    package var hint: String {
      switch self {
      case .app: "an app's name"
      case .group: "a group's name"
      case .tag: "a tag"
      case .state: ListFilter.State.allCases.map(\.rawValue).joined(separator: ", ")
      case .priority: "min, low, normal, high or urgent, with >= <= > < before it"
      case .after: "a time: yesterday, fri, 2h, 2026-11-21"
      case .before: "a time: yesterday, fri, 2h, 2026-11-21"
      case .on: "a day: today, yesterday, fri, 2026-11-21"
      }
    }
  }

  /// The treatment of a word with a colon whose field is unknown.
  package enum UnknownField: Sendable {
    case problem
    /// A word like any other: a search looks for `https://…` and `error:`.
    case word
  }

  /// The user's names for the apps, by the apps' own names.
  let appNames: [String: String]
  private let unknownField: UnknownField
  let now: Timestamp
  let zone: ZoneRules

  /// The maximum number of terms, more than users type.
  static let termsMax = 32

  package init(
    now: Timestamp, zone: ZoneRules, appNames: [String: String] = [:],
    unknownField: UnknownField = .problem
  ) {
    self.unknownField = unknownField
    self.now = now
    self.zone = zone
    self.appNames = appNames
  }

  /// Parses a filter; empty text gives a filter that matches everything.
  package func filter(_ text: String) -> Result<ListFilter, SyntaxError> {
    Result { () throws(SyntaxError) in
      var filter = ListFilter()
      var words: [String] = []
      for token in FilterToken.tokens(of: text) {
        guard let name = token.field, !isWord(name) else {
          words.append(token.asWords)
          continue
        }
        guard filter.terms.count < Self.termsMax else {
          throw SyntaxError(
            description: "A filter can have at most \(Self.termsMax) terms.", range: token.range)
        }
        guard let field = Field(typed: name) else {
          throw problem(ofField: name, token)
        }
        for test in try tests(field, token) {
          filter.terms.append(ListFilter.Term(test, isNegated: token.isNegated))
        }
      }
      filter.words = words.joined(separator: " ")
      return filter
    }
  }

  /// Parses text that is still being typed.
  ///
  /// Ignores a last word that may become a field, or a last term that is not valid yet.
  ///
  /// - Returns: The filter, nil if the text before that is not valid either; and the problem with
  ///   the whole text.
  package func unfinished(_ text: String) -> (filter: ListFilter?, problem: SyntaxError?) {
    let whole = filter(text)
    let problem: SyntaxError? = if case .failure(let problem) = whole { problem } else { nil }
    guard let last = FilterToken.tokens(of: text).last, last.range.upperBound == text.count,
      problem != nil || last.mayBecome(Field.names)
    else { return (try? whole.get(), problem) }
    return (try? filter(String(text.prefix(last.range.lowerBound))).get(), problem)
  }

  private func isWord(_ name: String) -> Bool {
    unknownField == .word && Field(typed: name) == nil
  }

  private func problem(ofField name: String, _ token: FilterToken) -> SyntaxError {
    let fields = Field.allCases.map(\.rawValue).joined(separator: ", ")
    return SyntaxError(
      description: "There is no field “\(name)”. Fields: \(fields). Quote it to search for it.",
      brief: "No field “\(name)”: \(fields).", range: token.range, word: name,
      known: Field.names)
  }

  // MARK: Terms

  private func tests(
    _ field: Field, _ token: FilterToken
  ) throws(SyntaxError) -> [ListFilter.Test] {
    guard !token.value.isEmpty else {
      throw SyntaxError(
        description: "“\(token.field ?? field.rawValue):” needs \(field.hint).",
        range: token.range)
    }
    switch field {
    case .app: return [.app(token.values.flatMap { appPatterns($0) })]
    case .group: return [.group(token.values.map { ListFilter.NamePattern($0) })]
    case .tag: return [.tag(token.values.map { ListFilter.NamePattern($0) })]
    case .state: return [.state(try states(token))]
    case .priority:
      let (comparison, level) = try Self.level(token)
      return [.priority(comparison, level)]
    case .after: return [.arrivedSince(try instant(token))]
    case .before: return [.arrivedBefore(try instant(token))]
    case .on:
      let day = try day(token)
      guard !token.isNegated else {
        throw SyntaxError(
          description: "“-on:” is not supported: use before: or after:.", range: token.range)
      }
      return [.arrivedSince(day.lowerBound), .arrivedBefore(day.upperBound)]
    }
  }

  /// Returns the name itself, and the apps to which the user gave that name.
  private func appPatterns(_ text: String) -> [ListFilter.NamePattern] {
    let pattern = ListFilter.NamePattern(text)
    let called = appNames.filter { pattern.matches($0.value) }.keys.sorted()
    return [pattern] + called.map { ListFilter.NamePattern($0) }.filter { $0 != pattern }
  }

  private func states(_ token: FilterToken) throws(SyntaxError) -> [ListFilter.State] {
    var states: [ListFilter.State] = []
    for value in token.values {
      let word = value.lowercased()
      guard let state = ListFilter.State(rawValue: word == "opened" ? "activated" : word) else {
        throw SyntaxError(
          description: "“\(value)” is not a state. Known: \(Field.state.hint).",
          range: token.valueRange, word: value, known: ListFilter.State.allCases.map(\.rawValue))
      }
      states.append(state)
    }
    return states
  }

  /// Parses a level, with a comparison before it.
  static func level(
    _ token: FilterToken
  ) throws(SyntaxError) -> (comparison: ListFilter.Comparison, level: Priority) {
    var name = Substring(token.value)
    var comparison = ListFilter.Comparison.equal
    // Longer operators come first.
    for candidate in ListFilter.Comparison.allCases where name.hasPrefix(candidate.rawValue) {
      comparison = candidate
      name = name.dropFirst(candidate.rawValue.count)
      break
    }
    let level = Int(name).flatMap { Priority(rawValue: $0) } ?? Priority(name: name)
    guard let level else {
      throw SyntaxError(
        description: "“\(token.value)” is not a level. Known: \(Field.priority.hint).",
        range: token.valueRange, word: String(name), known: Priority.allCases.map(\.name))
    }
    return (comparison, level)
  }

  private var when: WhenPhrase { WhenPhrase(now: now, zone: zone, direction: .past) }

  private func instant(_ token: FilterToken) throws(SyntaxError) -> Timestamp {
    try reported(when.instant(token.value), token)
  }

  private func day(_ token: FilterToken) throws(SyntaxError) -> Range<Timestamp> {
    try reported(when.day(token.value), token)
  }

  private func reported<Value>(
    _ result: Result<Value, WhenPhrase.SyntaxError>, _ token: FilterToken
  ) throws(SyntaxError) -> Value {
    switch result {
    case .success(let value): return value
    case .failure(let problem):
      throw SyntaxError(
        description: problem.description, range: token.valueRange,
        word: String(token.value.dropFirst(problem.offset).prefix(while: \.isLetter)),
        known: Self.dayNames)
    }
  }

  private static let dayNames = [
    "today", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    "sunday",
  ]

  // MARK: Completion

  /// Returns the completions of the last word, each as the whole text.
  ///
  /// Fields come first, then the values of a field with few values.
  package func completions(_ text: String) -> [String] {
    guard let last = FilterToken.tokens(of: text).last, last.range.upperBound == text.count else {
      return Field.allCases.map { text + $0.rawValue + ":" }
    }
    let head = String(text.prefix(last.range.lowerBound)) + (last.isNegated ? "-" : "")
    guard let name = last.field?.lowercased() else {
      let typed = last.asWords.lowercased()
      return Field.names.filter { $0.hasPrefix(typed) }.map { head + $0 + ":" }
    }
    guard let field = Field(typed: name) else { return [] }
    // In a list, complete the last value.
    let done = last.values.dropLast().map { $0 + "," }.joined()
    let typed = (last.value.hasSuffix(",") ? "" : last.values.last ?? "").lowercased()
    return values(of: field).filter { $0.lowercased().hasPrefix(typed) && $0 != typed }
      .map { "\(head)\(name):\(done)\(FilterToken.quoted($0))" }
  }

  func valueHint(_ text: String) -> String? {
    guard let last = FilterToken.tokens(of: text).last, last.range.upperBound == text.count,
      let name = last.field, last.value.isEmpty
    else { return nil }
    return Field(typed: name)?.hint
  }

  /// The completions of a level: the highest ones first, then those with a comparison.
  static let levels: [String] = {
    let names = Priority.allCases.reversed().map(\.name)
    return names + names.map { ListFilter.Comparison.atLeast.rawValue + $0 }
  }()

  private func values(of field: Field) -> [String] {
    switch field {
    case .app: Set(appNames.keys).union(appNames.values).sorted()
    case .state: ListFilter.State.allCases.map(\.rawValue)
    case .priority: Self.levels
    case .after, .before, .on: ["today", "yesterday", "monday"]
    case .group, .tag: []
    }
  }
}
