import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@Suite("Regular expressions")
struct RegularExpressionTests {
  typealias Outcome = RegularExpression.Outcome
  typealias Budget = RegularExpression.StepBudget

  /// Searches a text, and returns the result with the steps.
  static func search(_ pattern: String, _ text: String, steps: Int = Budget.stepsPerItemMax) throws
    -> (outcome: Outcome, steps: Int)
  {
    var budget = Budget(steps: steps)
    let outcome = try RegularExpression(pattern).matches(in: text, budget: &budget)
    return (outcome, steps - budget.stepsLeft)
  }

  // MARK: Matches

  @Test(
    "a pattern is found in texts with a part that matches, and in no others",
    arguments: [
      ("abc", ["abc", "xxabcx", "ababc"], ["", "ab", "abx", "ABC"]),
      ("^abc", ["abc", "abcd"], ["xabc", "x\nabc"]),
      ("abc$", ["abc", "xabc"], ["abcx", "abc\n"]),
      ("^$", [""], ["a", "\n"]),
      ("$", ["", "a"], []),
      ("a^b|b$c", [], ["ab", "bc", "a", "b"]),
      ("^a|b$", ["ax", "xb"], ["xax", "bx"]),
      ("(^|x)a", ["a", "xa", "bxa"], ["ba"]),
      ("(^)*a(a|$)", ["a", "aa", "ba"], ["ab"]),
      ("a|b|c", ["a", "b", "c"], ["d", ""]),
      ("a|", ["", "b"], []),
      ("()", ["", "b"], []),
      ("^(a|b(c|d))e$", ["ae", "bce", "bde"], ["be", "ace", "bcde"]),
      ("^.$", ["a", "é", "🔔", "\r", "\t"], ["", "\n", "ab"]),
      // One character of two scalars.
      ("^..$", ["e\u{301}", "🇩🇪"], ["é"]),
      ("é", ["é"], ["e\u{301}"]),
      ("^a*$", ["", "a", "aaaa"], ["b", "ab"]),
      ("^a+$", ["a", "aaaa"], ["", "ab"]),
      ("^a?$", ["", "a"], ["aa"]),
      ("^a{3}$", ["aaa"], ["aa", "aaaa"]),
      ("^a{2,}$", ["aa", "aaaaa"], ["a"]),
      ("^a{0,}$", ["", "aa"], ["b"]),
      ("^a{2,4}$", ["aa", "aaa", "aaaa"], ["a", "aaaaa"]),
      ("^a{0,2}$", ["", "a", "aa"], ["aaa"]),
      ("^a{0}b{1}$", ["b"], ["ab"]),
      ("^(ab){2}$", ["abab"], ["ab", "ababab"]),
      ("^(a{2}){2,3}$", ["aaaa", "aaaaaa"], ["aa", "aaa", "aaaaa"]),
      ("^(a*)*$", ["", "aaa"], ["b"]),
      ("^(a*)+b(|c)*$", ["b", "aab", "bcc"], ["a"]),
      ("^[abc]+$", ["abccba"], ["", "abd"]),
      ("^[^abc]+$", ["xyz", "\n"], ["xya"]),
      ("^[a-cx-z]$", ["a", "c", "y"], ["d", "w", "-"]),
      ("^[a-]$", ["a", "-"], ["b"]),
      ("^[-a]$", ["a", "-"], ["b"]),
      ("^[^-a]$", ["b"], ["a", "-"]),
      ("^[+-\\-]$", ["+", ",", "-"], ["."]),
      ("^[.*$|(){}?]+$", [".*$|(){}?"], ["a"]),
      ("^[a^]$", ["a", "^"], ["b"]),
      ("^[à-ýa]$", ["é", "a"], ["e", "ÿ"]),
      ("^[^é]$", ["e", "è"], ["é"]),
      ("a]b}", ["a]b}"], ["ab"]),
      ("^\\(\\[\\{\\\\\\/\\.\\ \\-$", ["([{\\/. -"], ["([{\\/x -"]),
      ("^a\\tb\\nc\\rd$", ["a\tb\nc\rd"], ["atbncrd"]),
      ("^\\x{e9}\\x{1F514}$", ["é🔔"], ["e9"]),
      ("^\\d+$", ["0123456789", "٣"], ["", "a", "½", "²"]),
      ("^\\w+$", ["Größe_1", "слово", "語", "e\u{301}", "٣", "a\u{200d}b"], ["a b", "-", "½"]),
      ("^\\s$", [" ", "\t", "\n", "\r", "\u{a0}", "\u{2028}", "\u{3000}"], ["", "a", "\u{200b}"]),
      ("^[\\W\\d]+$", ["-1", "🔔"], ["a", "é"]),
      ("^[^\\s\\d]+$", ["a-é"], ["a b", "a1"]),
      ("^\\D\\S$", ["a-", "é🔔"], ["1a", "a "]),
      ("^[\\s\\S]*$", ["a\nb", ""], []),
      ("^(?:ab)+$", ["abab"], ["aba"]),
    ])
  func matches(pattern: String, found: [String], notFound: [String]) throws {
    for text in found {
      #expect(try Self.search(pattern, text).outcome == .match, "\(pattern) in \(text)")
    }
    for text in notFound {
      #expect(try Self.search(pattern, text).outcome == .noMatch, "\(pattern) in \(text)")
    }
  }

