import BellhopModel
import BellhopStore

extension Truth {
  /// Checks that operations had the effects that they must have, and no others.
  ///
  /// - Parameter underWay: A bulk operation of which the commit is a part.
  mutating func check(
    _ done: [(Operation, OperationResult)], _ underWay: Operation?, _ commit: Commit
  ) {
    let done = done.filter {
      $0.0.rule == nil && ($0.0.app == nil || settings.crossings[$0.0.id] != nil)
    }
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
      var effective =
        new.filter { !isRefused($0, as: $1) && !$1.isRefusal(of: $0) }.map(\.0)
        + (underWay.map { [$0] } ?? [])
      noteStored(effective, commit.changed)
      var present = rows
      for row in commit.changed { present[row.id] = row }
      effective = effective.map { located($0, in: present) }
      for row in commit.changed { checkMixed(row, effective, at: commit.now) }
      for (operation, result) in new where result != .applied && !operation.isBulkTarget {
        refusals[operation.id] = refusals[operation.id] ?? result
      }
    }
    for (operation, result) in done where operation.isBulkTarget {
      // A rule that has changed was applied to no item.
      if operation.ruleToApply != nil, result == .superseded { continue }
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
      if checkPublication(operation, result, &expected, &mayChange, at: commit.now) { continue }
      let plain = PlainRules.apply(
        located(operation, in: expected), to: &expected, at: commit.now, zone: zone,
        hasAction: mayChoose, made: made)
      if case .reschedule = operation.mutation, let id = plain.changed.first?.id,
        case .live(let item)? = expected[id]
      {
        made[operation.id] = item.state.contentSequence
      }
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
    checkNumbers(of: commit.changed)
    noteMade(commit.changed, expected)
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
    let publication = operations.first { PlainPublication.id(of: $0.id) == row.id }
    guard live(row.id) != nil || publication != nil else {
      return violate("\(words(row)) was changed by an operation, but did not exist")
    }
    let start: Rows = live(row.id).map { [row.id: StoredRow.live($0)] } ?? [:]
    // Each with the operations that led to it, and what the item was before each one.
    var candidates: [(row: Rows, by: [(operation: Operation, before: UserNotification?)])] = [
      (start, [])
    ]
    for operation in operations {
      let alone = operation.on(row.id)
      for (index, candidate) in candidates.enumerated() {
        if let after = published(by: operation, as: row.id, candidate.row, at: now) {
          candidates.append((after, candidate.by + [(operation, nil)]))
          continue
        }
        // An earlier operation may have unpinned the item, so that it has expired.
        guard case .live(let item)? = candidate.row[row.id], !item.isOver(at: now) else {
          continue
        }
        var after = candidate.row
        if let crossings = settings.crossings[operation.id] {
          guard let crossed = PlainCrossing.crossed(item, by: crossings) else { continue }
          after[row.id] = .live(crossed)
          candidates[index] = (after, candidate.by + [(operation, item)])
          continue
        }
        guard PlainRules.isMeant(item, by: operation), reachesAuthor(item) else { continue }
        guard
          PlainRules.apply(alone, on: row.id, to: &after, at: now, zone: zone, hasAction: mayChoose)
            .isChanged
        else { continue }
        let next = (after, candidate.by + [(operation, Optional(item))])
        // Whether the content that the device made itself is still there is not known here.
        if operation.isBulkTarget || operation.seenOperations != nil {
          candidates.append(next)
        } else {
          candidates[index] = next
        }
      }
    }
    guard
      let found = candidates.first(where: {
        PlainRules.isSame(row, $0.row[row.id]) && !$0.by.isEmpty
      })
    else {
      return violate("\(words(row)) differs from the result of every operation")
    }
    for (operation, before) in found.by {
      if let before { touched.append((operation, before)) }
      let publishes = PlainPublication.content(of: operation) != nil
      let setsSchedule = if case .reschedule = operation.mutation { true } else { false }
      if publishes || setsSchedule, case .live(let item) = row {
        made[operation.id] = item.state.contentSequence
      }
    }
  }

  /// Records the numbers of content that operations made in a commit.
  ///
  /// Content that was replaced in the same commit has no number.
  private mutating func noteMade(
    _ changed: [StoredRow], _ expected: [NotificationID: StoredRow]
  ) {
    for (operation, mark) in made where mark < .zero {
      made[operation] = nil
      for case .live(let item) in changed {
        guard case .live(let new)? = expected[item.id], new.state.contentSequence == mark else {
          continue
        }
        made[operation] = item.state.contentSequence
      }
    }
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

extension OperationResult {
  /// Whether an operation with this result had no effect, for a reason that is checked elsewhere.
  fileprivate func isRefusal(of operation: Operation) -> Bool {
    if case .notPublished = self { return true }
    return (operation.isChoice || operation.ruleToApply != nil) && self == .superseded
  }
}
