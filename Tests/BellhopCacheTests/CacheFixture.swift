import BellhopCache
import BellhopModel
import BellhopSearchIndex
import FoundationEssentials
import GRDB
import Testing

/// The two kinds of cache; every suite of rules runs on both.
enum CacheKind: CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite

  var testDescription: String { self == .memory ? "memory" : "SQLite" }
}

/// A temporary folder that is removed with the object.
final class TemporaryFolder {
  let path: String

  init() throws {
    var unique = UUID().uuidString
    unique.removeLast(18)
    path = FileManager.default.temporaryDirectory.path() + "/bellhop-cache-" + unique
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A cache, its reader, and shorthand for what stores send.
final class CacheFixture {
  let kind: CacheKind
  let folder: TemporaryFolder
  let storage: any CacheStorage
  let reader: any CacheReading
  static let account = AccountName("alice@home")
  static let start = Timestamp(seconds: 1_790_000_000)
  static let token = DeltaToken("t0")

  static func identity(
    _ account: AccountName = account, wallClock: WallClock = .utc
  ) -> CacheIdentity {
    CacheIdentity(account: account, wallClock: wallClock) { Lineage("lineage-1") }
  }

  var path: String { folder.path + "/cache.sqlite" }

  /// Makes a cache whose first synchronisation has ended and brought nothing, unless `isSynced` is
  /// false.
  init(
    _ kind: CacheKind, isSynced: Bool = true, wallClock: WallClock = .utc,
    loggedChangesMax: Int64? = nil, repeatRings: RepeatRings = .standard
  ) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    var identity = Self.identity(wallClock: wallClock)
    if let loggedChangesMax { identity.loggedChangesMax = loggedChangesMax }
    identity.repeatRings = repeatRings
    switch kind {
    case .memory:
      let cache = MemoryCache(identity: identity)
      storage = cache
      reader = cache
    case .sqlite:
      let path = folder.path + "/cache.sqlite"
      storage = try SQLiteCache(path: path, identity: identity)
      reader = try CacheReader(path: path, account: Self.account)
    }
    if isSynced { try endFirstSync() }
  }

  /// Opens the same cache as another process would.
  func opened(by owner: OutboxOwner) throws -> any CacheStorage {
    if let cache = storage as? MemoryCache { return cache.opened(by: owner) }
    return try SQLiteCache(
      path: path,
      identity: CacheIdentity(account: Self.account, owner: owner) { Lineage("lineage-1") })
  }

  /// Ends the first synchronisation with these items, then catches up with an empty delta.
  func endFirstSync(_ items: [UserNotification] = []) throws {
    let state = try storage.syncState()
    for chunk in ChangeChunk.chunks(
      of: items.map { .item($0) }, request: .page(state.firstSync?.nextPage),
      generation: state.generation,
      end: .page(next: nil, start: Self.token, startSequence: .zero))
    {
      _ = try storage.apply(chunk, now: Self.start)
    }
    _ = try pull([])
  }

  /// Applies a delta from the current token; `at` is its new change counter.
  @discardableResult
  func pull(
    _ changes: [Change], at sequence: Int64? = nil, now: Timestamp = start
  ) throws -> ApplyOutcome {
    let state = try storage.syncState()
    let sequence = sequence.map { SequenceNumber($0) } ?? changes.map(\.sequence).max()
    let end = max(sequence ?? .zero, state.sequence)
    var last = ApplyOutcome(isCurrent: false)
    for chunk in ChangeChunk.chunks(
      of: changes, request: .delta(since: try #require(state.token)),
      generation: state.generation,
      end: .delta(DeltaToken("t\(end)"), at: end, isCaughtUp: true))
    {
      let outcome = try storage.apply(chunk, now: now)
      last.isCurrent = outcome.isCurrent
      last.changed += outcome.changed
      last.changedApps += outcome.changedApps
      last.changedRules = last.changedRules || outcome.changedRules
      last.arrivals += outcome.arrivals
      last.finished += outcome.finished
      last.lost += outcome.lost
      last.endedFirstSync = last.endedFirstSync || outcome.endedFirstSync
    }
    return last
  }

  /// A configuration for reading the file without going through the cache.
  static var tokenizing: Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { $0.add(tokenizer: SearchTokenizer.self) }
    return configuration
  }

  func indexEverything() throws {
    while try storage.drainIndexQueue(limit: 100) {}
  }

  func titles(_ list: CacheList, _ window: ListWindow = .first, limit: Int = 100) throws
    -> [String]
  {
    try reader.rows(of: list, window, limit: limit).map(\.title)
  }
}

/// The id of the `number`th test item.
func itemID(_ number: Int64) -> NotificationID {
  NotificationID(high: 0x0198_0000_0000_7000 | UInt64(number) << 16, low: 0x8000 + UInt64(number))
}

/// The id of the `number`th test operation.
func operationID(_ number: Int64) -> OperationID {
  OperationID(high: 0x0199_0000_0000_7000, low: 0x9000 + UInt64(number))
}

/// The id of the `number`th test rule.
func ruleID(_ number: Int64) -> RuleID {
  RuleID(high: 0x019A_0000_0000_7000, low: 0xA000 + UInt64(number))
}

/// A definition of a rule that silences what an app publishes.
func makeDefinition(_ name: String, app: String = "ci") -> RuleDefinition {
  var actions = RuleActions()
  actions.isSilent = true
  return RuleDefinition(
    name: name, condition: RuleCondition([.init(.app([ListFilter.NamePattern(app)]))]),
    actions: actions)
}

/// An item that arrived `number` minutes after the start, with this change counter.
func makeItem(
  _ number: Int64, _ title: String? = nil, app: String = "ci", group: String? = nil,
  sequence: Int64? = nil, contentSequence: Int64? = nil, arrival: Timestamp? = nil,
  change: (inout UserNotification) -> Void = { _ in }
) -> UserNotification {
  let arrival = arrival ?? CacheFixture.start.advanced(by: .seconds(60 * number))
  let sequence = SequenceNumber(sequence ?? number)
  var item = UserNotification(
    id: itemID(number), shortNumber: number, created: arrival, arrival: arrival,
    content: Content(
      app: app, group: group, visual: VisualContent(title: title ?? "item \(number)")),
    state: ItemState(
      sequence: sequence, contentSequence: contentSequence.map { SequenceNumber($0) } ?? sequence,
      changed: arrival))
  change(&item)
  return item
}

/// An operation on one item.
func makeOperation(
  _ number: Int64, _ command: ItemCommand, on item: Int64, seen: Int64? = nil
) -> BellhopModel.Operation {
  BellhopModel.Operation(
    id: operationID(number), target: .item(itemID(item)), mutation: command.mutation,
    seen: seen.map { SequenceNumber($0) })
}

/// Returns a trigger that is due every few minutes, or once.
func makeTrigger(using numbers: inout SeededNumbers) -> Trigger? {
  let seconds: Int64 = [60, 300, 1000].randomElement(using: &numbers) ?? 60
  let halfPast = try? CalendarPattern(minute: 30)
  let kinds: [Trigger.Kind?] = [
    .interval(seconds: seconds), halfPast.map { .calendar($0, timeZone: nil) },
  ]
  let repeats = Int.random(in: 0..<4, using: &numbers) > 0
  return kinds.compactMap { $0 }.randomElement(using: &numbers)
    .flatMap { try? Trigger($0, repeats: repeats) }
}

/// Makes one of four items a repeat, and half of these resolved.
func makeRepeat(
  _ item: inout UserNotification, at now: Timestamp, using numbers: inout SeededNumbers
) {
  let content = item.state.contentSequence.rawValue
  guard content > 1, Int.random(in: 0..<4, using: &numbers) == 0 else { return }
  item.state.meaning = SequenceNumber(Int64.random(in: 1..<content, using: &numbers))
  // Some of the counts, from 2 to 5, reach a threshold of the twins.
  item.repeats = (0...content % 4).reduce(Repeats(firstAt: CacheFixture.start)) { repeats, _ in
    repeats.repeated(at: now)
  }
  item.state.resolved = Bool.random(using: &numbers) ? now : nil
}

/// Returns the label of one of the first occurrences of an interval.
func makeOccurrence(using numbers: inout SeededNumbers) -> Occurrence.Label {
  .number(Int64.random(in: 1...20, using: &numbers))
}

/// The generator xorshift64*: the same seed gives the same numbers everywhere.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