  @Test(
    "a pattern that ignores case compares folded scalars",
    arguments: [
      ("disk FULL", ["Disk Full", "DISK full"], ["disc full"]),
      ("ÄRGER", ["ärger", "Ärger"], ["arger"]),
      // The Kelvin sign and the long s have ASCII forms.
      ("kS", ["\u{212a}ſ", "Ks"], ["kz", "cs"]),
      ("^\u{212a}$", ["k", "K"], ["c"]),
      ("^[\u{212a}]$", ["k", "K"], ["c"]),
      ("^σ$", ["ς", "Σ"], ["s"]),
      ("^ß$", ["ẞ"], ["ss", "SS"]),
      ("^µ$", ["μ", "Μ"], ["m"]),
      // Turkish letters, whose other case depends on the language.
      ("^i$", ["I"], ["ı", "İ"]),
      ("^[a-f]$", ["A", "f"], ["g"]),
      ("^[A-F]$", ["A", "f"], ["g"]),
      ("^[а-я]$", ["Я", "б"], ["a"]),
      ("^[^a]$", ["b", "É"], ["a", "A"]),
      ("^[^é]$", ["e"], ["é", "É"]),
    ])
  func cases(pattern: String, found: [String], notFound: [String]) throws {
    try matches(pattern: "(?i)" + pattern, found: found, notFound: notFound)
  }

  // MARK: Errors

