import BellhopModel
import BellhopTestSupport
import Testing

/// Random expressions, compared with a matcher that shares no code with the automaton.
@Suite("Regular expressions against an oracle")
struct RegularExpressionOracleTests {
  static let alphabet = Array("aAbBéÉ1 _\n-".unicodeScalars)

  /// The members of a class within the alphabet.
  struct SampleClass {
    var pattern: String
    var members: String
    var isNegated = false
  }

  static let classes = [
    SampleClass(pattern: ".", members: "\n", isNegated: true),
    SampleClass(pattern: "[ab]", members: "ab"), SampleClass(pattern: "[A-C]", members: "ABC"),
    SampleClass(pattern: "[^a-c]", members: "abc", isNegated: true),
    SampleClass(pattern: "[é-]", members: "é-"),
    SampleClass(pattern: "[^É\\n]", members: "É\n", isNegated: true),
    SampleClass(pattern: "\\d", members: "1"), SampleClass(pattern: "\\w", members: "aAbBéÉ1_"),
    SampleClass(pattern: "\\W", members: " \n-"), SampleClass(pattern: "[\\s_]", members: " \n_"),
    SampleClass(pattern: "[^\\Wa]", members: " \n-a", isNegated: true),
  ]

  /// An expression as a tree, whose meaning is the set of places at which its matches end.
  indirect enum Sample {
    case scalar(Unicode.Scalar)
    case member(SampleClass)
    case start, end
    case sequence([Sample])
    case choice([Sample])
    case repeated(Sample, minimum: Int, maximum: Int?)

    static func random(depth: Int, using random: inout SeededRandom) -> Sample {
      func parts(_ counts: ClosedRange<Int>) -> [Sample] {
        (0..<Int.random(in: counts, using: &random)).map { _ in
          Sample.random(depth: depth - 1, using: &random)
        }
      }
      switch Int.random(in: 0..<(depth == 0 ? 8 : 20), using: &random) {
      case 0..<5: return .scalar(alphabet.randomElement(using: &random)!)
      case 5, 6: return .member(classes.randomElement(using: &random)!)
      case 7: return Bool.random(using: &random) ? .start : .end
      case 8..<13: return .sequence(parts(0...4))
      case 13..<16: return .choice(parts(1...3))
      default:
        let minimum = Int.random(in: 0...2, using: &random)
        let isBounded = Bool.random(using: &random)
        let more = Int.random(in: 0...2, using: &random)
        return .repeated(
          .random(depth: depth - 1, using: &random), minimum: minimum,
          maximum: isBounded ? minimum + more : nil)
      }
    }

    /// The expression as a pattern.
    var pattern: String {
      switch self {
      case .scalar("\n"): return "\\n"
      case .scalar(let scalar): return scalar == "-" ? "\\-" : String(scalar)
      case .member(let sample): return sample.pattern
      case .start: return "^"
      case .end: return "$"
      case .sequence(let parts): return parts.map(\.part).joined()
      case .choice(let parts): return parts.map(\.part).joined(separator: "|")
      case .repeated(let sample, 0, nil): return sample.atom + "*"
      case .repeated(let sample, 1, nil): return sample.atom + "+"
      case .repeated(let sample, 0, 1): return sample.atom + "?"
      case .repeated(let sample, let minimum, nil): return sample.atom + "{\(minimum),}"
      case .repeated(let sample, let minimum, let maximum?):
        return sample.atom + (minimum == maximum ? "{\(minimum)}" : "{\(minimum),\(maximum)}")
      }
    }

    private var part: String {
      switch self {
      case .sequence, .choice: "(\(pattern))"
      case .scalar, .member, .start, .end, .repeated: pattern
      }
    }

    private var atom: String {
      switch self {
      case .scalar, .member: pattern
      case .start, .end, .sequence, .choice, .repeated: "(?:\(pattern))"
      }
    }

    /// The places at which a match that begins at `place` may end.
    func ends(in text: [Unicode.Scalar], from place: Int, _ equal: Equality) -> Set<Int> {
      switch self {
      case .scalar(let scalar):
        return place < text.count && equal(text[place], scalar) ? [place + 1] : []
      case .member(let sample):
        guard place < text.count else { return [] }
        let isListed = sample.members.unicodeScalars.contains { equal(text[place], $0) }
        return isListed != sample.isNegated ? [place + 1] : []
      case .start: return place == 0 ? [place] : []
      case .end: return place == text.count ? [place] : []
      case .sequence(let parts):
        return parts.reduce([place]) { places, part in
          Set(places.flatMap { part.ends(in: text, from: $0, equal) })
        }
      case .choice(let parts):
        return Set(parts.flatMap { $0.ends(in: text, from: place, equal) })
      case .repeated(let sample, let minimum, let maximum):
        var current: Set = [place]
        var found: Set<Int> = minimum == 0 ? [place] : []
        // After the minimum, each repeat that counts reads at least one scalar.
        for number in 1...max(1, maximum ?? minimum + text.count) where maximum != 0 {
          current = Set(current.flatMap { sample.ends(in: text, from: $0, equal) })
          if number >= minimum { found.formUnion(current) }
        }
        return found
      }
    }
  }

