import BellhopCache
import BellhopModel
import Testing

/// Random histories on both kinds of cache at once, with frequent comparisons of everything
/// readable.
///
/// The memory cache counts and sorts from scratch, so this also verifies the counters, group rows
/// and windows of the SQLite one.
@Suite("Both kinds of cache agree")
struct TwinTests {
  @Test("random histories read the same from both", arguments: 1...8 as ClosedRange<UInt64>)
  func randomHistories(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    let rings = try #require(RepeatRings([3, 4]))
    let memory = try CacheFixture(.memory, isSynced: false, repeatRings: rings)
    let sqlite = try CacheFixture(.sqlite, isSynced: false, repeatRings: rings)
    for step in 0..<120 {
      let action = try history.next(memory.storage)
      let left = try action.perform(on: memory.storage)
      let right = try action.perform(on: sqlite.storage)
      #expect(left == right, "seed \(seed), step \(step): \(action.words)")
      // Reading everything costs more than the step; a difference stays until it is read.
      guard step % 8 == 7 || left != right else { continue }
      let leftView = try view(memory, history)
      let rightView = try view(sqlite, history)
      #expect(leftView == rightView, "seed \(seed), step \(step): \(action.words)")
      if left != right || leftView != rightView { return }
    }
  }

  @Test("a call is described in words, and a long one is cut")
  func words() {
    #expect(CacheAction.drain.words == "drain")
    let many = (1...50).map { makeOperation($0, .read, on: $0) }
    let words = CacheAction.enqueue(many, CacheFixture.start, nil).words
    #expect(words.hasPrefix("enqueue("))
    #expect(words.count == 400)
  }

  /// Every kind of term, plain and negated, on every list that can be narrowed.
  private var narrowed: [CacheList] {
    func names(_ patterns: String...) -> [ListFilter.NamePattern] {
      patterns.map { ListFilter.NamePattern($0) }
    }
    let instant = CacheFixture.start.advanced(by: .seconds(3 * 3600))
    let tests: [ListFilter.Test] =
      [
        .app(names("CI", "b*")), .group(names("A", "none")), .group(names("*")),
        .tag(names("One")), .tag(names("two\nl*", "x")), .tag(names("")), .tag(names("\\*")),
        .priority(.atLeast, .high), .priority(.below, .normal), .priority(.equal, .normal),
        .arrivedSince(instant), .arrivedBefore(instant), .state([]),
      ] + ListFilter.State.allCases.map { .state([$0]) }
    var lists: [CacheList] = []
    for (index, test) in tests.enumerated() {
      let base = [CacheList.tray, .handled, .history, .later][index % 4]
      lists += [false, true].flatMap { isNegated in
        let term = ListFilter.Term(test, isNegated: isNegated)
        return [
          CacheList.narrowed(base, ListFilter(terms: [term])),
          .narrowed(.history, ListFilter(terms: [term], words: index % 2 == 0 ? "" : "item")),
        ]
      }
    }
    let both = [ListFilter.Term(.state([.unread])), ListFilter.Term(.app(names("c*", "NAS")))]
    return lists + [
      .narrowed(.history, ListFilter(terms: both)), .narrowed(.later, ListFilter(words: "item")),
      .narrowed(.tray, ListFilter(words: "…")),
    ]
  }