  @Test(
    "an error names the fault and its position",
    arguments: [
      ("", 0, "empty"), ("(?i)", 4, "empty"),
      ("é(a|b", 1, "not closed"), ("((a)", 0, "not closed"), ("ab)", 2, "no opening"),
      ("*a", 0, "nothing to repeat"), ("a|+", 2, "nothing to repeat"),
      ("(?a)", 0, "an option"), ("({2})", 1, "nothing to repeat"),
      ("a^*", 2, "anchor"), ("$?", 1, "anchor"),
      ("a**", 2, "quantifier after another"), ("a{2}{3}", 4, "quantifier after another"),
      ("a+?", 2, "lazy"), ("a{2}+", 4, "possessive"),
      ("a{", 1, "not valid"), ("a{,3}", 1, "not valid"), ("a{x}", 1, "not valid"),
      ("a{1,2", 1, "not valid"), ("a{1,x}", 1, "not valid"), ("a{3,2}", 1, "below its minimum"),
      ("a{65}", 2, "too large"), ("a{1,65}", 4, "too large"),
      ("a{99999999999999999999}", 2, "too large"),
      ("a[]b]", 2, "empty"), ("[^]", 2, "empty"), ("ab[cd", 2, "not closed"),
      ("[a-", 0, "not closed"), ("[\\]", 0, "not closed"),
      ("x[z-a]", 2, "descending"), ("[\\d-z]", 1, "several characters"),
      ("[a-\\w]", 1, "several characters"), ("[a-c-e]", 4, "hyphen"), ("[+--]", 3, "hyphen"),
      ("[ab-]c-[d--]", 10, "hyphen"),
      ("[a[bc]]", 2, "class within a class"), ("[[:alpha:]]", 1, "POSIX"),
      ("ab\\", 2, "backslash"), ("\\é", 0, "backslash"), ("\\y", 0, "backslash"),
      ("\\x{}", 0, "code"), ("\\x{+41}", 0, "code"), ("\\x{d800}", 0, "code"),
      ("\\x{110000}", 0, "code"), ("\\x{41", 0, "code"), ("\\x41", 0, "a code of this form"),
      ("(a)\\1", 3, "back-reference"), ("(a)\\k<n>", 3, "back-reference"),
      ("a(?=b)", 1, "look-ahead"), ("a(?!b)", 1, "negative look-ahead"),
      ("é(?<=b)", 1, "look-behind"), ("((?<!b))", 1, "negative look-behind"),
      ("(?<name>a)", 0, "named group"), ("(?P<name>a)", 0, "named group"),
      ("(?>a)", 0, "atomic"), ("a(?i)", 1, "not at the start"), ("(?s)a", 0, "an option"),
      ("\\bword", 0, "word boundary"), ("[\\b]", 1, "word boundary"), ("a\\z", 1, "anchor"),
      ("\\p{L}", 0, "Unicode property"),
    ])
  func faults(pattern: String, offset: Int, problem: String) throws {
    let error = #expect(throws: RegularExpression.SyntaxError.self) {
      try RegularExpression(pattern)
    }
    let found = try #require(error)
    #expect(found.offset == offset, "\(found)")
    #expect(found.problem.contains(problem), "\(found)")
    #expect(!found.expectation.isEmpty)
    #expect(found.description.hasPrefix("At character \(offset + 1) of the pattern, "))
  }

  // MARK: Limits

  @Test("a pattern may have 256 bytes, of one or of several bytes a character")
  func length() throws {
    for (character, bytes) in [("a", 1), ("é", 2), ("🔔", 4)] {
      let whole = String(repeating: character, count: 256 / bytes)
      #expect(try RegularExpression(whole).stateCount == 256 / bytes + 1)
      for longer in [whole + "a", whole + character] {
        let error = #expect(throws: RegularExpression.SyntaxError.self) {
          try RegularExpression(longer)
        }
        #expect(error?.offset == 256 / bytes)
        #expect(error?.problem.contains("too long") == true)
      }
    }
    let deep = String(repeating: "(", count: 127) + "a" + String(repeating: ")", count: 127)
    #expect(try Self.search(deep, "a").outcome == .match)
    #expect(throws: RegularExpression.SyntaxError.self) {
      try RegularExpression(String(repeating: "(", count: 256))
    }
  }

  @Test("an automaton may have 1,000 states, and an error names the largest repeat")
  func states() throws {
    #expect(try RegularExpression("(a{64}){15}a{39}").stateCount == 1_000)
    let tooLarge = [
      ("(a{64}){15}a{40}", 7), ("a{3}((a{64}){8}){2}b", 16), ("(((a{64}){64}){64}){64}", 9),
      ("(a?){64}(b?){64}(c?){64}(d?){64}(e?){64}(f?){64}(g?){64}(h?){64}", 4),
    ]
    for (pattern, offset) in tooLarge {
      let error = #expect(throws: RegularExpression.SyntaxError.self) {
        try RegularExpression(pattern)
      }
      #expect(error?.offset == offset, "\(pattern)")
      #expect(error?.problem.contains("too large") == true, "\(pattern)")
    }
    // Repeats of the empty text need no states, however deep they are.
    let empty = String(repeating: "(", count: 40) + String(repeating: "){64}", count: 40)
    #expect(try RegularExpression(empty).stateCount == 1)
  }

  @Test("a repeat may have the number 64")
  func repeats() throws {
    let text = String(repeating: "a", count: 64)
    for pattern in ["^a{64}$", "^a{64,}$", "^a{0,64}$", "^(a{8}){8}$"] {
      #expect(try Self.search(pattern, text).outcome == .match)
    }
    #expect(try Self.search("^a{64}$", text + "a").outcome == .noMatch)
    #expect(try Self.search("^a{64,}$", text + "a").outcome == .match)
    #expect(try Self.search("^a{0,64}$", text + "a").outcome == .noMatch)
    #expect(try Self.search("^a{64,}$", String(text.dropLast())).outcome == .noMatch)
  }

  @Test(
    "a search that needs its whole budget has a result, and is given up with one step less",
    arguments: [("abc", "xxabc"), ("abc", "xxabd"), ("^a", "b"), ("a*$", "aaab"), ("x|", "")])
  func budget(pattern: String, text: String) throws {
    let (outcome, steps) = try Self.search(pattern, text)
    #expect(try Self.search(pattern, text, steps: steps) == (outcome, steps))
    for fewer in 0..<steps {
      #expect(try Self.search(pattern, text, steps: fewer) == (.givenUp, fewer))
    }
    #expect(try Self.search(pattern, text, steps: steps + 1) == (outcome, steps))
  }

  @Test("all searches of an item share a budget of 100,000 steps")
  func sharedBudget() throws {
    let expression = try RegularExpression("a+b")
    let text = String(repeating: "a", count: 1_000)
    var budget = Budget()
    #expect(budget.stepsLeft == 100_000)
    #expect(expression.matches(in: text, budget: &budget) == .noMatch)
    let steps = 100_000 - budget.stepsLeft
    var searches = 1
    while expression.matches(in: text, budget: &budget) == .noMatch, searches < 100_000 {
      searches += 1
    }
    #expect(searches == 100_000 / steps)
    #expect(budget.stepsLeft == 0)
    // A search after it is given up, too, even one that needs few steps.
    #expect(expression.matches(in: "ab", budget: &budget) == .givenUp)
    #expect(Budget(steps: -1).stepsLeft == 0)
  }

  @Test(
    "patterns that make other engines backtrack need steps in proportion to the text",
    arguments: [
      ("(a+)+$", "a", "!"), ("^(a+)+$", "a", "!"), ("(a*)*b", "a", ""), ("(a|aa)+$", "a", "!"),
      ("(a|a?)+b", "a", "c"), ("(x+x+)+y", "x", ""), ("^(([a-z])+.)+[A-Z]([a-z])+$", "a", ""),
      ("(.*)(.*)(.*)(.*)z", "a", ""), ("^(\\w+\\s?)*$", "a", "!"), ("((a?){8}a{8})*b", "a", ""),
      ("(?i)(é+É+)+z", "é", ""),
    ])
  func backtracking(pattern: String, unit: String, ending: String) throws {
    let states = try RegularExpression(pattern).stateCount
    var perScalar: [Int] = []
    for count in [500, 1_000, 2_000] {
      let text = String(repeating: unit, count: count) + ending
      let (outcome, steps) = try Self.search(pattern, text)
      #expect(outcome == .noMatch)
      #expect(steps <= (text.unicodeScalars.count + 1) * (states + 1))
      perScalar.append(steps / count)
    }
    #expect(perScalar.max()! - perScalar.min()! <= 1, "\(perScalar)")
  }

  @Test("a text of any length ends the search within the budget")
  func longText() throws {
    let text = String(repeating: "a", count: 200_000)
    #expect(try Self.search("(a?){64}a{64}b", text) == (.givenUp, 100_000))
    #expect(try Self.search("b", text) == (.givenUp, 100_000))
    // A match that can only be at the start needs no further text.
    #expect(try Self.search("^b", text).outcome == .noMatch)
    #expect(try Self.search("a", text).outcome == .match)
  }

  // MARK: Values

  @Test("an expression is coded as its pattern, and an invalid one is refused with its position")
  func coding() throws {
    let expressions = try ["(?i)dis[ck]", "\\\\\"é"].map { try RegularExpression($0) }
    let data = try JSONEncoder().encode(expressions)
    #expect(try JSONDecoder().decode([String].self, from: data) == expressions.map(\.pattern))
    #expect(try JSONDecoder().decode([RegularExpression].self, from: data) == expressions)
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([RegularExpression].self, from: Data(#"["a(b"]"#.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.hasPrefix("At character 2 of the pattern, "))
  }

  @Test("expressions are equal if their patterns have the same scalars")
  func equality() throws {
    let composed = try RegularExpression("\u{e9}")
    let decomposed = try RegularExpression("e\u{301}")
    #expect(composed.pattern == decomposed.pattern)
    #expect(composed != decomposed)
    #expect(try Set([composed, decomposed, RegularExpression("\u{e9}")]).count == 2)
  }
}