  typealias Equality = (Unicode.Scalar, Unicode.Scalar) -> Bool

  static func equality(ignoringCase: Bool) -> Equality {
    { left, right in
      ignoringCase
        ? left.properties.lowercaseMapping == right.properties.lowercaseMapping : left == right
    }
  }

  @Test("random expressions match the same texts as in the oracle, within the steps")
  func oracle() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("RegularExpressionOracleTests.oracle seed \(seed)")
    var random = SeededRandom(seed: seed)
    var counts: [RegularExpression.Outcome: Int] = [:]
    for _ in 0..<1_000 {
      let sample = Sample.random(depth: 3, using: &random)
      let ignoresCase = Bool.random(using: &random)
      let pattern = (ignoresCase ? "(?i)" : "") + sample.pattern
      let expression: RegularExpression
      do {
        expression = try RegularExpression(pattern)
      } catch {
        let isLimit = ["too large", "too long", "is empty"].contains { error.problem.hasSuffix($0) }
        #expect(isLimit || error.problem.contains("becomes too large"), "seed \(seed): \(pattern)")
        continue
      }
      let equal = Self.equality(ignoringCase: ignoresCase)
      for _ in 0..<5 {
        let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
          Self.alphabet.randomElement(using: &random)!
        }
        var string = ""
        string.unicodeScalars.append(contentsOf: text)
        var budget = RegularExpression.StepBudget()
        let outcome = expression.matches(in: string, budget: &budget)
        let isFound = (0...text.count).contains { place in
          !sample.ends(in: text, from: place, equal).isEmpty
        }
        let note = "seed \(seed): \(pattern.debugDescription) in \(string.debugDescription)"
        #expect(outcome == (isFound ? .match : .noMatch), "\(note)")
        let steps = RegularExpression.StepBudget.stepsPerItemMax - budget.stepsLeft
        #expect(steps <= (text.count + 1) * (expression.stateCount + 1), "\(note)")
        counts[outcome, default: 0] += 1
      }
    }
    // Neither result is rare, so that the comparison means something.
    #expect(counts[.match, default: 0] > 500 && counts[.noMatch, default: 0] > 500, "\(counts)")
  }

  @Test("random characters are an expression, or an error with a position in the pattern")
  func damage() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("RegularExpressionOracleTests.damage seed \(seed)")
    var random = SeededRandom(seed: seed)
    let pieces = [
      "(", ")", "(", ")", "[", "]", "[", "]", "^", "$", "*", "+", "?", "{", "}", "{2}", ",", "-",
      "|", "\\", "\\x{", "(?", "(?i)", "(?:", "(?<", ":", "a", "b-d", "é", "e\u{301}", "2", "d",
      "w", ".", "\n", "\u{0}", "🔔",
    ]
    var validCount = 0
    for _ in 0..<3_000 {
      let pattern = (0..<Int.random(in: 1...10, using: &random))
        .map { _ in pieces.randomElement(using: &random)! }.joined()
      do {
        let expression = try RegularExpression(pattern)
        var budget = RegularExpression.StepBudget()
        let outcome = expression.matches(in: "ab2é\ne\u{301}d🔔", budget: &budget)
        #expect(outcome != .givenUp, "seed \(seed): \(pattern.debugDescription)")
        validCount += 1
      } catch {
        let places = 0...pattern.unicodeScalars.count
        #expect(places.contains(error.offset), "seed \(seed): \(pattern.debugDescription)")
      }
    }
    #expect(validCount > 100)
  }
}
