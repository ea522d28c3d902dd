import BellhopModel
import BellhopTestSupport
import Testing

@Suite("The part of a further rule")
struct RuleReachTests {
  private func reach(_ condition: RuleCondition, after rules: [Rule]) -> RuleSet.Reach {
    RuleSet(rules).reach(of: condition, for: RuleSetTests.content)
  }

  private func title(_ pattern: String) throws -> RuleCondition {
    RuleCondition([.init(.pattern(.title, try RegularExpression(pattern)))])
  }

  @Test("it acts unless its condition is false, or an earlier rule that is enabled stops")
  func stops() throws {
    let (passed, failed) = (try title("passed$"), try title("failed"))
    #expect(reach(passed, after: []) == .acts)
    #expect(reach(failed, after: []) == .noMatch)
    let stopping = try RuleSetTests.rule(1) { $0.stops = true }
    let disabled = try RuleSetTests.rule(2, isEnabled: false) { $0.stops = true }
    let other = try RuleSetTests.rule(3, failed) { $0.stops = true }
    let plain = try RuleSetTests.rule(4) { $0.isSilent = true }
    #expect(reach(passed, after: [disabled, other, plain]) == .acts)
    #expect(reach(passed, after: [disabled, other, plain, stopping]) == .stopped)
    #expect(reach(failed, after: [stopping]) == .noMatch)
  }

  @Test("several conditions are met as each is alone, with all steps of an item for itself")
  func several() throws {
    let long = String(repeating: "a", count: 4_000)
    let content = Content(app: "ci", visual: VisualContent(title: "passed", body: long))
    // Visits about thirty states for each letter, and takes more steps than two searches have.
    let costly = RuleCondition([.init(.pattern(.body, try RegularExpression("a{1,30}b")))])
    let (passed, failed) = (try title("passed"), try title("failed"))
    let conditions = [costly, costly, passed, failed, RuleSetTests.always]
    #expect(conditions.indices(metBy: content) == [2, 4])
    #expect(
      conditions.indices(metBy: content)
        == conditions.indices.filter { conditions[$0].isMet(by: content) })
  }

  @Test("the parts that a condition searches are those of its patterns, and all for a phrase")
  func parts() throws {
    let phrase = try #require(RuleCondition.Phrase("nightly"))
    #expect(RuleSetTests.always.searchedParts.isEmpty)
    #expect(try title("a").searchedParts == [.title])
    let both = RuleCondition([
      .init(.pattern(.body, try RegularExpression("a")), isNegated: true),
      .init(.app([ListFilter.NamePattern("ci")])),
    ])
    #expect(both.searchedParts == [.body])
    #expect(
      RuleCondition([.init(.phrase(phrase))]).searchedParts == Set(RuleCondition.Part.allCases))
  }
}
