import BellhopModel
import BellhopStore

/// The content of the store, followed and checked commit by commit.
///
/// Each change of a row must have a cause that justifies it, by a second and simpler implementation
/// of the rules.
struct Truth {
  /// One commit, as it was read back.
  struct Commit {
    var counters: UserCounters
    /// The rows with a sequence above the previous one.
    var changed: [StoredRow]
    /// The ids of all rows; nil for a commit that cannot remove rows.
    var present: Set<NotificationID>?
    /// The settings of all apps.
    var settings: [AppSettings]
    /// The registered devices.
    var devices: Set<DeviceID> = []
    /// Those of them that are registered for development.
    var developers: Set<DeviceID> = []
    /// The waits of publishers for answers to changed items.
    var responses: [AwaitedResponse] = []
    var now: Timestamp
  }

  private(set) var rows: [NotificationID: StoredRow] = [:]
  private(set) var counters = UserCounters()
  private(set) var settings = SettingsTruth()
  private var responses = ResponseTruth()
  /// The devices that are registered for development.
  private(set) var developers: Set<DeviceID> = []
  /// Whether the author of the last commit receives items for development.
  private(set) var isByDeveloper = true
  /// The user's sequence at the start of each bulk operation, and the latest time at which it ran.
  private var bulkBegun: [OperationID: (sequence: SequenceNumber, latest: Timestamp)] = [:]
  /// The results of rejected operations.
  private var refusals: [OperationID: OperationResult] = [:]
  private var finishedBulk: Set<OperationID> = []
  /// The items written while a bulk operation was in progress, with their sequences.
  private var writtenBetween: [NotificationID: SequenceNumber] = [:]
  /// The violations of the last commit.
  private(set) var violations: [String] = []
  /// The items that operations changed in the last commit, in their earlier state.
  private(set) var touched: [(operation: Operation, before: UserNotification)] = []
  private let tombstoneLife: Duration
  /// The retention of items whose app has no other setting.
  private let retention: Duration
  /// The minimum stay of an item after its snooze.
  private let snoozedStay: Duration
  /// The shortest retention: items older than this may have left.
  private var shortestRetention: Duration { min(retention, .seconds(86_400)) }

  init(limits: StoreLimits) {
    tombstoneLife = limits.tombstoneLife
    retention = limits.retention
    snoozedStay = limits.snoozedStay
  }

  func live(_ id: NotificationID) -> UserNotification? {
    if case .live(let item)? = rows[id] { item } else { nil }
  }

  func isTombstone(_ id: NotificationID) -> Bool {
    if case .tombstone? = rows[id] { true } else { false }
  }

  /// Adopts the current state, after a restore or a rollback.
  mutating func adopt(
    _ rows: [StoredRow], _ counters: UserCounters, _ settings: [AppSettings],
    _ responses: [AwaitedResponse], _ developers: Set<DeviceID>
  ) {
    self.developers = developers
    self.settings.adopt(settings)
    self.responses.adopt(responses)
    self.rows = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    self.counters = counters
  }

  /// Checks a commit and follows it.
  ///
  /// - Parameter device: The device that sent the operations.
  mutating func note(
    _ commit: Commit, because cause: CommitCause, by device: DeviceID? = nil
  ) {
    touched = []
    developers = commit.developers
    isByDeveloper = device.map(developers.contains) ?? true
    violations = settings.note(
      commit, after: counters.sequence, because: cause, by: device)
    checkSequences(commit)
    switch cause {
    case .publication(let content, let isQuiet): check(content, isQuiet: isQuiet, commit)
    case .withdrawal: checkRemovals(commit.changed) { _ in true }
    case .cancellation(let id): checkCancellation(of: id, commit)
    case .removal(let id): checkRemoval(of: id, commit)
    case .operations(let done, let underWay): check(done, underWay, commit)
    case .sweep:
      let over = Set(
        commit.changed.compactMap { live($0.id) }.filter { isOver($0, at: commit.now) }.map(\.id))
      checkRemovals(commit.changed) { over.contains($0.id) }
    case .category, .configuration, .other:
      for row in commit.changed { violate("\(words(row)) changed without a cause") }
    }
    if let present = commit.present { checkVanished(present, commit) }
    let hasBulk =
      if case .operations(let done, let underWay) = cause {
        underWay != nil || done.contains { $0.0.isBulkTarget }
      } else { false }
    violations += responses.check(commit.responses, mayBeNew: hasBulk)
    for row in commit.changed { rows[row.id] = row }
    counters = commit.counters
  }

  /// Records rows that were written between the reading of a bulk operation's chunk and its write.
  ///
  /// The operation need not have changed them.
  mutating func noteBetween(_ changed: [StoredRow]) {
    for row in changed { writtenBetween[row.id] = row.sequence }
  }

  /// Checks that a complete sweep has left no item that is due to leave.
  mutating func checkSwept(at now: Timestamp) {
    violations = []
    for case .live(let item) in rows.values where isOver(item, at: now) {
      violate("#\(item.shortNumber) should have been removed by a sweep")
    }
  }

