import BellhopModel
import BellhopStoreSQLite
import Testing

@testable import BellhopStore

@Suite("Rules as rows")
struct RuleTests {
  /// A definition that silences what an app publishes.
  static func definition(
    _ name: String, app: String = "ci", timeZone: String? = nil,
    _ set: (inout RuleActions) -> Void = { $0.isSilent = true }
  ) -> RuleDefinition {
    var actions = RuleActions()
    set(&actions)
    return RuleDefinition(
      name: name, condition: RuleCondition([.init(.app([ListFilter.NamePattern(app)]))]),
      actions: actions, timeZone: timeZone)
  }

  private func operation(
    _ store: StoreUnderTest, _ id: RuleID, _ change: RuleChange, expecting: OperationID? = nil
  ) -> BellhopModel.Operation {
    Operation(
      id: store.newID(), target: .rule(id), mutation: .changeRule(change), expect: expecting)
  }

  private func rules(_ store: StoreUnderTest) async throws -> [Rule] {
    try await store.service.rules(of: store.user)
  }

  /// Creates a rule and returns its revision.
  private func make(
    _ name: String, _ id: RuleID, in store: StoreUnderTest
  ) async throws -> OperationID {
    try await store.service.change(
      id, RuleChange(definition: Self.definition(name)), for: store.user
    ).revision
  }

  /// The ids of the rules in a page, and those of the removed ones.
  private func ids(_ changes: [Change]) -> (rules: [RuleID], removed: [RuleID]) {
    (
      changes.compactMap { if case .rule(let rule) = $0 { rule.id } else { nil } },
      changes.compactMap { if case .ruleRemoved(let id, _) = $0 { id } else { nil } }
    )
  }

