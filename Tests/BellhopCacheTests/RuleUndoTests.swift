import BellhopCache
import BellhopModel
import Testing

@Suite("Undo of rules changed by commands")
struct RuleUndoTests {
  private let now = CacheFixture.start
  private let cache: CacheFixture
  private let storage: SQLiteCache

  init() throws {
    let cache = try CacheFixture(.sqlite)
    self.cache = cache
    storage = try #require(cache.storage as? SQLiteCache)
    try cache.pull([
      .rule(
        Rule(
          id: ruleID(1), definition: makeDefinition("known"), order: .first,
          revision: operationID(500), sequence: SequenceNumber(1)))
    ])
  }

  private func operation(
    _ number: Int64, _ change: RuleChange, on rule: Int64 = 1, expecting expected: Int64? = nil
  ) -> BellhopModel.Operation {
    BellhopModel.Operation(
      id: operationID(number), target: .rule(ruleID(rule)), mutation: .changeRule(change),
      expect: expected.map { operationID($0) })
  }

  private func define(_ name: String) -> RuleChange {
    RuleChange(definition: makeDefinition(name))
  }

  /// Changes a rule as a command does.
  private func command(
    _ made: BellhopModel.Operation, undo: BellhopModel.Operation
  ) throws {
    try storage.enqueue(
      [made], remembering: CommandChange(summary: "change", undo: [undo], settings: made), now: now)
  }

  private func undo() throws -> UndoneChange {
    try #require(try storage.undoCommandChange(now: now))
  }

  private func names() throws -> [String] {
    try cache.reader.rules().map(\.definition.name)
  }

  @Test("two edits of a new rule and its creation are taken back one by one")
  func edits() throws {
    try command(
      operation(1, define("made"), on: 2),
      undo: operation(101, .removal, on: 2, expecting: 1))
    try command(
      operation(2, define("edited"), on: 2, expecting: 1),
      undo: operation(102, define("made"), on: 2, expecting: 2))
    try command(
      operation(3, define("edited again"), on: 2, expecting: 2),
      undo: operation(103, define("edited"), on: 2, expecting: 3))
    #expect(try names() == ["known", "edited again"])
    #expect(try undo().operations.map(\.id) == [operationID(103)])
    #expect(try names() == ["known", "edited"])
    // The definition before is now one that the first undo has made.
    #expect(try undo().operations.map(\.expect) == [operationID(103)])
    #expect(try names() == ["known", "made"])
    #expect(try undo().operations.map(\.expect) == [operationID(102)])
    #expect(try names() == ["known"])
    #expect(try storage.undoCommandChange(now: now) == nil)
  }

  @Test("an edit that another device changed again stays")
  func editedSince() throws {
    try command(
      operation(1, define("edited"), expecting: 500),
      undo: operation(101, define("known"), expecting: 1))
    _ = try storage.enqueue(
      [operation(9, define("theirs"), expecting: 1)], now: now, sealAfter: nil)
    let undone = try undo()
    #expect(undone.operations.isEmpty && undone.obsoleteCount == 1)
    #expect(try names() == ["theirs"])
  }

  @Test("a move is taken back, unless the rule was moved again since")
  func moves() throws {
    let (front, end) = (
      try #require(RuleOrder(rawValue: "b")), try #require(RuleOrder(rawValue: "z"))
    )
    func order() throws -> RuleOrder? { try cache.reader.rules().first?.order }
    try command(
      operation(1, RuleChange(order: front)), undo: operation(101, RuleChange(order: .first)))
    #expect(try order() == front)
    #expect(try undo().operations.count == 1)
    #expect(try order() == .first)

    try command(
      operation(2, RuleChange(order: front)), undo: operation(102, RuleChange(order: .first)))
    _ = try storage.enqueue(
      [operation(9, RuleChange(order: end))], now: now, sealAfter: nil)
    #expect(try undo().obsoleteCount == 1)
    #expect(try order() == end)
  }

  @Test("a removal is taken back by a new rule, and a rule removed since stays removed")
  func removals() throws {
    try command(
      operation(1, RuleChange(isEnabled: false)), undo: operation(101, RuleChange(isEnabled: true)))
    try command(
      operation(2, .removal, expecting: 500), undo: operation(102, define("known"), on: 3))
    #expect(try names() == [])
    #expect(try undo().operations.count == 1)
    #expect(try cache.reader.rules().map(\.id) == [ruleID(3)])
    #expect(try undo().obsoleteCount == 1)
    #expect(try names() == ["known"])
  }
}