  /// Returns whether the item must leave with the next sweep.
  private func isOver(_ item: UserNotification, at now: Timestamp) -> Bool {
    end(of: item, at: now).map { $0 <= now } ?? false
  }

  /// Returns the time at which the item leaves unless renewed; nil if it is pinned (SYNC-12).
  ///
  /// An item with a trigger stays until after its last occurrence.
  private func end(of item: UserNotification, at now: Timestamp) -> Timestamp? {
    if item.state.pinned.value { return nil }
    if let expiration = item.content.expiration { return expiration }
    let days = settings.retentionDays(of: item.content.app)
    let stay = days.map { Duration.seconds(Int64($0) * 86_400) } ?? retention
    let delivered =
      PlainOccurrence.next(item, after: now, zone: zone)
      ?? PlainOccurrence.latest(item, at: now, zone: zone)?.time
    let end = (delivered ?? item.arrival).advanced(by: stay)
    let action = item.state.userActionState
    let wake: Timestamp?
    if case .snoozed(let until) = action.value {
      wake = until
    } else if case .snoozed? = action.previous {
      wake = action.change?.at
    } else {
      wake = nil
    }
    return max(end, wake?.advanced(by: snoozedStay) ?? end)
  }

  /// The offset from UTC of the user's zone, in seconds.
  var zone: Int { settings.zone }

  mutating func violate(_ text: String) { violations.append(text) }

  private func words(_ row: StoredRow) -> String { "#\(row.shortNumber)" }

  // MARK: Checks of every commit

  private mutating func checkSequences(_ commit: Commit) {
    if commit.counters.sequence < counters.sequence { violate("the store's sequence went back") }
    if commit.counters.floor < counters.floor { violate("the store's floor went back") }
    var seen: Set<SequenceNumber> = []
    for row in commit.changed {
      if !seen.insert(row.sequence).inserted { violate("two rows have \(row.sequence)") }
      if row.sequence > commit.counters.sequence {
        violate("\(words(row)) is ahead of the counter")
      }
      if case .live(let item) = row {
        if isTombstone(row.id) { violate("\(words(row)) came back at the store") }
        if item.state.contentSequence > item.state.sequence {
          violate("\(words(row)) has content from later than its last change")
        }
      }
    }
  }

  /// Checks that rows vanish only as tombstones that are old enough and not above the floor.
  private mutating func checkVanished(_ present: Set<NotificationID>, _ commit: Commit) {
    for (id, row) in rows where !present.contains(id) {
      guard case .tombstone(let tombstone) = row else {
        violate("\(words(row)) vanished without a tombstone")
        continue
      }
      if tombstone.sequence > commit.counters.floor {
        violate("a tombstone above the floor was dropped")
      }
      if tombstone.deleted.advanced(by: tombstoneLife) > commit.now {
        violate("a tombstone was dropped too early")
      }
      rows[id] = nil
    }
  }

  private mutating func checkRemovals(
    _ changed: [StoredRow], _ mayGo: (UserNotification) -> Bool
  ) {
    for row in changed {
      guard case .tombstone = row else {
        violate("\(words(row)) changed during a step that only removes rows")
        continue
      }
      guard let old = live(row.id) else {
        violate("\(words(row)) was deleted, but did not exist")
        continue
      }
      if !mayGo(old) { violate("\(words(row)) was removed, but should have stayed") }
    }
  }

  // MARK: Operations

  private mutating func check(
    _ done: [(Operation, OperationResult)], _ underWay: Operation?, _ commit: Commit
  ) {
    let done = done.filter { $0.0.app == nil || settings.crossings[$0.0.id] != nil }
    let new = done.filter { $0.1 != .alreadyApplied }
    let bulk = (new.map(\.0) + (underWay.map { [$0] } ?? [])).filter(\.isBulkTarget)
    for operation in bulk {
      let begun = bulkBegun[operation.id] ?? (counters.sequence, commit.now)
      bulkBegun[operation.id] = (begun.sequence, max(begun.latest, commit.now))
    }
    if bulk.isEmpty {
      checkNamed(new, commit)
    } else {
      // A rejection is final, even if it came before an operation that it needs, as in a restored
      // store.
      // A choice after the answer changes nothing; the answer may be part of this commit.
      let effective =
        new.filter { !isRefused($0, as: $1) && !($0.isChoice && $1 == .superseded) }.map(\.0)
        + (underWay.map { [$0] } ?? [])
      for row in commit.changed { checkMixed(row, effective, at: commit.now) }
      for (operation, result) in new where result != .applied && !operation.isBulkTarget {
        refusals[operation.id] = refusals[operation.id] ?? result
      }
    }
    for (operation, _) in done where operation.isBulkTarget {
      checkFinished(operation, changed: commit.changed, at: commit.now)
    }
  }

