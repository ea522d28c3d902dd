package import BellhopModel

/// Parses conditions of rules as users type them.
///
/// For example: `app:ci,nas level:<=normal title~/(?i)passed|fixed/ -group:main "nightly build"`.
///
/// The language is that of ``FilterPhrase``, with these differences. A pattern between slashes is
/// searched in a part of the text; a slash in it has a backslash before it. Each word or quoted phrase
/// is a term of its own. In quotes, a backslash before a quote, a comma or a backslash takes its
/// meaning away. Fields that mean nothing at a publication are refused.
package struct RulePhrase: TypedPhrase, Sendable {
  package typealias SyntaxError = FilterPhrase.SyntaxError

  /// The fields of the language, in the order of help and completion.
  enum Field: String, CaseIterable, Sendable {
    case app, group, tag, level, title, subtitle, body

    /// Creates the field with this name, in any case; `prio` is that of filters for a level.
    init?(typed name: String) {
      let name = name.lowercased()
      self.init(
        rawValue: name == FilterPhrase.Field.priority.rawValue ? Self.level.rawValue : name)
    }

    /// The part of the text in which the field searches; nil for the other fields.
    var part: RuleCondition.Part? {
      switch self {
      case .app, .group, .tag, .level: nil
      case .title: .title
      case .subtitle: .subtitle
      case .body: .body
      }
    }

    /// The name with the sign that a value follows.
    var start: String { rawValue + (part == nil ? ":" : "~/") }

    /// The value of the field, for help.
    var hint: String {
      switch self {
      case .app: FilterPhrase.Field.app.hint
      case .group: FilterPhrase.Field.group.hint
      case .tag: FilterPhrase.Field.tag.hint
      case .level: FilterPhrase.Field.priority.hint
      case .title, .subtitle, .body: "a pattern and a slash: failed|error/"
      }
    }

    /// The fields for an error, in the form in which they are typed.
    static let list = allCases.map { $0.part == nil ? $0.rawValue : $0.rawValue + "~" }
      .joined(separator: ", ")
  }

  /// The user's names for the apps, by the apps' own names.
  let appNames: [String: String]

  /// - Parameter appNames: The user's names for the apps, by the apps' own names. A condition that has
  ///   one of them also gets the app's own name, which is the only one that a publication has.
  package init(appNames: [String: String] = [:]) { self.appNames = appNames }

  /// Parses a condition, which has at least one term.
  package func condition(_ text: String) -> Result<RuleCondition, SyntaxError> {
    Result { () throws(SyntaxError) in
      var terms: [RuleCondition.Term] = []
      for token in Self.tokens(of: text) {
        guard terms.count < RuleCondition.termsMax else {
          throw SyntaxError(
            description: "A condition can have at most \(RuleCondition.termsMax) terms.",
            range: token.range)
        }
        terms.append(.init(try test(token, in: text), isNegated: token.isNegated))
      }
      guard !terms.isEmpty else {
        throw SyntaxError(
          description: "A condition needs a term, such as app:ci or title~/failed|error/.",
          range: 0..<text.count)
      }
      return RuleCondition(terms)
    }
  }

  /// Parses text that is still being typed.
  ///
  /// Ignores a last word that may become a field, or a last term that is not valid yet.
  ///
  /// - Returns: The condition, nil if the text before that is empty or not valid either; and the problem
  ///   with the whole text.
  package func unfinished(
    _ text: String
  ) -> (condition: RuleCondition?, problem: SyntaxError?) {
    let whole = condition(text)
    let problem: SyntaxError? = if case .failure(let problem) = whole { problem } else { nil }
    guard let last = Self.tokens(of: text).last, last.range.upperBound == text.count,
      problem != nil || last.mayBecome(Self.starts)
    else { return (try? whole.get(), problem) }
    return (try? condition(String(text.prefix(last.range.lowerBound))).get(), problem)
  }

  private static func tokens(of text: String) -> [FilterToken] {
    FilterToken.tokens(of: text, in: .condition)
  }

  /// The beginnings of terms with a field.
  private static let starts =
    Field.allCases.map(\.start) + [FilterPhrase.Field.priority.rawValue + ":"]

  // MARK: Terms

  private func test(
    _ token: FilterToken, in text: String
  ) throws(SyntaxError) -> RuleCondition.Test {
    guard let name = token.field else { return .phrase(try phrase(token)) }
    guard let field = Field(typed: name) else { throw problem(ofField: name, token) }
    switch field {
    case .app: return .app(try checked(appPatterns(try values(of: field, token)), token))
    case .group: return .group(try checked(patterns(try values(of: field, token)), token))
    case .tag: return .tag(try checked(patterns(try values(of: field, token)), token))
    case .level:
      _ = try values(of: field, token)
      let (comparison, level) = try FilterPhrase.level(token)
      return .level(comparison, level)
    case .title: return .pattern(.title, try expression(of: field, token, in: text))
    case .subtitle: return .pattern(.subtitle, try expression(of: field, token, in: text))
    case .body: return .pattern(.body, try expression(of: field, token, in: text))
    }
  }

  private func problem(ofField name: String, _ token: FilterToken) -> SyntaxError {
    let known = Field.allCases.map(\.rawValue)
    guard FilterPhrase.Field(typed: name) == nil else {
      return SyntaxError(
        description: "“\(name):” cannot be used in a rule, which acts when an item is published. "
          + "Fields: \(Field.list).",
        brief: "Not “\(name):” in a rule: \(Field.list).", range: token.range, word: name,
        known: known)
    }
    return SyntaxError(
      description: "There is no field “\(name)”. Fields: \(Field.list). Quote it to search for it.",
      brief: "No field “\(name)”: \(Field.list).", range: token.range, word: name, known: known)
  }

  /// Returns the values after a colon, of which there is at least one.
  private func values(of field: Field, _ token: FilterToken) throws(SyntaxError) -> [String] {
    guard token.pattern == nil else {
      throw SyntaxError(
        description: "“\(field.rawValue)” does not take a pattern. Use “\(field.start)” with "
          + "\(field.hint).",
        range: token.range)
    }
    guard !token.values.isEmpty else {
      throw SyntaxError(
        description: "“\(token.field ?? field.rawValue):” needs \(field.hint).",
        range: token.range)
    }
    return token.values
  }

  private func patterns(_ names: [String]) -> [ListFilter.NamePattern] {
    names.map { ListFilter.NamePattern($0) }
  }

  /// Returns the names, and those of the apps to which the user gave one of them.
  private func appPatterns(_ names: [String]) -> [ListFilter.NamePattern] {
    let typed = patterns(names)
    let called = appNames.filter { app, name in
      typed.contains { $0.matches(name) } && !typed.contains { $0.matches(app) }
    }
    return typed + patterns(called.keys.sorted())
  }

  private func checked(
    _ patterns: [ListFilter.NamePattern], _ token: FilterToken
  ) throws(SyntaxError) -> [ListFilter.NamePattern] {
    guard patterns.count <= RuleCondition.valuesMax else {
      throw SyntaxError(
        description: "A term can have at most \(RuleCondition.valuesMax) names, and this one has "
          + "\(patterns.count). Use the beginning of a name, such as ci*.",
        range: token.valueRange)
    }
    guard patterns.allSatisfy({ $0.written.utf8.count <= RuleCondition.valueBytesMax }) else {
      throw SyntaxError(
        description: "A name can have at most \(RuleCondition.valueBytesMax) bytes.",
        range: token.valueRange)
    }
    return patterns
  }

  private func phrase(_ token: FilterToken) throws(SyntaxError) -> RuleCondition.Phrase {
    if let phrase = RuleCondition.Phrase(token.value) { return phrase }
    let isLong = token.value.utf8.count > RuleCondition.Phrase.bytesMax
    throw SyntaxError(
      description: isLong
        ? "A word or phrase can have at most \(RuleCondition.Phrase.bytesMax) bytes."
        : "A term is missing here. Write a word, or a field such as app:ci.",
      range: token.range)
  }

  // MARK: Patterns

  private func expression(
    of field: Field, _ token: FilterToken, in text: String
  ) throws(SyntaxError) -> RegularExpression {
    guard let pattern = token.pattern else {
      throw SyntaxError(
        description: "“\(field.rawValue):” is not supported. Write a pattern between slashes, such "
          + "as \(field.start)failed|error/.",
        brief: "Write a pattern: \(field.start)failed|error/.", range: token.range)
    }
    guard pattern.isClosed else {
      throw SyntaxError(
        description: "The pattern is not closed. Write a slash after it, such as "
          + "\(field.start)failed|error/.",
        range: token.range)
    }
    guard pattern.rest.isEmpty else {
      throw SyntaxError(
        description: "“\(pattern.rest)” after the pattern is not supported. To ignore case, write "
          + "\(field.start)(?i)failed/; before another term, write a blank.",
        brief: "A blank ends a pattern; (?i) at its start ignores case.", range: token.range)
    }
    do throws(RegularExpression.SyntaxError) {
      return try RegularExpression(pattern.text)
    } catch {
      // A pattern that was not typed may be as long as possible without the backslashes.
      if pattern.text.utf8.count > RegularExpression.bytesMax,
        let shorter = try? RegularExpression(Self.withBareSlashes(pattern.text))
      {
        return shorter
      }
      let place = pattern.start + error.offset
      throw SyntaxError(
        description: error.description, brief: error.problem.sentence,
        range: CharacterPlaces(text).range(ofScalars: place..<place + 1))
    }
  }

  /// Returns the text of a pattern with a backslash before each slash that has none.
  static func withEscapedSlashes(_ pattern: String) -> String {
    var written = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if scalar == "/", !isEscaped { written.append("\\") }
      written.append(scalar)
      isEscaped = scalar == "\\" && !isEscaped
    }
    return String(written)
  }

  /// Returns the text of a pattern without the backslashes before slashes, which mean the same.
  private static func withBareSlashes(_ pattern: String) -> String {
    var bare = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if scalar == "/", isEscaped { bare.removeLast() }
      bare.append(scalar)
      isEscaped = scalar == "\\" && !isEscaped
    }
    return String(bare)
  }

  // MARK: Completion

  /// Returns the completions of the last word, each as the whole text.
  ///
  /// Fields come first, then the values of a field with few values, and the slash after a valid pattern.
  package func completions(_ text: String) -> [String] {
    guard let last = Self.tokens(of: text).last, last.range.upperBound == text.count else {
      return Field.allCases.map { text + $0.start }
    }
    let head = String(text.prefix(last.range.lowerBound)) + (last.isNegated ? "-" : "")
    guard let name = last.field?.lowercased() else {
      return Self.starts.filter { last.mayBecome([$0]) }.map { head + $0 }
    }
    if let pattern = last.pattern {
      let isReady = !pattern.isClosed && (try? RegularExpression(pattern.text)) != nil
      return isReady && Field(typed: name)?.part != nil ? [text + "/"] : []
    }
    guard let field = Field(typed: name) else { return [] }
    // In a list, complete the last value.
    let isDone = last.value.hasSuffix(",")
    let done = last.values.dropLast(isDone ? 0 : 1).map { Self.written(name: $0) + "," }.joined()
    let typed = (isDone ? "" : last.values.last ?? "").lowercased()
    return values(of: field).filter { $0.lowercased().hasPrefix(typed) && $0 != typed }
      .map { "\(head)\(name):\(done)\(Self.written(name: $0))" }
  }

  func valueHint(_ text: String) -> String? {
    guard let last = Self.tokens(of: text).last, last.range.upperBound == text.count,
      let name = last.field, let field = Field(typed: name)
    else { return nil }
    let isOpen = last.pattern.map { !$0.isClosed } ?? last.value.isEmpty
    return isOpen && (last.pattern == nil) == (field.part == nil) ? field.hint : nil
  }

  private func values(of field: Field) -> [String] {
    switch field {
    case .app: Set(appNames.keys).union(appNames.values).sorted()
    case .level: FilterPhrase.levels
    case .group, .tag, .title, .subtitle, .body: []
    }
  }
}
