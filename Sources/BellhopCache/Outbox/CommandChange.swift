package import BellhopModel

/// A change that a command made, kept for `bellhop undo`.
package struct CommandChange: Hashable, Sendable, Codable {
  /// The change in words, for the line that confirms the undo: `dismissed #12 "build 412" (ci)`.
  package var summary: String
  /// The operations that set back the registers that still have the command's values (SYNC-7).
  package var undo: [Operation]
  /// The deletes, which can be cancelled while they are held (SYNC-8).
  package var deletes: [OperationID]
  /// The name of the item, app or rule if it is only one: `#12`, `ci.example.com`, `The rule “ci”`.
  package var subject: String?
  /// The operation that changed an app's settings or one rule, or applied one; nil otherwise.
  ///
  /// Settings are set back only while they are as this operation set them. The same holds for the
  /// order of a rule and for whether it is enabled, which no revision guards.
  package var settings: Operation?

  package init(
    summary: String, undo: [Operation] = [], deletes: [OperationID] = [], subject: String? = nil,
    settings: Operation? = nil
  ) {
    self.summary = summary
    self.undo = undo
    self.deletes = deletes
    self.subject = subject
    self.settings = settings
  }

  /// Whether there is nothing to undo.
  package var isEmpty: Bool { undo.isEmpty && deletes.isEmpty }
}

/// The result of undoing a command's change.
package struct UndoneChange: Hashable, Sendable {
  package var change: CommandChange
  /// The deletes that were cancelled. Their items are back.
  package var cancelled: [OperationID]
  /// The items whose shown state changed.
  package var items: [NotificationID]
  /// The operations that set something back.
  ///
  /// Their items still exist, and their settings were not changed again since.
  package var operations: [Operation] = []

  /// Whether a delete was already on its way to the store, or there.
  package var isTooLate: Bool { cancelled.count < change.deletes.count }

  /// The number of operations on items that were deleted since, or on settings that were changed
  /// again.
  package var obsoleteCount: Int { change.undo.count - operations.count }
}

extension SQLiteCache {
  /// The maximum number of changes kept for `bellhop undo`. Older changes are removed.
  static let commandChangesMax = 20

  /// Appends a command's operations to the outbox, and saves how to undo them.
  ///
  /// Both happen in one transaction, which survives a power loss.
  ///
  /// - Parameter grace: The time for which the operations are held, without an owner. The engine
  ///   that runs at its end sends them. Nil seals them at once.
  /// - Throws: ``CacheError``; nothing has changed then.
  package func enqueue(
    _ operations: [Operation], remembering change: CommandChange, now: Timestamp,
    grace: Duration? = nil
  ) throws(CacheError) {
    try write(synced: !Mutant.outboxNotSynced.isOn) { logic in
      _ = try logic.enqueue(operations, now: now, sealAfter: grace, isOwned: false)
      guard !change.isEmpty else { return }
      try logic.transaction.append(change, madeAt: now)
    }
  }

  /// Undoes the last change that a command made.
  ///
  /// It cancels deletes that are still held, and appends the operations that set registers back.
  /// The next call undoes the change before.
  ///
  /// - Parameter sealsDue: Whether a delete whose grace period is over by `now` counts as sent.
  ///   Pass false while an engine runs: it seals such deletes itself, and knows when the clock was
  ///   set.
  /// - Returns: The result; nil if no change is left.
  /// - Throws: ``CacheError``; nothing has changed then.
  package func undoCommandChange(
    now: Timestamp, sealsDue: Bool = true
  ) throws(CacheError) -> UndoneChange? {
    try write(synced: true) { logic in
      guard let change = try logic.transaction.takeCommandChange() else { return nil }
      var undone = UndoneChange(change: change, cancelled: [], items: [])
      // Without an engine, the grace period follows wall-clock time. Only a process that runs
      // before and after a step of the clock detects it, and this one began after the delete. A
      // step ahead ends the period early, at most. After a step back, the delete can be undone
      // until the next engine, which seals operations that end later than any grace period does.
      if sealsDue { _ = try logic.seal(.due, now: now) }
      for id in change.deletes {
        guard let items = try logic.cancel(id, now: now) else { continue }
        undone.cancelled.append(id)
        undone.items += items
      }
      undone.operations = try change.undo.filter { try logic.canApply($0, undoing: change, now) }
      undone.items += try logic.enqueue(undone.operations, now: now, sealAfter: nil)
      try logic.transaction.expectInCommandChanges(undone.operations)
      return undone
    }
  }

