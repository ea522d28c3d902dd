package import BellhopModel
package import BellhopTime

/// Reads filters as people type them:
/// `app:ci,nas is:unread prio:>=high after:yesterday -group:main "disk full"`.
///
/// Terms are parted by blanks and must all hold; commas part what may be the one or the other; `-`
/// turns a term round; what is no term is searched for. Names may end in `*`. Values with blanks
/// stand in quotes.
package struct FilterPhrase: Sendable {
  /// Why a filter was not understood.
  package struct Problem: ExplainedError, Hashable, Sendable {
    /// One sentence: what was wrong and what would do.
    package var description: String
    /// The same where there is less room; nil where nothing can be left out.
    package var brief: String?
    /// The characters it is about.
    package var range: Range<Int>
    /// The word that was not understood; empty where several are wrong together.
    package var word: String
    /// The words that are understood in its place.
    package var known: [String]

    init(
      description: String, brief: String? = nil, range: Range<Int>, word: String = "",
      known: [String] = []
    ) {
      self.description = description
      self.brief = brief
      self.range = range
      self.word = word
      self.known = known
    }
  }

  /// The fields of the language, in the order of help and completion.
  package enum Field: String, CaseIterable, Sendable {
    case app, group, tag
    case state = "is"
    case priority = "prio"
    case after, before, on

    /// The value behind the colon, for help.
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

  /// The meaning of a word with a colon that names no field.
  package enum UnknownField: Sendable {
    case problem
    /// A word like any other: in a search, `https://…` and `error:` are looked for.
    case word
  }

  /// What the person calls the apps, by their names.
  let appNames: [String: String]
  private let unknownField: UnknownField
  let now: Timestamp
  let zone: ZoneRules

  /// More terms than a person types.
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

  /// The filter that the text means; one that lets everything through for an empty text.
  package func filter(_ text: String) -> Result<ListFilter, Problem> {
    Result { () throws(Problem) in
      var filter = ListFilter()
      var words: [String] = []
      for token in FilterToken.tokens(of: text) {
        guard let name = token.field, !isWord(name) else {
          words.append(token.asWords)
          continue
        }
        guard filter.terms.count < Self.termsMax else {
          throw Problem(
            description: "A filter has at most \(Self.termsMax) terms.", range: token.range)
        }
        guard let field = Field(rawValue: name.lowercased()) else {
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

  /// What a text means to which somebody still adds: a last word that may become a field, or a last
  /// term that means nothing yet, is left out. Nil where the text before it means nothing either.
  ///
  /// - Returns: the filter, and what is wrong with the text as it is.
  package func unfinished(_ text: String) -> (filter: ListFilter?, problem: Problem?) {
    let whole = filter(text)
    let problem: Problem? = if case .failure(let problem) = whole { problem } else { nil }
    guard let last = FilterToken.tokens(of: text).last, last.range.upperBound == text.count,
      problem != nil || last.mayBecomeField
    else { return (try? whole.get(), problem) }
    return (try? filter(String(text.prefix(last.range.lowerBound))).get(), problem)
  }

  private func isWord(_ name: String) -> Bool {
    unknownField == .word && Field(rawValue: name.lowercased()) == nil
  }

  private func problem(ofField name: String, _ token: FilterToken) -> Problem {
    let fields = Field.allCases.map(\.rawValue).joined(separator: ", ")
    return Problem(
      description: "There is no field “\(name)”. Fields: \(fields). Quotes make it words.",
      brief: "No field “\(name)”: \(fields).", range: token.range, word: name,
      known: Field.allCases.map(\.rawValue))
  }

  // MARK: Terms

  private func tests(
    _ field: Field, _ token: FilterToken
  ) throws(Problem) -> [ListFilter.Test] {
    guard !token.value.isEmpty else {
      throw Problem(
        description: "“\(field.rawValue):” needs \(field.hint).", range: token.range)
    }
    switch field {
    case .app: return [.app(token.values.flatMap { appPatterns($0) })]
    case .group: return [.group(token.values.map { ListFilter.NamePattern($0) })]
    case .tag: return [.tag(token.values.map { ListFilter.NamePattern($0) })]
    case .state: return [.state(try states(token))]
    case .priority: return [try priority(token)]
    case .after: return [.arrivedSince(try instant(token))]
    case .before: return [.arrivedBefore(try instant(token))]
    case .on:
      let day = try day(token)
      guard !token.isNegated else {
        throw Problem(
          description: "“-on:” is not understood: use before: or after:.", range: token.range)
      }
      return [.arrivedSince(day.lowerBound), .arrivedBefore(day.upperBound)]
    }
  }

  /// The name itself, and the apps that the person calls so.
  private func appPatterns(_ text: String) -> [ListFilter.NamePattern] {
    let pattern = ListFilter.NamePattern(text)
    let called = appNames.filter { pattern.matches($0.value) }.keys.sorted()
    return [pattern] + called.map { ListFilter.NamePattern($0) }.filter { $0 != pattern }
  }

  private func states(_ token: FilterToken) throws(Problem) -> [ListFilter.State] {
    var states: [ListFilter.State] = []
    for value in token.values {
      let word = value.lowercased()
      guard let state = ListFilter.State(rawValue: word == "opened" ? "activated" : word) else {
        throw Problem(
          description: "“\(value)” is not a state. Known: \(Field.state.hint).",
          range: token.valueRange, word: value, known: ListFilter.State.allCases.map(\.rawValue))
      }
      states.append(state)
    }
    return states
  }

  private func priority(_ token: FilterToken) throws(Problem) -> ListFilter.Test {
    var name = Substring(token.value)
    var comparison = ListFilter.Comparison.equal
    // The longer signs come first.
    for candidate in ListFilter.Comparison.allCases where name.hasPrefix(candidate.rawValue) {
      comparison = candidate
      name = name.dropFirst(candidate.rawValue.count)
      break
    }
    let level = Int(name).flatMap { Priority(rawValue: $0) } ?? Priority(name: name)
    guard let level else {
      throw Problem(
        description: "“\(token.value)” is not a level. Known: \(Field.priority.hint).",
        range: token.valueRange, word: String(name), known: Priority.allCases.map(\.name))
    }
    return .priority(comparison, level)
  }

  private var when: WhenPhrase { WhenPhrase(now: now, zone: zone, direction: .past) }

  private func instant(_ token: FilterToken) throws(Problem) -> Timestamp {
    try reported(when.instant(token.value), token)
  }

  private func day(_ token: FilterToken) throws(Problem) -> Range<Timestamp> {
    try reported(when.day(token.value), token)
  }

  private func reported<Value>(
    _ result: Result<Value, WhenPhrase.Problem>, _ token: FilterToken
  ) throws(Problem) -> Value {
    switch result {
    case .success(let value): return value
    case .failure(let problem):
      throw Problem(
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

  /// What the text's last word may go on to, the whole text each: fields first, then the values of
  /// a field that has few.
  package func completions(_ text: String) -> [String] {
    guard let last = FilterToken.tokens(of: text).last, last.range.upperBound == text.count else {
      return Field.allCases.map { text + $0.rawValue + ":" }
    }
    let head = String(text.prefix(last.range.lowerBound)) + (last.isNegated ? "-" : "")
    guard let name = last.field else {
      let typed = last.asWords.lowercased()
      return Field.allCases.filter { $0.rawValue.hasPrefix(typed) }
        .map { head + $0.rawValue + ":" }
    }
    guard let field = Field(rawValue: name.lowercased()) else { return [] }
    // Of a list the last value is completed.
    let done = last.values.dropLast().map { $0 + "," }.joined()
    let typed = (last.value.hasSuffix(",") ? "" : last.values.last ?? "").lowercased()
    return values(of: field).filter { $0.lowercased().hasPrefix(typed) && $0 != typed }
      .map { "\(head)\(field.rawValue):\(done)\(FilterToken.quoted($0))" }
  }

  /// The problem of a text that is being typed, once it has to be shown: a last term that is only
  /// begun is not wrong yet.
  func told(_ problem: Problem?, of text: String) -> Problem? {
    guard let problem else { return nil }
    let isLast = problem.range.upperBound == text.count
    return isLast && (!completions(text).isEmpty || valueHint(text) != nil) ? nil : problem
  }

  /// Describes the value that the text needs after its last field, such as `a tag`; nil where it
  /// does not end with a field.
  func valueHint(_ text: String) -> String? {
    guard let last = FilterToken.tokens(of: text).last, last.range.upperBound == text.count,
      let name = last.field, last.value.isEmpty
    else { return nil }
    return Field(rawValue: name.lowercased())?.hint
  }

  /// The text as far as all its completions agree; nil where that adds nothing.
  func completed(_ text: String) -> String? {
    let completions = completions(text)
    guard var common = completions.first else { return nil }
    for completion in completions.dropFirst() {
      common = String(zip(common, completion).prefix { $0.0 == $0.1 }.map(\.0))
    }
    // A value that is whole wants a blank behind it; a field's colon does not.
    if completions.count == 1, !common.hasSuffix(":") { common += " " }
    return common.count > text.count ? common : nil
  }

  private func values(of field: Field) -> [String] {
    switch field {
    case .app: Set(appNames.keys).union(appNames.values).sorted()
    case .state: ListFilter.State.allCases.map(\.rawValue)
    case .priority:
      Priority.allCases.reversed().map(\.name) + Priority.allCases.reversed().map { ">=" + $0.name }
    case .after, .before, .on: ["today", "yesterday", "monday"]
    case .group, .tag: []
    }
  }
}
