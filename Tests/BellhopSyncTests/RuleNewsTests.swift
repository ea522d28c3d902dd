import BellhopCache
import BellhopModel
import BellhopSync
import Testing

@Suite("News of rules")
struct RuleNewsTests {
  @Test("a pull that changes only rules lets screens read again, one without changes does not")
  func pulls() throws {
    let now = Timestamp(seconds: 1_800_000_000)
    let identity = CacheIdentity(account: AccountName("me")) { Lineage("first") }
    let cache = MemoryCache(identity: identity)
    let steps = CacheSteps(cache: cache, newLineage: { Lineage("second") }, announces: false)
    var actions = RuleActions()
    actions.isSilent = true
    let rule = Rule(
      id: RuleID(high: 1, low: 1),
      definition: RuleDefinition(
        name: "quiet", condition: RuleCondition([.init(.app([ListFilter.NamePattern("ci")]))]),
        actions: actions),
      order: .first, revision: OperationID(high: 1, low: 2), sequence: SequenceNumber(1))
    let changes: [Change] = [.rule(rule), .ruleRemoved(rule.id, sequence: SequenceNumber(2))]
    let first = ChangeChunk(request: .page(nil), generation: 1, changes: [], end: nil)
    var news = CacheSteps.News()
    _ = try steps.take(first, now: now, &news)
    #expect(news.changes == nil)
    for change in changes {
      var news = CacheSteps.News()
      let chunk = ChangeChunk(
        request: .page(nil), generation: 1, changes: [change], isFirst: false, end: nil)
      _ = try steps.take(chunk, now: now, &news)
      #expect(news.changes == .everything)
    }
    #expect(try cache.rules().isEmpty)
  }
}