  @Test(
    "a rule is created, changed, moved and removed by operations, each once",
    arguments: BackendKind.allCases)
  func exactlyOnce(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (id, other): (RuleID, RuleID) = (store.newID(), store.newID())
    let front = try #require(RuleOrder(rawValue: "b"))
    let made = operation(store, other, RuleChange(definition: Self.definition("other")))
    let added = operation(store, id, RuleChange(definition: Self.definition("builds")))
    let edited = operation(
      store, id, RuleChange(definition: Self.definition("passed builds")), expecting: added.id)
    let moved = operation(store, id, RuleChange(order: front, isEnabled: false))
    let operations = [made, added, edited, moved]
    let answer = try await store.send(operations)
    #expect(answer.results == [.applied, .applied, .applied, .applied])
    let rule = Rule(
      id: id, definition: Self.definition("passed builds"), order: front, isEnabled: false,
      revision: edited.id, sequence: answer.sequence)
    let second = Rule(
      id: other, definition: Self.definition("other"), order: .first, revision: made.id,
      sequence: SequenceNumber(1))
    #expect(try await rules(store) == [rule, second])

    let again = try await store.send(operations)
    #expect(again.results.allSatisfy { $0 == .alreadyApplied } && !again.hasEffects)
    let same = operation(store, id, RuleChange(definition: rule.definition, order: front))
    let equal = try await store.send([same], from: 5)
    #expect(equal.results == [.applied] && !equal.hasEffects)
    #expect(try await rules(store) == [rule, second])

    let removal = operation(store, id, .removal)
    #expect(try await store.send([removal], from: 6).results == [.applied])
    #expect(try await rules(store) == [second])
    #expect(try await store.send([removal], from: 6).results == [.alreadyApplied])
    let unknown = operation(store, store.newID(), RuleChange(isEnabled: false))
    #expect(
      try await store.send([operation(store, id, .removal), unknown], from: 7).results
        == [.gone, .gone])
  }

  @Test("a new rule comes after the others", arguments: BackendKind.allCases)
  func order(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let names = ["one", "two", "three", "four"]
    let operations = names.map {
      operation(store, store.newID(), RuleChange(definition: Self.definition($0)))
    }
    _ = try await store.send(operations)
    #expect(try await rules(store).map(\.definition.name) == names)
  }

  @Test("offline edits of two rules both survive", arguments: BackendKind.allCases)
  func twoRules(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let phone = try await store.addDevice("phone")
    let ids: [RuleID] = [store.newID(), store.newID()]
    let revisions = [
      try await make("one", ids[0], in: store), try await make("two", ids[1], in: store),
    ]
    let edits = zip(ids, revisions).map { id, revision in
      operation(
        store, id, RuleChange(definition: Self.definition("edited")), expecting: revision)
    }
    #expect(try await store.send([edits[0]]).results == [.applied])
    #expect(try await store.send([edits[1]], device: phone.id).results == [.applied])
    #expect(try await rules(store).map(\.definition.name) == ["edited", "edited"])
    #expect(try await rules(store).map(\.revision) == edits.map(\.id))
  }

  @Test(
    "an edit of a definition that another device changed is superseded, a move is not",
    arguments: BackendKind.allCases)
  func raced(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let phone = try await store.addDevice("phone")
    let id: RuleID = store.newID()
    let front = try #require(RuleOrder(rawValue: "b"))
    let revision = try await make("builds", id, in: store)
    let first = operation(
      store, id, RuleChange(definition: Self.definition("laptop")), expecting: revision)
    let late = [
      operation(
        store, id, RuleChange(definition: Self.definition("phone")), expecting: revision),
      operation(store, id, .removal, expecting: revision),
      operation(store, id, RuleChange(order: front)),
    ]
    #expect(try await store.send([first]).results == [.applied])
    #expect(
      try await store.send(late, device: phone.id).results
        == [.superseded, .superseded, .applied])
    let rule = try #require(try await rules(store).first)
    #expect(rule.definition.name == "laptop" && rule.revision == first.id && rule.order == front)
    // A refusal stays one, also when its answer was lost.
    #expect(
      try await store.send(late, device: phone.id).results
        == [.superseded, .superseded, .alreadyApplied])
  }

  @Test(
    "a removed rule is gone, in the delta and in a first synchronisation",
    arguments: BackendKind.allCases)
  func removed(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (id, other): (RuleID, RuleID) = (store.newID(), store.newID())
    let revision = try await make("builds", id, in: store)
    _ = try await make("other", other, in: store)
    let (first, token) = try await store.pull(from: .beginning)
    #expect(ids(first).rules == [id, other])
    let removal = try await store.service.change(id, .removal, for: store.user)
    let (changes, next) = try await store.pull(from: .since(token))
    #expect(changes == [.ruleRemoved(id, sequence: removal.sequence)])
    #expect(try await store.pull(from: .since(next)).changes.isEmpty)
    let (all, _) = try await store.pull(from: .beginning)
    #expect(ids(all).rules == [other] && ids(all).removed.isEmpty)
    // It never returns, whatever a device still sends.
    let definition = RuleChange(definition: Self.definition("again"))
    #expect(
      try await store.send([
        operation(store, id, definition), operation(store, id, definition, expecting: revision),
        operation(store, id, RuleChange(isEnabled: true)),
      ]).results == [.gone, .gone, .gone])
    #expect(try await rules(store).map(\.id) == [other])
  }

  @Test("dropping a removed rule raises the floor", arguments: BackendKind.allCases)
  func dropped(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let id: RuleID = store.newID()
    let revision = try await make("builds", id, in: store)
    let (_, before) = try await store.pull(from: .beginning)
    _ = try await store.service.change(id, .removal, for: store.user)
    let (_, after) = try await store.pull(from: .since(before))
    store.clock.advance(by: store.limits.tombstoneLife)
    #expect(try await store.service.sweep().tombstonesDropped == 0)
    #expect(try await ids(store.pull(from: .since(before)).changes).removed == [id])
    store.clock.advance(by: .milliseconds(1))
    #expect(try await store.service.sweep().tombstonesDropped == 1)
    #expect(
      try await storeError { _ = try await store.pull(from: .since(before)) }
        == .resyncRequired(reason: "the token is too old"))
    #expect(try await store.pull(from: .since(after)).changes.isEmpty)
    // An edit of the rule from before does not bring it back.
    let edit = RuleChange(definition: Self.definition("again"))
    #expect(
      try await storeError {
        _ = try await store.service.change(id, edit, expecting: revision, for: store.user)
      } == .notFound(what: "rule"))
  }

  @Test(
    "the 201st rule is refused, and one more after a removal is not",
    arguments: BackendKind.allCases)
  func limit(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let made = (0...RuleSet.rulesMax).map { number in
      operation(store, store.newID(), RuleChange(definition: Self.definition("\(number)")))
    }
    let results = try await store.send(made).results
    #expect(results.dropLast().allSatisfy { $0 == .applied })
    #expect(results.last == .unacceptable(.tooManyRules))
    let known = try await rules(store)
    #expect(known.count == RuleSet.rulesMax)
    let next: RuleID = store.newID()
    let change = RuleChange(definition: Self.definition("next"))
    #expect(
      try await storeError {
        _ = try await store.service.change(next, change, for: store.user)
      } == .quotaReached(what: "200 rules"))
    // A full list can be changed.
    let first = try #require(known.first)
    _ = try await store.service.change(first.id, change, for: store.user)
    _ = try await store.service.change(first.id, .removal, for: store.user)
    #expect(try await store.service.change(next, change, for: store.user).id == next)
  }

  @Test("rules of one user act on no other user", arguments: BackendKind.allCases)
  func users(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let other = try await store.service.addUser(named: "bob").id
    let id: RuleID = store.newID()
    _ = try await make("builds", id, in: store)
    #expect(try await store.service.rules(of: other).isEmpty)
    #expect(try await store.service.delta(from: .beginning, rows: 10, for: other).changes.isEmpty)
    let change = RuleChange(definition: Self.definition("bob's"))
    _ = try await store.service.change(id, change, for: other)
    _ = try await store.service.change(id, .removal, for: store.user)
    #expect(try await store.service.rules(of: other).map(\.definition.name) == ["bob's"])
    try await store.service.removeUser(named: "bob")
    #expect(try await rules(store).isEmpty)
  }

  @Test(
    "a rule that breaks a limit is refused, and the others are not",
    arguments: BackendKind.allCases)
  func refusals(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let pattern = try RegularExpression(String(repeating: "a", count: 250))
    let terms = Array(
      repeating: RuleCondition.Term(.pattern(.body, pattern)), count: RuleCondition.termsMax)
    var large = Self.definition("large")
    large.condition = RuleCondition(terms)
    var huge = large
    let name = ListFilter.NamePattern(String(repeating: "b", count: 250))
    huge.condition = RuleCondition(
      Array(repeating: .init(.app(Array(repeating: name, count: 16))), count: 16))
    let refused = [
      Self.definition("two\nlines"), Self.definition("x") { $0.app = "a b" },
      Self.definition("x") { $0.group = "" }, Self.definition("x") { $0.tags = ["a\u{0}"] },
      Self.definition("x", timeZone: "Europe/Nowhere"), huge,
    ]
    let operations = (refused + [large]).map {
      operation(store, store.newID(), RuleChange(definition: $0))
    }
    let results = try await store.send(operations).results
    #expect(results.dropLast().allSatisfy { $0 == .unacceptable(.invalid) })
    #expect(results.last == .applied)
    #expect(try await rules(store).map(\.definition) == [large])
  }

  @Test(
    "rules share small pages with items and settings, in change order",
    arguments: BackendKind.allCases)
  func pages(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (_, token) = try await store.pull(from: .beginning)
    var mute = AppSettingsChange()
    mute.mute = .forever
    for number in 0..<3 {
      let id: RuleID = store.newID()
      _ = try await make("\(number)", id, in: store)
      try await store.publish("\(number)", app: "app\(number)")
      _ = try await store.service.configure("app\(number)", mute, for: store.user)
      if number == 1 { _ = try await store.service.change(id, .removal, for: store.user) }
    }
    for rows in [1, 2, 500] {
      let changes = try await store.pull(from: .since(token), rows: rows).changes
      #expect(changes.map(\.sequence) == changes.map(\.sequence).sorted())
      #expect(ids(changes).rules.count == 2 && ids(changes).removed.count == 1)
      #expect(changes.count == 9)
    }
  }

  @Test("a change at the store names what is wrong with it", arguments: BackendKind.allCases)
  func errors(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let id: RuleID = store.newID()
    let change = RuleChange(definition: Self.definition("builds"))
    let rule = try await store.service.change(id, change, for: store.user)
    #expect(try await store.service.change(id, change, for: store.user) == rule)
    func error(_ change: RuleChange, expecting: OperationID?) async throws -> StoreError? {
      try await storeError {
        _ = try await store.service.change(id, change, expecting: expecting, for: store.user)
      }
    }
    #expect(
      try await error(.removal, expecting: store.newID()) == .modified(current: rule.sequence))
    let zone = RuleChange(definition: Self.definition("x", timeZone: "Nowhere"))
    guard case .invalid(let field, _)? = try await error(zone, expecting: nil) else {
      Issue.record("an unknown zone was accepted")
      return
    }
    #expect(field == "definition.timeZone")
    #expect(try await error(.removal, expecting: rule.revision) == nil)
    #expect(try await error(change, expecting: nil) == .notFound(what: "rule"))
  }

  @Test("a rule that only a later version can read stays, and is left out")
  func laterRule() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let (_, token) = try await store.pull(from: .beginning)
    let ids: [RuleID] = [store.newID(), store.newID(), store.newID()]
    for id in ids { _ = try await make("rule", id, in: store) }
    try await store.publish("after")
    let backend = try #require(store.backend as? SQLiteBackend)
    _ = try await backend.inspect(
      "UPDATE rule SET rule = '{\"later\":true}' WHERE sequence <> 2")
    #expect(try await rules(store).map(\.id) == [ids[1]])
    for rows in [1, 500] {
      let changes = try await store.pull(from: .since(token), rows: rows).changes
      #expect(changes.map(\.sequence) == [SequenceNumber(2), SequenceNumber(4)])
    }
    let change = RuleChange(definition: Self.definition("overwritten"))
    #expect(
      try await storeError { _ = try await store.service.change(ids[0], change, for: store.user) }
        == .notFound(what: "rule"))
    #expect(
      try await backend.inspect("SELECT count(*) FROM rule WHERE rule LIKE '%later%'") == [["2"]])
  }
}