  private mutating func checkNamed(
    _ done: [(Operation, OperationResult)], _ commit: Commit
  ) {
    var expected = rows
    var mayChange: Set<NotificationID> = []
    for (operation, result) in done {
      if let crossings = settings.crossings[operation.id] {
        for (id, row) in expected {
          guard case .live(let item) = row, !item.isOver(at: commit.now),
            let after = PlainCrossing.crossed(item, by: crossings)
          else { continue }
          expected[id] = .live(after)
          mayChange.insert(id)
        }
        continue
      }
      if isRefused(operation, as: result) { continue }
      if result != .applied { refusals[operation.id] = result }
      let plain = PlainRules.apply(
        operation, to: &expected, at: commit.now, zone: zone, hasAction: mayChoose)
      if !operation.isBulkTarget { noteAnswers(operation, plain.changed) }
      for before in plain.changed {
        mayChange.insert(before.id)
        touched.append((operation, before))
      }
      if plain.result != result {
        violate("\(operation.id) had the result \(result) instead of \(plain.result)")
      }
    }
    for row in commit.changed {
      if !mayChange.contains(row.id) {
        violate("\(words(row)) changed without an operation")
      } else if !PlainRules.isSame(row, expected[row.id]) {
        violate("\(words(row)) differs from the result of the operations")
      }
    }
    let changed = Set(commit.changed.map(\.id))
    for id in mayChange where !changed.contains(id) {
      violate("an operation on \(id) was answered, but changed nothing")
    }
  }

  /// Returns whether the operation was rejected in an earlier commit.
  ///
  /// A rejection is final, so that the user learns of it even if the first response was lost.
  private mutating func isRefused(_ operation: Operation, as result: OperationResult) -> Bool {
    guard let refusal = refusals[operation.id] else { return false }
    if result != refusal { violate("\(operation.id) was \(refusal), and now is \(result)") }
    return true
  }

  /// Checks a row that bulk operations may have changed, in this chunk or in an earlier or later
  /// one.
  ///
  /// Some order of the operations, with or without the bulk operations, must explain the row.
  private mutating func checkMixed(
    _ row: StoredRow, _ operations: [Operation], at now: Timestamp
  ) {
    guard let old = live(row.id) else {
      return violate("\(words(row)) was changed by an operation, but did not exist")
    }
    var candidates: [(row: [NotificationID: StoredRow], by: [Operation])] = [
      ([row.id: .live(old)], [])
    ]
    for operation in operations {
      let alone = operation.on(row.id)
      for (index, candidate) in candidates.enumerated() {
        // An earlier operation may have unpinned the item, so that it has expired.
        guard case .live(let item)? = candidate.row[row.id], !item.isOver(at: now) else {
          continue
        }
        var after = candidate.row
        if let crossings = settings.crossings[operation.id] {
          guard let crossed = PlainCrossing.crossed(item, by: crossings) else { continue }
          after[row.id] = .live(crossed)
          candidates[index] = (after, candidate.by + [operation])
          continue
        }
        guard PlainRules.isMeant(item, by: operation), reachesAuthor(item) else { continue }
        guard
          PlainRules.apply(alone, on: row.id, to: &after, at: now, zone: zone, hasAction: mayChoose)
            .isChanged
        else { continue }
        let next = (after, candidate.by + [operation])
        if operation.isBulkTarget { candidates.append(next) } else { candidates[index] = next }
      }
    }
    guard
      let found = candidates.first(where: {
        PlainRules.isSame(row, $0.row[row.id]) && !$0.by.isEmpty
      })
    else {
      return violate("\(words(row)) differs from the result of every operation")
    }
    for operation in found.by { touched.append((operation, old)) }
  }

  /// Checks that a completed bulk operation has left out no item that existed when it began.
  ///
  /// Items that had expired at a time at which it ran are excluded, even if the clock was set back
  /// since.
  private mutating func checkFinished(
    _ operation: Operation, changed: [StoredRow], at now: Timestamp
  ) {
    guard finishedBulk.insert(operation.id).inserted,
      let begun = bulkBegun[operation.id]
    else { return }
    let latest = max(now, begun.latest)
    let current = Dictionary(changed.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    for (id, row) in rows {
      guard case .live(let item) = current[id] ?? row, item.state.sequence <= begun.sequence,
        writtenBetween[id] != item.state.sequence, !item.isOver(at: latest),
        item.arrival.advanced(by: shortestRetention) > latest,
        PlainRules.isMeant(item, by: operation), reachesAuthor(item)
      else { continue }
      var after: [NotificationID: StoredRow] = [id: .live(item)]
      if PlainRules.apply(operation.on(id), on: id, to: &after, at: now, zone: zone).isChanged {
        violate("\(operation.id) is done, but left #\(item.shortNumber) out")
      }
    }
  }
}

extension Truth {
  /// Returns whether an item has the action that was chosen, and has no answer yet.
  private func mayChoose(_ choice: ActionChoice, _ item: UserNotification) -> Bool {
    settings.hasAction(choice, item) && !responses.isAnswered(item)
  }

  private mutating func noteAnswers(_ operation: Operation, _ items: [UserNotification]) {
    for item in items { responses.note(operation, on: item, settings.of(item.content.app)) }
  }
}
