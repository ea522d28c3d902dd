import BellhopModel

/// The steps that can be taken back, and those that can be done again.
struct UndoSteps: Sendable {
  /// The last step at the end.
  private(set) var done: [UndoEntry] = []
  /// The steps that were taken back since the last change, the last one at the end.
  private(set) var undone: [UndoEntry] = []

  /// More steps back than a person remembers.
  static let countMax = 100

  /// Ends the chance to do again what was undone: a new change begins.
  mutating func forgetUndone() { undone = [] }

  /// Replaces the steps that can be done again.
  mutating func restoreUndone(_ entries: [UndoEntry]) { undone = entries }

  mutating func popDone() -> UndoEntry? { done.popLast() }
  mutating func popUndone() -> UndoEntry? { undone.popLast() }

  /// Adds a step that was done, or done again.
  mutating func push(_ entry: UndoEntry) {
    done.append(entry)
    if done.count > Self.countMax { done.removeFirst(done.count - Self.countMax) }
  }

  /// Adds a step that was taken back.
  mutating func pushUndone(_ entry: UndoEntry) { undone.append(entry) }

  /// Notes that an operation has set registers of an item: every step on it expects that from now on.
  mutating func expect(_ operation: OperationID, after change: StateChange, on key: ItemKey) {
    forEach { $0.expect(operation, after: change, on: key) }
  }

  /// Notes which operations were made, of those that were foreseen for whole lists.
  mutating func keep(_ operations: [OperationID]) { forEach { $0.keep(operations) } }

  /// Forgets the steps whose operations failed.
  mutating func forget(_ operations: [OperationID]) {
    let failed: (UndoEntry) -> Bool = { entry in
      entry.operations.contains { operations.contains($0.operation) }
    }
    done.removeAll(where: failed)
    undone.removeAll(where: failed)
  }

  /// Forgets the steps that can be taken back on any of the items.
  mutating func forgetDone(on keys: Set<ItemKey>) {
    done.removeAll { entry in entry.lines.contains { keys.contains($0.before.key) } }
  }

  /// Forgets the deletes that could be made again.
  mutating func forgetDeletesAgain() {
    undone.removeAll { if case .deleteAgain = $0.kind { true } else { false } }
  }

  private mutating func forEach(_ body: (inout UndoEntry) -> Void) {
    for index in done.indices { body(&done[index]) }
    for index in undone.indices { body(&undone[index]) }
  }
}
