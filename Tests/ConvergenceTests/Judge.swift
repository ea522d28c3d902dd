import BellhopCache
import BellhopModel
import BellhopSync

/// Watches that what must never happen does not happen, and notes what was intended.
final class Judge {
  /// A person's intent and what became of it.
  struct Intent {
    var operation: Operation
    var device: Int
    /// The title that the person saw; nil for an undo, which is guarded by `expect`.
    var shownTitle: String?
    var isCancelled = false
    /// Results in the store's order: the first is the effect.
    var results: [OperationResult] = []
    /// The device was told that it did not take effect.
    var wasRejected = false
  }

  private(set) var intents: [OperationID: Intent] = [:]
  private(set) var order: [OperationID] = []
  private(set) var violations: [String] = []
  /// Per device: the highest sequence of each item in base, within a generation.
  private var seen: [Int: (generation: Int64, sequences: [NotificationID: SequenceNumber])] = [:]
  private var gone: [Int: Set<NotificationID>] = [:]

  func violate(_ text: String) {
    if violations.count < 10 { violations.append(text) }
  }

  // MARK: Intents

  func intended(_ operation: Operation, on device: Int, shownTitle: String?) {
    intents[operation.id] = Intent(operation: operation, device: device, shownTitle: shownTitle)
    order.append(operation.id)
  }

  func cancelled(_ id: OperationID) { intents[id]?.isCancelled = true }

  func rejected(_ operations: [RejectedOperation]) {
    for rejected in operations { intents[rejected.operation.id]?.wasRejected = true }
  }

  // MARK: At the store

  func itemsNamed(
    by operations: [Operation], in store: SimulatedStore
  ) -> [NotificationID: UserNotification] {
    var items: [NotificationID: UserNotification] = [:]
    for id in operations.flatMap(\.notificationIDs) { items[id] = store.item(id) }
    return items
  }

  func applied(
    _ operations: [Operation], _ results: [OperationResult],
    before: [NotificationID: UserNotification], in store: SimulatedStore
  ) {
    var touched: Set<NotificationID> = []
    for (operation, result) in zip(operations, results) {
      guard let intent = intents[operation.id] else {
        violate("the store applied \(operation.id), which nobody intended")
        continue
      }
      if result == .applied {
        touched.formUnion(operation.notificationIDs)
        if intent.results.contains(.applied) { violate("\(operation.id) was applied twice") }
        if intent.isCancelled { violate("\(operation.id) was cancelled and applied") }
        if let shown = intent.shownTitle, let id = operation.notificationIDs.first,
          let title = before[id]?.content.visual?.title, title != shown
        {
          violate("\(operation.id) was meant for '\(shown)' and landed on '\(title)'")
        }
      }
      intents[operation.id]?.results.append(result)
    }
    for (id, item) in before where !touched.contains(id) {
      if store.item(id)?.state.sequence != item.state.sequence {
        violate("a repeated or refused operation changed \(id)")
      }
    }
  }

  // MARK: At a device

  func committed(
    _ changed: [NotificationID], on device: Int, cache: MemoryCache, store: SimulatedStore
  ) {
    guard let generation = try? cache.syncState().generation else { return }
    var known = seen[device] ?? (generation, [:])
    if known.generation != generation { known = (generation, [:]) }
    for id in changed {
      guard let item = try? cache.item(id) else {
        if store.isTombstone(id) { gone[device, default: []].insert(id) }
        continue
      }
      if gone[device]?.contains(id) == true { violate("\(id) came back on device \(device)") }
      if let before = known.sequences[id], item.base.sequence < before {
        violate("\(id) went from \(before) back to \(item.base.sequence) on device \(device)")
      }
      known.sequences[id] = item.base.sequence
    }
    seen[device] = known
  }

  /// A power loss takes back what was not synced, which is no step backwards.
  func lostUnsynced(on device: Int) {
    seen[device] = nil
    gone[device] = nil
  }

  // MARK: At the end

  func checkIntents(in store: SimulatedStore, crashed: Set<Int>) {
    for id in order {
      guard let intent = intents[id], !intent.isCancelled else { continue }
      guard let first = intent.results.first else {
        let isMoot =
          intent.operation.mutation == .delete
          && intent.operation.notificationIDs.allSatisfy { store.item($0) == nil }
        if !intent.wasRejected, !isMoot { violate("\(id) was dropped without a word") }
        continue
      }
      switch first {
      case .applied, .alreadyApplied: break
      case .superseded, .gone, .refused, .unacceptable:
        if !intent.wasRejected, !crashed.contains(intent.device) {
          violate("\(id) came out as \(first), and nobody was told")
        }
      }
    }
  }
}