  /// Everything a screen can read, as text lines.
  private func view(_ fixture: CacheFixture, _ history: RandomHistory) throws -> [String] {
    let reader = fixture.reader
    var lines: [String] = []
    let lists: [CacheList] =
      [
        .tray, .handled, .history, .later, .search("item"), .search("wor"), .search("搜"),
      ] + groups.map { .trayGroup($0) } + narrowed + sorted(narrowed)
    for list in lists {
      let all = try reader.rows(of: list, .first, limit: 1000)
      lines += all.map { "\(list) \($0)" }
      if let length = try reader.totals().count(of: list)?.count {
        #expect(all.count == length)
      }
      if case .narrowed(let whole, let filter) = list {
        let count = try reader.count(of: filter, in: whole, scanning: 1000)
        #expect(count == (filter.words.isEmpty ? all.count : nil), "\(list)")
      }
      #expect(try reader.rows(of: list, .last, limit: 3) == Array(all.suffix(3)))
      let everything = ArrivalKey(rawValue: .min)...ArrivalKey(rawValue: .max)
      #expect(try reader.count(of: list, in: everything, limit: .max) == all.count, "\(list)")
      #expect(try reader.count(of: list, in: everything, limit: 2) == min(2, all.count))
      if !all.isEmpty {
        let some = all[all.count / 2].key
        let newer = all.count { $0.key >= some }
        #expect(
          try reader.count(of: list, in: some...everything.upperBound, limit: .max) == newer)
      }
      guard all.count > 2 else { continue }
      let middle = all[all.count / 2].position(in: list)
      #expect(
        try reader.rows(of: list, .below(middle), limit: 2)
          == Array(all.dropFirst(all.count / 2 + 1).prefix(2)))
      #expect(
        try reader.rows(of: list, .above(middle), limit: 2)
          == Array(all.prefix(all.count / 2).suffix(2)))
      try countAbove(middle, all.count / 2, in: list, reader)
      if list.sections != nil { try walk(list, all, reader) }
    }
    lines += try foldedView(reader)
    for number in 1...history.itemCount {
      lines.append("\(try reader.item(itemID(number)) as Any)")
      lines.append("\(try reader.row(itemID(number)) as Any)")
      lines.append("\(try reader.lookUp(.number(number)))")
    }
    lines.append("\(try reader.totals())")
    lines.append("\(try reader.apps())")
    lines.append("\(try reader.appSettings())")
    lines += try reader.rules().map { "\($0)" }
    lines.append("\(try reader.rulesWithPendingChanges().sorted())")
    lines += try publicationView(reader)
    lines.append("\(try reader.badgeShares())")
    lines.append("\(try reader.appSettings(of: "ci") as Any)")
    lines.append("\(try reader.trayGroups(limit: 50))")
    let hour = CacheFixture.start.milliseconds / 3_600_000
    lines.append("\(try reader.countsByHour(hour - 1..<hour + 30))")
    lines.append("\(try reader.counts(hours: hour + 1..<hour + 9))")
    for limit in [5, 1000] {
      let counts = try reader.countsByHour(
        from: CacheFixture.start.advanced(by: .seconds(-1800)),
        until: CacheFixture.start.advanced(by: .seconds(90_000)), limit: limit)
      lines.append("\(counts as Any)")
    }
    lines.append("\(try reader.nextDue() as Any)")
    lines.append("\(try reader.syncState())")
    lines.append("\(try reader.outboxCounts())")
    lines.append("\(try fixture.storage.sealedBatch(limit: 1000))")
    return lines
  }
}

/// A call on a cache.
enum CacheAction {
  case apply(ChangeChunk, Timestamp)
  case enqueue([BellhopModel.Operation], Timestamp, Duration?)
  case cancel(OperationID, Timestamp)
  case seal(SealScope, Timestamp)
  case acknowledge([OperationAnswer], SequenceNumber, Timestamp)
  case renumber(RenumberScope, Lineage, Int64)
  case moveDueItems(Timestamp)
  case rebuild
  case sweep(Timestamp)
  case overlay(Timestamp)
  case claimTray
  case drain

  /// The call with its arguments, cut at 400 characters.
  ///
  /// Not a `description`: `String(describing:)` would call it recursively.
  var words: String { String(String(describing: self).prefix(400)) }

  /// Performs the call and returns its result as text.
  func perform(on cache: any CacheStorage) throws -> String {
    switch self {
    case .apply(let chunk, let now): "\(try cache.apply(chunk, now: now))"
    case .enqueue(let operations, let now, let grace):
      "\(try cache.enqueue(operations, now: now, sealAfter: grace))"
    case .cancel(let id, let now): "\(try cache.cancel(id, now: now) as Any)"
    case .seal(let which, let now): "\(try cache.seal(which, now: now) as Any)"
    case .acknowledge(let answers, let sequence, let now):
      "\(try cache.acknowledge(answers, sequence: sequence, now: now))"
    case .renumber(let scope, let lineage, let first):
      "\(try cache.renumber(scope, lineage: lineage, from: first))"
    case .moveDueItems(let now): "\(try cache.moveDueItems(now: now, limit: 5))"
    case .rebuild: "\(try cache.beginRebuild(epoch: Epoch("e")))"
    case .sweep(let now): "\(try cache.sweepOldGenerations(limit: 4, now: now))"
    case .overlay(let now): "\(try cache.overlayBulk(limit: 3, now: now))"
    case .claimTray: "\(try cache.claimTrayAnnouncements(limit: 3))"
    case .drain:
      // The memory cache has no index, so it never has more waiting.
      "\(try cache.drainIndexQueue(limit: 7) && false)"
    }
  }
}

/// Makes calls that a store and a user could cause, and some that they should not.
struct RandomHistory {
  let itemCount: Int64 = 24
  var numbers: SeededNumbers
  var sequence: Int64 = 0
  var operations: Int64 = 0
  var now = CacheFixture.start