@Suite("Rules in memory")
struct RuleCacheTests {
  private let user = UserID(rawValue: 1)
  private let start = UniqueID<StoreStart>(high: 1, low: 1)

  @Test("rules are kept once a commit follows, until one of them or the data's life changes")
  func kept() {
    let cache = RuleCache()
    var reads = 0
    func isRead(_ sequence: Int64, in start: UniqueID<StoreStart>) -> Bool {
      let before = reads
      _ = cache.rules(of: user, at: SequenceNumber(sequence), in: start) {
        reads += 1
        return RuleSet([Rule]())
      }
      return reads > before
    }
    func commit(_ sequence: Int64) {
      cache.noteCommit(
        TakenSequence(user: user, sequence: SequenceNumber(sequence)), in: start)
    }
    // The transaction that made the change may still be rolled back.
    #expect(isRead(5, in: start) && isRead(5, in: start))
    commit(6)
    #expect(isRead(5, in: start) && !isRead(5, in: start))
    #expect(isRead(7, in: start) && isRead(7, in: start))
    // A reader of an earlier state has the earlier rules.
    #expect(!isRead(5, in: start))
    commit(8)
    #expect(isRead(7, in: start) && !isRead(7, in: start) && isRead(5, in: start))
    #expect(!isRead(7, in: start))
    let next = UniqueID<StoreStart>(high: 2, low: 2)
    #expect(isRead(7, in: next))
    commit(9)
    #expect(isRead(7, in: next))
  }
}
