import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// Notes what was intended and what became of it, and what must never happen.
final class Judge {
  /// A person's intent and what became of it.
  struct Intent {
    var operation: Operation
    var device: Int
    /// The titles that the person saw; empty for an undo, which is guarded by `expect`.
    var shown: [NotificationID: String]
    /// How often the data had been put back, as far as what the person saw goes; nil for what may
    /// be of several such pasts.
    var timeline: Int?
    var isCancelled = false
    /// Nobody was told that it is kept: its process was killed while it wrote.
    var isUncertain = false
    /// A copied home holds it, too.
    var isCopied = false
    /// The device has the store's answer.
    var isAnswered = false
    /// A state from before its effect was put in place, and no device holds it any more: each took
    /// it out of its outbox by an answer that the store gave before.
    var mayBeLost = false
    /// Results in the store's order: the first is the effect.
    var results: [OperationResult] = []
    /// The change counter that contains its effect.
    var through = SequenceNumber.zero
    /// The person was told that it did not take effect.
    var wasRejected = false
  }

  /// What the store had done at some moment.
  struct Record {
    fileprivate var results: [OperationID: [OperationResult]]
  }

  private(set) var intents: [OperationID: Intent] = [:]
  /// The row that an operation left of an item.
  struct Effect {
    /// The sequence of the item's row.
    var sequence: SequenceNumber
    /// Nil where it was deleted.
    var state: ItemState?
  }

  /// The items that operations changed since the data was put back.
  private(set) var effects: [OperationID: [NotificationID: Effect]] = [:]
  private(set) var order: [OperationID] = []
  private var timeline = 0
  private(set) var violations: [String] = []
  static let violationsMax = 10

  func violate(_ text: String) {
    if violations.count < Self.violationsMax { violations.append(text) }
  }

  // MARK: Intents

  /// - Parameter past: ``Intent/timeline``.
  func intended(
    _ operation: Operation, on device: Int, shown: [NotificationID: String], of past: Int?
  ) {
    intents[operation.id] = Intent(
      operation: operation, device: device, shown: shown, timeline: past)
    order.append(operation.id)
  }

  func uncertain(_ id: OperationID) { intents[id]?.isUncertain = true }

  func cancelled(_ id: OperationID) { intents[id]?.isCancelled = true }

  func copied(from device: Int) {
    for id in order where intents[id]?.device == device { intents[id]?.isCopied = true }
  }

  func rejected(_ operations: [RejectedOperation]) {
    for rejected in operations { intents[rejected.operation.id]?.wasRejected = true }
  }

  func answered(_ id: OperationID) { intents[id]?.isAnswered = true }

  /// A device took the operation out of its outbox because of an answer that was on its way while the
  /// data was put back. No client can know better: the store's next answer says it.
  func outdated(_ id: OperationID) {
    if intents[id]?.results.isEmpty == true { intents[id]?.mayBeLost = true }
  }

  // MARK: At the store

  /// An operation has changed an item from what it was before.
  func landed(_ operation: Operation, on before: UserNotification, leaving effect: Effect) {
    effects[operation.id, default: [:]][before.id] = effect
    guard let intent = intents[operation.id] else {
      return violate("\(operation.id) changed #\(before.shortNumber), and nobody intended it")
    }
    if intent.isCancelled, !intent.isCopied, !intent.isUncertain {
      violate("\(operation.id) was cancelled and applied")
    }
    if case .matching(_, let through) = operation.target {
      if before.state.contentSequence > through {
        violate("\(operation.id) changed #\(before.shortNumber), published after it")
      }
    }
    guard !intent.shown.isEmpty, let title = before.content.visual?.title else { return }
    let shown = intent.shown[before.id]
    if shown == title { return }
    // Of data that was put back a device learns later. In silence, sequences are given out again:
    // one number may then stand for two contents.
    if intent.timeline != timeline, isGuarded(operation, before) { return }
    violate("\(operation.id) was meant for '\(shown ?? "nothing")' and landed on '\(title)'")
  }

  /// Whether the content of an item has a number that the operation allows.
  private func isGuarded(_ operation: Operation, _ item: UserNotification) -> Bool {
    let content = item.state.contentSequence
    switch operation.target {
    case .item: return operation.seen == content
    case .items: return operation.seenEach?[item.id] == content
    case .matching(_, let through): return content <= through
    case .setBy, .app: return false
    }
  }

  func applied(
    _ done: [(Operation, OperationResult)], sequence: SequenceNumber, from device: Int
  ) {
    for (operation, result) in done {
      guard let intent = intents[operation.id] else {
        violate("the store applied \(operation.id), which nobody intended")
        continue
      }
      if result == .applied, intent.results.contains(.applied) {
        violate("\(operation.id) was applied twice")
      }
      // A bulk operation whose request was cut off is finished by the store itself.
      if result == .alreadyApplied, intent.results.isEmpty, !operation.isBulkTarget {
        violate("\(operation.id) was called applied, and never was")
      }
      if let first = intent.results.first, result != .applied, result != .alreadyApplied,
        result != first
      {
        violate("\(operation.id) came out as \(first), and then as \(result)")
      }
      intents[operation.id]?.results.append(result)
      if result == .applied { intents[operation.id]?.through = sequence }
    }
  }

  // MARK: Going back

  var record: Record { Record(results: intents.mapValues(\.results)) }

  /// Undoes everything after the record; what devices still hold has to be done again.
  ///
  /// - Parameters:
  ///   - sequence: the change counter of the state that was put in place. What had been done by then
  ///     and left no trace had nothing to change, and the state is as the person wants it.
  ///   - held: the operations that some device has in its outbox.
  ///   - isAbsent: of items that were not there before it went back: a wish to delete them had come
  ///     true, and need not be held any more.
  func wentBack(
    to record: Record, at sequence: SequenceNumber, held: Set<OperationID>,
    _ isAbsent: (NotificationID) -> Bool
  ) {
    timeline += 1
    effects = [:]
    for id in order {
      if let operation = intents[id]?.operation, operation.mutation == .delete,
        !operation.isBulkTarget, operation.notificationIDs.allSatisfy(isAbsent)
      {
        intents[id]?.mayBeLost = true
      }
      let results = record.results[id] ?? []
      guard let intent = intents[id], intent.results != results else { continue }
      intents[id]?.results = results
      if !held.contains(id) || intent.through <= sequence { intents[id]?.mayBeLost = true }
    }
  }

  // MARK: At the end

  /// No intent may have been dropped in silence. `isAbsent` says of items that they are not there.
  func checkIntents(_ isAbsent: (NotificationID) -> Bool) {
    for id in order {
      guard let intent = intents[id], !intent.isCancelled, !intent.isUncertain,
        !intent.mayBeLost
      else { continue }
      guard let first = intent.results.first else {
        let isMoot =
          intent.operation.mutation == .delete
          && intent.operation.notificationIDs.allSatisfy(isAbsent)
        if !intent.wasRejected, !isMoot { violate("\(id) was dropped without a word") }
        continue
      }
      switch first {
      case .applied, .alreadyApplied: break
      // It came true without it.
      case .gone where intent.operation.mutation == .delete: break
      case .superseded, .gone, .refused, .unacceptable, .outcomeUnknown:
        if !intent.wasRejected { violate("\(id) came out as \(first), and nobody was told") }
      }
    }
  }
}