  init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  mutating func next(_ cache: any CacheStorage) throws -> CacheAction {
    now = now.advanced(by: .seconds(Int64.random(in: 0...900, using: &numbers)))
    let state = try cache.syncState()
    switch Int.random(in: 0..<22, using: &numbers) {
    case 20, 21: return .overlay(now)
    case 0..<6: return .apply(chunk(state), now)
    case 6..<11: return enqueue()
    case 11:
      return .cancel(
        operationID(Int64.random(in: 0...max(0, operations), using: &numbers)), now)
    case 12: return .seal(Bool.random(using: &numbers) ? .due : .all, now)
    case 13, 14: return acknowledge(try cache.sealedBatch(limit: 4))
    case 15: return .moveDueItems(now)
    case 16: return .sweep(now)
    case 17: return .claimTray
    case 18: return .drain
    default:
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: return .rebuild
      case 1: return .renumber(.everything, Lineage("l\(operations)"), 1)
      case 2: return .renumber(.unanswered, Lineage("m\(operations)"), 1)
      default: return .drain
      }
    }
  }

  private mutating func chunk(_ state: SyncState) -> ChangeChunk {
    let known = state.appliedThrough.rawValue
    let changes = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in change() }
    // Sometimes the store was started again, and sometimes base is from a lost history.
    let valid =
      Int.random(in: 0..<6, using: &numbers) == 0
      ? SequenceNumber(max(0, known + Int64.random(in: -2...6, using: &numbers))) : nil
    let isStale = Int.random(in: 0..<12, using: &numbers) == 0
    let hasEnd = Int.random(in: 0..<4, using: &numbers) > 0
    if let token = state.token, state.firstSync?.pagesAreIn ?? true || Bool.random(using: &numbers)
    {
      return ChangeChunk(
        request: .delta(since: isStale ? DeltaToken("other") : token),
        generation: state.generation, changes: changes,
        end: hasEnd
          ? .delta(
            DeltaToken("t\(sequence)"), at: SequenceNumber(sequence),
            isCaughtUp: Bool.random(using: &numbers)) : nil, validThrough: valid)
    }
    let isLast = Int.random(in: 0..<3, using: &numbers) == 0
    return ChangeChunk(
      request: .page(state.firstSync?.nextPage),
      generation: state.generation - (isStale ? 1 : 0), changes: changes,
      end: hasEnd
        ? .page(
          next: isLast ? nil : PageCursor("p\(sequence)"), start: DeltaToken("t\(sequence)"),
          startSequence: SequenceNumber(sequence)) : nil, validThrough: valid)
  }

  private mutating func change() -> Change {
    sequence += 1
    let number = Int64.random(in: 1...itemCount, using: &numbers)
    let kind = Int.random(in: 0..<12, using: &numbers)
    if kind == 10 { return .app(settings(at: sequence)) }
    if kind == 11 { return ruleRow(at: sequence) }
    // Sometimes an old row, late.
    let at = kind == 9 ? max(1, sequence - 8) : sequence
    if kind == 8 { return .removed(itemID(number), sequence: SequenceNumber(at)) }
    let item = item(number, at: at)
    return kind < 5 ? .item(item) : .state(item.id, item.state)
  }

  private mutating func item(_ number: Int64, at sequence: Int64) -> UserNotification {
    let resurfaces = Int.random(in: 0..<4, using: &numbers) == 0
    let arrival =
      resurfaces
      ? now : CacheFixture.start.advanced(by: .seconds(Int64.random(in: 0...2, using: &numbers)))
    return makeItem(
      number, ["item", "words", "备份全文搜索测试"].randomElement(using: &numbers),
      app: ["ci", "nas", "shop"].randomElement(using: &numbers) ?? "ci",
      group: [nil, "a", "b"].randomElement(using: &numbers) ?? nil, sequence: sequence,
      arrival: arrival
    ) { item in
      item.content.priority = Priority.allCases.randomElement(using: &numbers) ?? .normal
      item.content.tags = Bool.random(using: &numbers) ? [] : ["one", "two\nlines", "\\", ""]
      if Int.random(in: 0..<8, using: &numbers) == 0 { item.content.visual = nil }
      if Int.random(in: 0..<6, using: &numbers) == 0 {
        item.content.expiration = now.advanced(by: .seconds(1800))
      }
      if Int.random(in: 0..<6, using: &numbers) == 0 {
        item.content.deliverAt = now.advanced(by: .seconds(1200))
        item.arrival = now.advanced(by: .seconds(1200))
      }
      if Int.random(in: 0..<6, using: &numbers) == 0 {
        item.content.displayTimeToLive = .seconds(600)
      }
      if Int.random(in: 0..<4, using: &numbers) == 0, item.content.deliverAt == nil {
        item.content.trigger = makeTrigger(using: &numbers)
      }
      makeRepeat(&item, at: now, using: &numbers)
      // In a text it is not a key.
      item.content.extras.actions = [.init(id: "rerun", title: "Rerun ✓ \"attachments\":[{")]
      if sequence % 3 == 0 {
        item.content.extras.attachments =
          sequence % 2 == 0 ? [] : [.init(name: "a/b", url: "/file/x")]
      }
      makeEffect(&item, using: &numbers)
      if Bool.random(using: &numbers) {
        var change = RegisterChange(
          at: now, by: Author(kind: .device, id: "d2", name: "desktop ✓"),
          operation: Bool.random(using: &numbers) ? operationID(-1 - sequence + 5000) : nil,
          occurrence: item.content.trigger == nil ? nil : makeOccurrence(using: &numbers))
        item.state.readState = item.state.readState.setting(.read, change: change)
        if Bool.random(using: &numbers) { change.choice = choice() }
        change.choice?.title = "Rerun ✓"
        item.state.userActionState = item.state.userActionState.setting(
          [.dismissed, .noInteraction, .snoozed(until: now.advanced(by: .seconds(700)))]
            .randomElement(using: &numbers) ?? .activated, change: change)
      }
    }
  }

  private mutating func enqueue() -> CacheAction {
    let made = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
      operations += 1
      if Int.random(in: 0..<8, using: &numbers) == 0 {
        let content = self.item(1, at: sequence).content
        return Operation(id: operationID(operations), publishing: content, at: now)
      }
      if Int.random(in: 0..<6, using: &numbers) == 0 { return ruleOperation() }
      let commands: [ItemCommand] = [
        .read, .unread, .dismiss, .activate, .restore, .pin, .delete,
        .snooze(until: now.advanced(by: .seconds(1000))),
      ]
      let item = Int64.random(in: 1...itemCount, using: &numbers)
      var operation = makeOperation(
        operations, commands.randomElement(using: &numbers) ?? .read, on: item,
        seen: Bool.random(using: &numbers) ? sequence : nil)
      if Int.random(in: 0..<8, using: &numbers) == 0 {
        operation.mutation = .set(StateChange(applied: makeEffect(using: &numbers)))
      }
      if Int.random(in: 0..<5, using: &numbers) == 0 {
        operation.target = .items([itemID(item), itemID(1 + item % itemCount)])
        operation.occurrences = .labels([itemID(item): makeOccurrence(using: &numbers)])
      } else if Int.random(in: 0..<4, using: &numbers) == 0 {
        makeBulk(&operation)
        if operation.target.through != nil {
          operation.occurrences = .through(now.advanced(by: .seconds(-300)))
        }
      } else if case .set(var change) = operation.mutation, change.userActionState == .activated {
        change.choice = choice()
        operation.mutation = .set(change)
      } else if Bool.random(using: &numbers) {
        operation.occurrences = .label(makeOccurrence(using: &numbers))
      }
      return operation
    }
    return .enqueue(made, now, Bool.random(using: &numbers) ? nil : .seconds(600))
  }

  private mutating func choice() -> ActionChoice {
    ActionChoice(
      id: ["rerun", "gone"].randomElement(using: &numbers) ?? "",
      text: [nil, "", "a line ✓"].randomElement(using: &numbers) ?? nil)
  }

  private mutating func makeBulk(_ operation: inout BellhopModel.Operation) {
    operation.seen = nil
    if Bool.random(using: &numbers), operations > 1 {
      operation.target = .setBy(operationID(Int64.random(in: 1..<operations, using: &numbers)))
      operation.mutation = .restorePrevious
      return
    }
    let bound = max(0, sequence - Int64.random(in: 0...3, using: &numbers))
    if Int.random(in: 0..<3, using: &numbers) == 0 {
      operation = makeApplication(operations, through: bound, at: now, using: &numbers)
      return
    }
    var predicate = Predicate()
    predicate.app = [nil, "ci", "nas"].randomElement(using: &numbers) ?? nil
    predicate.group = [nil, nil, "a"].randomElement(using: &numbers) ?? nil
    predicate.readState = [nil, .unread, .read].randomElement(using: &numbers) ?? nil
    predicate.userActionState =
      [nil, .noInteraction, .dismissed, .snoozed].randomElement(using: &numbers) ?? nil
    if Int.random(in: 0..<4, using: &numbers) == 0 { predicate.minimumPriority = .normal }
    if Int.random(in: 0..<4, using: &numbers) == 0 { predicate.arrivedBefore = now }
    if Int.random(in: 0..<4, using: &numbers) == 0 { predicate.arrivedSince = CacheFixture.start }
    operation.target = .matching(predicate, through: SequenceNumber(bound))
  }

  private mutating func acknowledge(_ batch: OutboxBatch) -> CacheAction {
    let answers = batch.operations.map { sealed in
      let results: [OperationResult] = [
        .applied, .applied, .alreadyApplied, .superseded, .gone, .refused(latest: now),
      ]
      return OperationAnswer(
        id: sealed.operation.id, result: results.randomElement(using: &numbers) ?? .applied)
    }
    sequence += Int64(answers.count)
    return .acknowledge(answers, SequenceNumber(sequence), now)
  }
}
