import BellhopModel
import GRDB
import Testing

@testable import BellhopCache

@Suite("Rules in the cache")
struct CachedRuleTests {
  private let now = CacheFixture.start

  /// A rule as the store sends it, made by operation 500 + its number.
  private func rule(
    _ number: Int64, _ sequence: Int64, _ name: String? = nil, order: RuleOrder = .first,
    isEnabled: Bool = true, revision: Int64? = nil
  ) -> Rule {
    Rule(
      id: ruleID(number), definition: makeDefinition(name ?? "rule \(number)"), order: order,
      isEnabled: isEnabled, revision: operationID(revision ?? 500 + number),
      sequence: SequenceNumber(sequence))
  }

  private func change(
    _ number: Int64, _ rule: Int64, _ change: RuleChange, expecting expected: Int64? = nil
  ) -> BellhopModel.Operation {
    BellhopModel.Operation(
      id: operationID(number), target: .rule(ruleID(rule)), mutation: .changeRule(change),
      expect: expected.map { operationID($0) })
  }

  private func edit(
    _ number: Int64, _ rule: Int64, _ name: String, expecting expected: Int64? = nil
  ) -> BellhopModel.Operation {
    change(number, rule, RuleChange(definition: makeDefinition(name)), expecting: expected)
  }

  private func names(_ cache: CacheFixture) throws -> [String] {
    try cache.reader.rules().map(\.definition.name)
  }

  // MARK: Base

  @Test(
    "rules are kept in the order in which they act, and a row that is not newer changes nothing",
    arguments: CacheKind.allCases)
  func base(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let front = try #require(RuleOrder(rawValue: "b"))
    let rules = [rule(2, 4), rule(1, 5), rule(3, 6, order: front, isEnabled: false)]
    #expect(try cache.pull(rules.map { .rule($0) }).changedRules)
    #expect(try cache.reader.rules() == [rules[2], rules[1], rules[0]])
    #expect(try cache.reader.rulesWithPendingChanges().isEmpty)
    #expect(try !cache.pull([.rule(rule(1, 5, "same")), .rule(rule(2, 3, "late"))]).changedRules)
    #expect(try names(cache) == ["rule 3", "rule 1", "rule 2"])
    #expect(try cache.pull([.rule(rule(1, 7, "newer"))]).changedRules)
    #expect(try names(cache) == ["rule 3", "newer", "rule 2"])
  }

