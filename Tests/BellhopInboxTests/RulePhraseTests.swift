import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopInbox

@Suite("Typed conditions of rules")
struct RulePhraseTests {
  private static let phrase = RulePhrase(
    appNames: ["ci.example.com": "Build server", "nas": "Nas"])

  private static func names(_ patterns: String...) -> [ListFilter.NamePattern] {
    patterns.map { ListFilter.NamePattern($0) }
  }

  /// The problem of a text; nil if it is a condition.
  private static func problem(_ text: String) -> FilterPhrase.SyntaxError? {
    if case .failure(let problem) = phrase.condition(text) { problem } else { nil }
  }

  // MARK: Parsing and printing

  @Test("the terms of a condition keep their order, and each word is one")
  func terms() throws {
    let condition = try RulePhrase().condition(
      #"app:CI*,nas !level:<=normal disk title~/(?i)passed|fixed/ -"nightly build" body~/a\/b c/"#
    ).get()
    let expected: [RuleCondition.Term] = [
      .init(.app(Self.names("ci*", "nas"))),
      .init(.level(.atMost, .normal), isNegated: true),
      .init(.phrase(try #require(RuleCondition.Phrase("disk")))),
      .init(.pattern(.title, try RegularExpression("(?i)passed|fixed"))),
      .init(.phrase(try #require(RuleCondition.Phrase("nightly build"))), isNegated: true),
      .init(.pattern(.body, try RegularExpression(#"a\/b c"#))),
    ]
    #expect(condition.terms == expected)
  }

  @Test(
    "each condition prints as it was typed, and parses back",
    arguments: [
      "app:ci", "-app:ci*,nas", #"group:"a b",main"#, #"tag:"a\,b""#, #"tag:"say \"x\"""#,
      "level:low", "level:>=high", "-level:<normal", "title~/(?i)passed|fixed/",
      #"-body~/a\/b "c"/"#, #"subtitle~/^\d+$/"#, #"title~/[\\\/]/"#, "disk", "-disk",
      #"-"nightly build""#, #""error: x""#, #""app:ci""#, #""title~/x/""#, "10:30", #"C\D"#,
      #""-x""#, #""-" end"#,
      #"app:ci level:<=normal title~/a b/ -group:main "nightly build""#,
    ])
  func roundTrip(text: String) throws {
    let condition = try RulePhrase().condition(text).get()
    #expect(condition.phrase == text)
    #expect(try RulePhrase().condition(condition.phrase).get() == condition)
  }

  /// Names, words and patterns with characters that mean something in a typed condition.
  private static let hostileNames = [
    "a, b", "say \"x\"", "“q”", "back\\slash \\", "\\\"", "\u{301}x", "a,\u{301}b", " ", "*", "a**",
    "-x", "a:b", "tab\tx", "line\nx", "\u{600}",
  ]
  private static let hostileWords = [
    "-", "!", "-x", "!x", "app:ci", "app:", "title~/x/", "title~", "\"", "“", "a\\", "\\\"",
    "a\\ b", "\u{301}", " lead", "tail ", "tab\tx", "line\nx", ",", "a,b", "\u{600}", "e\u{301}",
  ]
  private static let hostilePatterns = [
    "a/b", "/", "//", "\\/", "[\\\\/]", "\\\\", "\\\\/", "[/]", "a b", " ", "\"", "\u{301}",
    "\u{600}", "a\nb", "e\u{301}/\u{301}", String(repeating: "a", count: 255) + "/",
  ]

  /// A term of JSON with a field, and one other member.
  private static func term(_ field: String, _ member: String, _ value: Any) -> [String: Any] {
    ["field": field, member: value]
  }

  /// Terms of JSON with each field.
  private static func termsOfJSON() -> [[String: Any]] {
    var terms = hostileWords.map { term("words", "values", [$0]) }
    for field in ["app", "group", "tag"] {
      terms += hostileNames.map { term(field, "values", [$0]) }
      terms.append(term(field, "values", hostileNames))
    }
    for part in RuleCondition.Part.allCases {
      terms += hostilePatterns.map { term(part.rawValue, "pattern", $0) }
    }
    for comparison in ListFilter.Comparison.allCases {
      for level in Priority.allCases {
        var test = term("level", "values", [level.name])
        test["comparison"] = comparison.rawValue
        terms.append(test)
      }
    }
    return terms
  }

  /// Returns whether two terms are equal, but for backslashes before the slashes of patterns.
  private static func areAlike(_ left: RuleCondition.Term, _ right: RuleCondition.Term) -> Bool {
    guard case .pattern(let leftPart, let leftExpression) = left.test,
      case .pattern(let rightPart, let rightExpression) = right.test
    else { return left == right }
    return leftPart == rightPart && left.isNegated == right.isNegated
      && RulePhrase.withEscapedSlashes(leftExpression.pattern)
        == RulePhrase.withEscapedSlashes(rightExpression.pattern)
  }

  @Test("a condition from JSON prints as a text that means the same", arguments: [false, true])
  func fromJSON(isNegated: Bool) throws {
    let terms = Self.termsOfJSON().map { term in
      var term = term
      term["not"] = isNegated
      return term
    }
    // Each term alone, and beside others.
    var conditions: [[[String: Any]]] = terms.map { [$0] }
    for start in stride(from: 0, to: terms.count, by: 7) {
      conditions.append(Array(terms[start..<min(start + 7, terms.count)]))
    }
    for terms in conditions {
      let data = try JSONSerialization.data(withJSONObject: terms)
      let condition = try JSONDecoder().decode(RuleCondition.self, from: data)
      let parsed = try RulePhrase().condition(condition.phrase).get()
      #expect(parsed.terms.count == condition.terms.count, "\(condition.phrase)")
      for (left, right) in zip(parsed.terms, condition.terms) {
        #expect(Self.areAlike(left, right), "\(condition.phrase)")
      }
    }
  }

  @Test("a pattern of full length keeps its slashes as they are")
  func longestPattern() throws {
    let text = String(repeating: "/", count: RegularExpression.bytesMax)
    let condition = RuleCondition([.init(.pattern(.title, try RegularExpression(text)))])
    #expect(try RulePhrase().condition(condition.phrase).get() == condition)
  }

  @Test("an app is also found by the user's name for it, unless a pattern has it already")
  func appNames() throws {
    #expect(
      try Self.phrase.condition(#"app:"build server""#).get().terms
        == [.init(.app(Self.names("build server", "ci.example.com")))])
    #expect(try Self.phrase.condition("app:nas*").get().phrase == "app:nas*")
    let printed = try Self.phrase.condition("app:build*").get().phrase
    #expect(printed == "app:build*,ci.example.com")
    #expect(try Self.phrase.condition(printed).get().phrase == printed)
  }

  @Test("level is a synonym of prio in filters and in conditions")
  func levels() throws {
    let filters = FilterPhrase(now: InboxDesk.morning, zone: InboxDesk.cet)
    #expect(try filters.filter("level:>=high").get() == filters.filter("prio:>=high").get())
    #expect(filters.completions("x le") == ["x level:"])
    #expect(filters.completions("Level:>=h") == ["level:>=high"])
    #expect(filters.unfinished("disk lev").filter?.words == "disk")
    #expect(filters.valueHint("level:") == filters.valueHint("prio:"))
    #expect(
      try Self.phrase.condition("prio:>=4").get() == Self.phrase.condition("LEVEL:>=high").get())
    #expect(try Self.phrase.condition("prio:max").get().phrase == "level:urgent")
  }

  // MARK: Errors

  @Test(
    "fields that mean nothing at publication are refused with the ones that do",
    arguments: ["is:unread", "-after:yesterday", "before:2h", "on:fri", "is~/x/"])
  func refusedFields(text: String) throws {
    let problem = try #require(Self.problem("app:ci " + text))
    #expect(problem.range == 7..<7 + text.count)
    #expect(problem.description.contains("cannot be used in a rule"))
    #expect(
      problem.description.contains("Fields: app, group, tag, level, title~, subtitle~, body~."))
  }

  @Test(
    "an error names the problem and the accepted form, and points at it",
    arguments: [
      ("", 0..<0, "needs a term, such as app:ci"), ("disk foo:x", 5..<10, "no field “foo”"),
      ("path~/a/", 0..<8, "no field “path”"), ("app:", 0..<4, "needs an app's name"),
      ("Tag:,", 0..<5, "“Tag:” needs a tag"), ("x level:loud", 8..<12, "“loud” is not a level"),
      ("title:x", 0..<7, "title~/failed|error/"), ("app~/x/", 0..<7, "Use “app:”"),
      ("level~/x/", 0..<9, "Use “level:”"), ("a title~/x y", 2..<12, "Write a slash after it"),
      ("title~/x/i", 0..<10, "title~/(?i)failed/"), ("title~/(a/", 7..<8, "group is not closed"),
      ("title~//", 7..<8, "the pattern is empty"),
      ("title~/e\u{301}(/", 8..<9, "At character 3 of the pattern"),
      ("body~/(?=a)/", 6..<7, "look-ahead"), (#""""#, 0..<2, "A term is missing"),
      ("- x", 0..<1, "A term is missing"), (#"a "  ""#, 2..<6, "A term is missing"),
      (String(repeating: "w", count: 127), 0..<127, "at most 126 bytes"),
      ("a b c d e f g h i j k l m n o p q", 32..<33, "at most 16 terms"),
      ("tag:a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", 4..<37, "at most 16 names"),
      ("tag:" + String(repeating: "t", count: 257), 4..<261, "at most 256 bytes"),
    ])
  func errors(text: String, range: Range<Int>, part: String) throws {
    let problem = try #require(Self.problem(text))
    #expect(problem.range == range)
    #expect(problem.description.contains(part), "\(problem)")
  }

  // MARK: Typing

  @Test("a term that is being typed is left out, and is not wrong yet")
  func unfinished() throws {
    let whole = try Self.phrase.condition("app:ci").get()
    for text in ["app:ci tit", "app:ci title~", "app:ci -le", "app:ci "] {
      let (condition, problem) = Self.phrase.unfinished(text)
      #expect(condition == whole && problem == nil, "\(text)")
    }
    for text in ["app:ci title~/(a", "app:ci title~/a", "app:ci level:", "app:ci level:hi"] {
      let (condition, problem) = Self.phrase.unfinished(text)
      #expect(condition == whole && problem != nil, "\(text)")
      #expect(Self.phrase.told(problem, of: text) == nil, "\(text)")
    }
    for text in ["app:ci title~/(a/", "app:ci title:", "app:ci is:unread", "app:ci app~/x"] {
      let (condition, problem) = Self.phrase.unfinished(text)
      #expect(condition == whole && Self.phrase.told(problem, of: text) != nil, "\(text)")
    }
    #expect(Self.phrase.unfinished("tit").condition == nil)
  }

  @Test(
    "the last word is completed, and nothing else is touched",
    arguments: [
      ("", ["app:", "group:", "tag:", "level:", "title~/", "subtitle~/", "body~/"]),
      ("x t", ["x tag:", "x title~/"]), ("-b", ["-body~/"]), ("p", ["prio:"]),
      ("level:>=h", ["level:>=high"]), ("PRIO:ur", ["prio:urgent"]),
      ("app:b", [#"app:"Build server""#]), ("app:nas,b", [#"app:nas,"Build server""#]),
      (#"app:"a b",ci"#, [#"app:"a b",ci.example.com"#]), ("title~/a", ["title~/a/"]),
      ("title~/(a", []), ("title~/a/", []), ("app~/a", []), ("tag:x", []), ("is:un", []),
    ])
  func completions(text: String, expected: [String]) {
    #expect(Self.phrase.completions(text) == expected)
  }

  @Test("Tab adds a blank after a complete term only")
  func completed() {
    #expect(Self.phrase.completed("tit") == "title~/")
    #expect(Self.phrase.completed("title~/a") == "title~/a/ ")
    #expect(Self.phrase.completed("level:ur") == "level:urgent ")
    var cycle = CompletionCycle()
    #expect(cycle.next(after: "t", in: Self.phrase) == "tag:")
    #expect(cycle.next(after: "tag:", in: Self.phrase) == "title~/")
  }

  @Test("any text is a condition that parses back, or an error with a range inside the text")
  func anything() throws {
    let seed: UInt64 = 11
    var random = SeededRandom(seed: seed)
    let parts = [
      "app:", "is:", "level:", ">=", "high", "-", "!", "\"", " ", ",", ":", "*", "title~/", "/",
      "body~/", "\\", "(", ")", "a|b", "“", "é", "😀", "tag:x", "~", "\u{0}", "\u{301}", "\u{202e}",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        parts.randomElement(using: &random) ?? ""
      }.joined()
      switch RulePhrase().condition(text) {
      case .success(let condition):
        let parsed = try? RulePhrase().condition(condition.phrase).get()
        #expect(parsed == condition, "seed \(seed): \(text)")
      case .failure(let problem):
        #expect(problem.range.upperBound <= text.count, "seed \(seed): \(text)")
        let isBlank = text.allSatisfy(\.isWhitespace)
        #expect(isBlank || !problem.range.isEmpty, "seed \(seed): \(text)")
      }
      for completion in RulePhrase().completions(text) { #expect(completion.count >= 3) }
    }
  }

  // MARK: Actions

  @Test("the actions of a rule are one line of words")
  func actions() throws {
    var actions = RuleActions()
    (actions.level, actions.isSilent, actions.tags, actions.stops) = (.low, true, ["ci"], true)
    actions.snooze = .until(try #require(LocalTime("18:00")))
    #expect(actions.phrase == "level low, silent, tag ci, until 18:00, stop")
    actions = RuleActions()
    (actions.marksRead, actions.dismisses, actions.pins) = (true, true, true)
    (actions.group, actions.app) = ("builds", "noise")
    actions.snooze = .for(.seconds(90_061))
    actions.collapse = .ignoringNumbers
    #expect(
      actions.phrase
        == "group builds, move to noise, read, dismiss, for 1d1h1m1s, pin, collapse ignoring numbers"
    )
  }
}
