import BellhopModel

extension CacheLogic {
  func enqueue(
    _ operations: [Operation], now: Timestamp, sealAfter: Duration?, isOwned: Bool = true
  ) throws -> [NotificationID] {
    var touched: [NotificationID] = []
    var seen: Set<NotificationID> = []
    let author = author
    for var operation in operations where try transaction.entry(operation.id) == nil {
      if case .through(let time, nil)? = operation.occurrences {
        operation.occurrences = .through(
          time, utcOffset: wallClock.offsetSeconds(time, nil))
      }
      var entry = OutboxEntry(
        position: 0, operation: operation, author: author, madeAt: now)
      if let sealAfter {
        entry.sealAt = now.advanced(by: sealAfter)
        entry.owner = isOwned ? owner : nil
      } else {
        entry.number = takeNumber()
      }
      try transaction.append(entry)
      try insertLocalItem(of: operation, now: now)
      noteBulk(operation)
      touched += try self.touched(by: operation).filter { seen.insert($0).inserted }
    }
    try refresh(touched, now: now)
    return touched
  }

  func cancel(_ id: OperationID, now: Timestamp) throws -> [NotificationID]? {
    guard let entry = try transaction.entry(id), entry.number == nil else { return nil }
    try transaction.remove(entry)
    noteBulk(entry.operation)
    let touched = try touched(by: entry.operation)
    try refresh(touched, now: now)
    return touched
  }

  func seal(_ which: SealScope, now: Timestamp) throws -> Timestamp? {
    var nextDue: Timestamp?
    for var entry in try transaction.heldEntries() {
      let due = entry.sealAt ?? now
      let isDue = which != .none && due <= now && !Mutant.graceNeverEnds.isOn
      if isMeant(entry, by: which) || isDue {
        if Mutant.heldSeveralDropped.isOn, entry.operation.notificationIDs.count > 1 {
          try transaction.remove(entry)
          continue
        }
        entry.sealAt = nil
        entry.number = takeNumber()
        try transaction.update(entry)
      } else {
        nextDue = min(nextDue ?? due, due)
      }
    }
    return nextDue
  }

  /// Returns whether a held operation is sealed before its grace period is over.
  private func isMeant(_ entry: OutboxEntry, by scope: SealScope) -> Bool {
    switch scope {
    case .none, .due: false
    case .own: entry.owner == owner || Mutant.quitSealsAll.isOn
    case .all: true
    }
  }

  func sealedBatch(limit: Int) throws -> OutboxBatch {
    OutboxBatch(
      lineage: transaction.state.lineage,
      operations: try transaction.unansweredEntries(limit: limit).compactMap { entry in
        entry.number.map { NumberedOperation(number: $0, operation: entry.operation) }
      })
  }

  func acknowledge(
    _ answers: [OperationAnswer], sequence: SequenceNumber, now: Timestamp
  ) throws -> AcknowledgeOutcome {
    var outcome = AcknowledgeOutcome()
    for answer in answers {
      // Held or unknown: an answer to another lineage of the same home directory.
      guard var entry = try transaction.entry(answer.id), entry.number != nil else { continue }
      switch answer.result {
      case .applied, .alreadyApplied:
        if isContained(sequence) || Mutant.answeredLeaveAtOnce.isOn {
          try transaction.remove(entry)
          outcome.finished.append(answer.id)
        } else {
          entry.answered = sequence
          try transaction.update(entry)
        }
      case .superseded, .gone, .refused, .unacceptable, .outcomeUnknown, .notPublished:
        try transaction.remove(entry)
        try keepOutcome(of: entry, answer.result, now: now)
        outcome.rejected.append(
          RejectedOperation(operation: entry.operation, result: answer.result))
      }
      noteBulk(entry.operation)
      let touched = try touched(by: entry.operation)
      try refresh(touched, now: now)
      outcome.changed += touched
    }
    return outcome
  }

  /// Returns whether base contains everything up to the sequence.
  ///
  /// It never does during a first synchronisation: its delta skips items whose page, or whose new
  /// generation, is still to come.
  private func isContained(_ sequence: SequenceNumber) -> Bool {
    let state = transaction.state
    return state.firstSync == nil && state.token != nil && state.sequence >= sequence
  }

  func renumber(_ scope: RenumberScope, lineage: Lineage, from first: Int64) throws {
    transaction.state.lineage = lineage
    transaction.state.nextNumber = first
    var shownAgain: [NotificationID] = []
    for var entry in try transaction.sealedEntries() {
      if entry.answered != nil {
        if scope == .unanswered { continue }
        shownAgain += try touched(by: entry.operation)
        noteBulk(entry.operation)
      }
      entry.answered = nil
      entry.number = takeNumber()
      try transaction.update(entry)
    }
    // Answered operations count as pending again, and are shown as such.
    try refresh(shownAgain, now: transaction.state.lookedAt ?? .distantPast)
  }

  func hasAnswers(after sequence: SequenceNumber) throws -> Bool {
    try transaction.sealedEntries().contains { entry in
      entry.answered.map { $0 > sequence } ?? false
    }
  }

  /// The author of this device's operations.
  var author: Author { transaction.state.author ?? Author(kind: .device, id: "", name: "") }

  private func takeNumber() -> Int64 {
    let number = transaction.state.nextNumber
    transaction.state.nextNumber = number + 1
    return number
  }
}
