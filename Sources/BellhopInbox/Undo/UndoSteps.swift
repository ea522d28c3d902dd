import BellhopModel

/// The steps that can be undone or redone.
struct UndoSteps: Sendable {
  /// The steps that can be undone, most recent last.
  private(set) var done: [UndoEntry] = []
  /// The steps undone since the last change, most recent last.
  private(set) var undone: [UndoEntry] = []

  /// The maximum number of steps, more than users remember.
  static let countMax = 100

  /// Forgets the undone steps, because a new change begins.
  mutating func forgetUndone() { undone = [] }

  /// Replaces the steps that can be redone.
  mutating func restoreUndone(_ entries: [UndoEntry]) { undone = entries }

  mutating func popDone() -> UndoEntry? { done.popLast() }
  mutating func popUndone() -> UndoEntry? { undone.popLast() }

  /// Adds a step that was done or redone.
  mutating func push(_ entry: UndoEntry) {
    done.append(entry)
    if done.count > Self.countMax { done.removeFirst(done.count - Self.countMax) }
  }

  /// Adds a step that was undone.
  mutating func pushUndone(_ entry: UndoEntry) { undone.append(entry) }

  /// Records that an operation has set registers of an item; every step on it expects that from now
  /// on.
  mutating func expect(_ operation: OperationID, after change: StateChange, on key: ItemKey) {
    forEach { $0.expect(operation, after: change, on: key) }
  }

  /// Records which of the planned operations for whole lists were made.
  mutating func keep(_ operations: [OperationID]) { forEach { $0.keep(operations) } }

  /// Forgets the steps whose operations failed.
  mutating func forget(_ operations: [OperationID]) {
    let failed: (UndoEntry) -> Bool = { entry in
      entry.operations.contains { operations.contains($0.operation) }
    }
    done.removeAll(where: failed)
    undone.removeAll(where: failed)
  }

  /// Forgets the steps that could be undone on any of the items.
  mutating func forgetDone(on keys: Set<ItemKey>) {
    done.removeAll { entry in entry.lines.contains { keys.contains($0.before.key) } }
  }

  /// Forgets the deletes that could be repeated.
  mutating func forgetDeletesAgain() {
    undone.removeAll { if case .deleteAgain = $0.kind { true } else { false } }
  }

  private mutating func forEach(_ body: (inout UndoEntry) -> Void) {
    for index in done.indices { body(&done[index]) }
    for index in undone.indices { body(&undone[index]) }
  }
}