  @Test(
    "a removed rule is gone, and the removal of an unknown one changes no other",
    arguments: CacheKind.allCases)
  func removal(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.rule(rule(1, 1)), .rule(rule(2, 2))])
    let outcome = try cache.pull([
      .ruleRemoved(ruleID(1), sequence: SequenceNumber(3)),
      .ruleRemoved(ruleID(9), sequence: SequenceNumber(4)),
    ])
    #expect(outcome.changedRules && outcome.changed.isEmpty)
    #expect(try cache.reader.rules() == [rule(2, 2)])
  }

  @Test(
    "a rebuild replaces rules, even with lower sequences, and removes missing ones",
    arguments: CacheKind.allCases)
  func rebuild(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.rule(rule(1, 40, "old")), .rule(rule(2, 41))])
    let state = try cache.storage.beginRebuild(epoch: Epoch("other"))
    #expect(try cache.reader.rules().count == 2, "known until the rebuild ends")
    let page = ChangeChunk(
      request: .page(nil), generation: state.generation, changes: [.rule(rule(1, 2, "new"))],
      end: .page(next: nil, start: CacheFixture.token, startSequence: SequenceNumber(2)))
    #expect(try cache.storage.apply(page, now: now).changedRules)
    #expect(try names(cache) == ["new", "rule 2"])
    let end = try cache.pull([])
    #expect(end.endedFirstSync && end.changedRules)
    #expect(try cache.reader.rules() == [rule(1, 2, "new")])
  }

  @Test("rules, and the changes of them in the outbox, survive a restart")
  func restart() throws {
    let cache = try CacheFixture(.sqlite)
    try cache.pull([.rule(rule(1, 1)), .rule(rule(2, 2))])
    let removal = change(1, 2, .removal, expecting: 502)
    _ = try cache.storage.enqueue([removal], now: now, sealAfter: nil)
    let reopened = try SQLiteCache(path: cache.path, identity: CacheFixture.identity())
    let reader = try CacheReader(path: cache.path, account: CacheFixture.account)
    #expect(try reader.rules() == [rule(1, 1)])
    #expect(try reader.rulesWithPendingChanges() == [ruleID(2)])
    #expect(try reopened.sealedBatch(limit: 9).operations.map(\.operation) == [removal])
  }

  @Test("a row that a later version wrote is left out and stays, until the store sends another one")
  func laterVersion() throws {
    let cache = try CacheFixture(.sqlite)
    try cache.pull([.rule(rule(1, 1)), .rule(rule(2, 2))])
    let queue = try DatabaseQueue(path: cache.path)
    func laterRows() throws -> Int? {
      try queue.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM rule WHERE rule LIKE '%\"later\":true%'")
      }
    }
    try queue.write {
      try $0.execute(
        sql: """
          UPDATE rule SET rule = replace(rule, '"actions":{', '"actions":{"later":true,')
          WHERE rule LIKE '%rule 1%'
          """)
    }
    #expect(try laterRows() == 1)
    #expect(try cache.reader.rules() == [rule(2, 2)])
    // This version cannot show what becomes of a rule that it cannot read.
    _ = try cache.storage.enqueue(
      [edit(1, 1, "edited", expecting: 501), change(2, 1, RuleChange(isEnabled: false))], now: now,
      sealAfter: nil)
    try cache.pull([.rule(rule(2, 3, "other"))])
    #expect(try names(cache) == ["other"])
    #expect(try laterRows() == 1)
    try cache.pull([.rule(rule(1, 4, "readable", revision: 600))])
    #expect(try laterRows() == 0)
    #expect(try names(cache) == ["readable", "other"])
    try queue.close()
  }

  @Test("a cache from before rules existed keeps its outbox, and accepts them")
  func migration() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    do {
      let cache = try SQLiteCache(path: path, identity: CacheFixture.identity())
      _ = try cache.enqueue([makeOperation(1, .read, on: 1)], now: now, sealAfter: nil)
    }
    let earlier = try #require(Schema.migrations.firstIndex { $0.name == "rules" })
    try takeBack(path, toMigrations: earlier)
    let cache = try SQLiteCache(path: path, identity: CacheFixture.identity())
    _ = try cache.enqueue([edit(2, 1, "made")], now: now, sealAfter: nil)
    #expect(
      try cache.sealedBatch(limit: 9).operations.map(\.operation.id)
        == [operationID(1), operationID(2)])
    let reader = try CacheReader(path: path, account: CacheFixture.account)
    #expect(try reader.rules().map(\.id) == [ruleID(1)])
  }

  // MARK: Outbox

  @Test(
    "changes in the outbox are shown at once, in the order made, until base has them",
    arguments: CacheKind.allCases)
  func overlay(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.rule(rule(1, 1)), .rule(rule(2, 2))])
    let last = try #require(RuleOrder(rawValue: "z"))
    let touched = try cache.storage.enqueue(
      [
        edit(1, 3, "third"), edit(2, 3, "renamed", expecting: 1),
        change(3, 1, RuleChange(order: last, isEnabled: false)),
        change(4, 2, .removal, expecting: 502),
      ], now: now, sealAfter: nil)
    #expect(touched.isEmpty)
    let order = try #require(RuleOrder.between(.first, nil))
    let made = rule(3, 0, "renamed", order: order, revision: 2)
    let moved = rule(1, 1, order: last, isEnabled: false)
    #expect(try cache.reader.rules() == [made, moved])
    #expect(try cache.reader.rulesWithPendingChanges() == [ruleID(1), ruleID(2), ruleID(3)])

    // Base has not reached the answer's sequence yet: still shown.
    let answers = (1...4).map { OperationAnswer(id: operationID($0), result: .applied) }
    _ = try cache.storage.acknowledge(answers, sequence: SequenceNumber(6), now: now)
    #expect(try cache.reader.rules() == [made, moved])
    // Another device enabled rule 1 again after that.
    let outcome = try cache.pull([
      .rule(rule(3, 4, "renamed", order: order, revision: 2)),
      .ruleRemoved(ruleID(2), sequence: SequenceNumber(6)), .rule(rule(1, 7, order: last)),
    ])
    #expect(Set(outcome.finished) == Set((1...4).map { operationID($0) }))
    #expect(
      try cache.reader.rules() == [
        rule(3, 4, "renamed", order: order, revision: 2), rule(1, 7, order: last),
      ])
    #expect(try cache.reader.rulesWithPendingChanges().isEmpty)
  }

  @Test(
    "a change that the store refuses is taken back, and reported",
    arguments: CacheKind.allCases,
    [
      OperationResult.superseded, .gone, .unacceptable(.invalid), .unacceptable(.tooManyRules),
    ])
  func refusal(kind: CacheKind, result: OperationResult) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.rule(rule(1, 1))])
    let operation = edit(1, 1, "edited", expecting: 501)
    _ = try cache.storage.enqueue([operation], now: now, sealAfter: nil)
    #expect(try names(cache) == ["edited"])
    let outcome = try cache.storage.acknowledge(
      [OperationAnswer(id: operation.id, result: result)], sequence: SequenceNumber(1), now: now)
    #expect(outcome.rejected == [RejectedOperation(operation: operation, result: result)])
    #expect(try cache.storage.unreportedRejections() == outcome.rejected)
    #expect(try cache.reader.rules() == [rule(1, 1)])
    #expect(try cache.reader.rulesWithPendingChanges().isEmpty)
  }

  @Test(
    "an edit of a definition that another device changed is not shown, a move of the rule is",
    arguments: CacheKind.allCases)
  func otherDevice(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let front = try #require(RuleOrder(rawValue: "b"))
    try cache.pull([.rule(rule(1, 1)), .rule(rule(2, 2))])
    _ = try cache.storage.enqueue(
      [
        edit(1, 1, "mine", expecting: 501), edit(2, 1, "mine again", expecting: 1),
        change(3, 2, RuleChange(order: front)), change(4, 1, .removal, expecting: 2),
      ], now: now, sealAfter: nil)
    #expect(try names(cache) == ["rule 2"])
    try cache.pull([.rule(rule(1, 3, "theirs", revision: 900)), .rule(rule(2, 4, "also theirs"))])
    #expect(try names(cache) == ["also theirs", "theirs"])
    #expect(try cache.reader.rules().first?.order == front)
  }

  @Test(
    "an operation that names a revision never creates a rule, and a removed one never returns",
    arguments: CacheKind.allCases)
  func neverReturns(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.rule(rule(1, 1))])
    _ = try cache.storage.enqueue(
      [
        edit(1, 2, "unknown", expecting: 7), change(2, 3, RuleChange(isEnabled: false)),
        change(3, 1, .removal), edit(4, 1, "back"), edit(5, 4, "made"),
      ], now: now, sealAfter: nil)
    #expect(try names(cache) == ["made"])
  }

  @Test("a rule beyond the two hundredth is not shown", arguments: CacheKind.allCases)
  func tooMany(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let max = Int64(RuleSet.rulesMax)
    try cache.pull((1...max).map { .rule(rule($0, $0)) })
    _ = try cache.storage.enqueue(
      [edit(1, max + 1, "one too many"), change(2, 1, .removal), edit(3, max + 2, "in its place")],
      now: now, sealAfter: nil)
    let rules = try cache.reader.rules()
    #expect(rules.count == RuleSet.rulesMax)
    #expect(rules.last?.id == ruleID(max + 2))
  }

  @Test("a cancelled change is not shown", arguments: CacheKind.allCases)
  func cancelled(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.rule(rule(1, 1))])
    let removal = change(1, 1, .removal, expecting: 501)
    _ = try cache.storage.enqueue([removal], now: now, sealAfter: .seconds(5))
    #expect(try cache.reader.rules().isEmpty)
    #expect(try cache.storage.cancel(removal.id, now: now) == [])
    #expect(try cache.reader.rules() == [rule(1, 1)])
  }

  @Test("a rebuild of base leaves them pending and shown", arguments: CacheKind.allCases)
  func pendingRebuild(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.rule(rule(1, 40))])
    let made = edit(1, 2, "made")
    _ = try cache.storage.enqueue([made], now: now, sealAfter: nil)
    _ = try cache.storage.beginRebuild(epoch: Epoch("other"))
    try cache.endFirstSync()
    #expect(try names(cache) == ["made"])
    #expect(try cache.storage.sealedBatch(limit: 9).operations.map(\.operation) == [made])
  }

  @Test("they are rescued from a damaged cache with the rest of the outbox")
  func salvage() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    do {
      let cache = try SQLiteCache(path: path, identity: CacheFixture.identity())
      _ = try cache.enqueue([edit(1, 1, "made")], now: now, sealAfter: nil)
    }
    let report = try SQLiteCache.salvage(at: path, identity: CacheFixture.identity(), now: now)
    #expect(report.rescuedCount == 1 && report.isComplete)
    let reader = try CacheReader(path: path, account: CacheFixture.account)
    #expect(try reader.rules().map(\.definition.name) == ["made"])
    #expect(try reader.rulesWithPendingChanges() == [ruleID(1)])
  }
}