  /// Removes the newest change if the given operation on settings made it.
  ///
  /// The store refused the operation, so there is nothing to undo.
  ///
  /// - Throws: ``CacheError``; nothing has changed then.
  package func forgetCommandChange(of settings: OperationID) throws(CacheError) {
    try write(synced: true) { logic in
      guard let newest = try logic.transaction.newestCommandChange(),
        newest.change.settings?.id == settings
      else { return }
      try logic.transaction.removeCommandChange(at: newest.position)
    }
  }
}

extension CacheLogic {
  /// Returns whether an operation of a command's undo still has something to set back.
  fileprivate func canApply(
    _ operation: Operation, undoing change: CommandChange, _ now: Timestamp
  ) throws -> Bool {
    switch operation.target {
    case .item(let id):
      guard let record = try transaction.item(id) else { return false }
      return record.placement != .gone
    case .app(let app):
      guard let made = change.settings else { return true }
      let current = try shownSettings(of: app) ?? AppSettings(app: app)
      return made.apply(to: current, by: author, at: now) == current
    case .rule(let id):
      let shown = try shownRules()
      guard shown.accepts(operation) else { return false }
      // The revision guards the definition only.
      guard operation.expect == nil, let made = change.settings, made.rule == id else {
        return true
      }
      return shown.isAsSet(by: made)
    case .items, .matching, .matchingRule, .setBy: return true
    }
  }
}

extension SQLiteTransaction {
  fileprivate func append(_ change: CommandChange, madeAt: Timestamp) throws {
    try statement("INSERT INTO command_change (made_at, change) VALUES (?, ?)")
      .bind(madeAt).bind(try JSON.encode(change)).run()
    try statement("DELETE FROM command_change WHERE position <= last_insert_rowid() - ?")
      .bind(SQLiteCache.commandChangesMax).run()
  }

  /// Makes earlier changes expect the operations that just set registers back.
  ///
  /// These registers, and definitions of rules, are as they were after the earlier changes, but set
  /// by another operation.
  fileprivate func expectInCommandChanges(_ undone: [Operation]) throws {
    let rows = try statement("SELECT position, change FROM command_change")
      .all { (position: $0.integer(0), json: $0.text(1)) }
    for row in rows {
      var change: CommandChange = try JSON.decode(row.json)
      for index in change.undo.indices {
        let undo = change.undo[index]
        let later = undone.first { $0.setsRegistersOf(undo) || $0.makesRevision(for: undo) }
        if let later { change.undo[index].expect = later.id }
      }
      try statement("UPDATE command_change SET change = ? WHERE position = ?")
        .bind(try JSON.encode(change)).bind(row.position).run()
    }
  }

  /// Removes and returns the newest change.
  fileprivate func takeCommandChange() throws -> CommandChange? {
    guard let newest = try newestCommandChange() else { return nil }
    try removeCommandChange(at: newest.position)
    return newest.change
  }

  fileprivate func newestCommandChange() throws -> (position: Int64, change: CommandChange)? {
    let newest = try statement(
      "SELECT position, change FROM command_change ORDER BY position DESC LIMIT 1"
    ).first { (position: $0.integer(0), json: $0.text(1)) }
    return try newest.map { (position: $0.position, change: try JSON.decode($0.json)) }
  }

  fileprivate func removeCommandChange(at position: Int64) throws {
    try statement("DELETE FROM command_change WHERE position = ?").bind(position).run()
  }
}

extension Operation {
  /// Returns whether the other operation sets the same registers of the same item.
  fileprivate func setsRegistersOf(_ other: Operation) -> Bool {
    guard case .item(let id) = target, case .item(id) = other.target,
      case .set(let change) = mutation, case .set(let otherChange) = other.mutation
    else { return false }
    return ItemRegister.all.allSatisfy { $0.isSet(change) == $0.isSet(otherChange) }
  }

  /// Returns whether the operation makes the revision that the other one has to expect.
  fileprivate func makesRevision(for other: Operation) -> Bool {
    guard let rule, rule == other.rule, other.expect != nil, case .changeRule(let change) = mutation
    else { return false }
    return change.definition != nil
  }
}
