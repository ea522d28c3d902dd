import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// Notes what was intended and what became of it, and what must never happen.
///
/// When data is put back there is one exception: what a device took out of its outbox by an answer of
/// the lost past is lost with it, and nothing else. An operation that a device still holds, answered
/// or not, has to be carried out again. What the store answered with a change counter that the state
/// put in place contains, and what left nothing there, had nothing to change.
final class Judge {
  /// A person's intent and what became of it.
  struct Intent {
    var operation: Operation
    var device: Int
    /// The items as the person saw them; empty for an undo, which is guarded by `expect`.
    var shown: [NotificationID: UserNotification]
    /// Items that the device had, but not in the list that an operation on a whole list is meant for.
    var unlisted: [NotificationID: UserNotification]
    /// Whether the person confirmed it for a whole list.
    var isWholeList: Bool
    /// How often the data had been put back when the device's base came from it.
    var timeline: Int?
    var isCancelled = false
    /// Nobody was told that it is kept: its process was killed while it wrote.
    var isUncertain = false
    /// A copied home holds it, too.
    var isCopied = false
    /// The device has the store's answer.
    var isAnswered = false
    /// The data was put back to before its effect, and no device holds it any more: each took it out
    /// of its outbox by an answer, or a deletion, of the lost past.
    var mayBeLost = false
    /// The data was put back to before its effect, which was none: the device has the answer, and the
    /// state put in place contains it.
    var leftNoTrace = false
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
  /// A number that content had at the store.
  private struct ContentNumber: Hashable {
    var item: NotificationID
    var sequence: SequenceNumber
  }
  /// The titles that each number stood for, with how often the data had been put back by then.
  private var contents: [ContentNumber: [(title: String, timeline: Int)]] = [:]
  /// The operations that some device has in its outbox.
  var held: () -> Set<OperationID> = { [] }
  private(set) var violations: [String] = []
  static let violationsMax = 10

  func violate(_ text: String) {
    if violations.count < Self.violationsMax { violations.append(text) }
  }

  // MARK: Intents

  /// - Parameters:
  ///   - unlisted: ``Intent/unlisted``.
  ///   - past: ``Intent/timeline``.
  func intended(
    _ operation: Operation, on device: Int, shown: [UserNotification],
    unlisted: [UserNotification] = [], isWholeList: Bool = false, of past: Int?
  ) {
    func byID(_ items: [UserNotification]) -> [NotificationID: UserNotification] {
      Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }
    intents[operation.id] = Intent(
      operation: operation, device: device, shown: byID(shown), unlisted: byID(unlisted),
      isWholeList: isWholeList, timeline: past)
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

  /// Takes note of an item of the store, whose content may be new.
  func stored(_ item: UserNotification) {
    guard let title = item.content.visual?.title else { return }
    let number = ContentNumber(item: item.id, sequence: item.state.contentSequence)
    if contents[number]?.contains(where: { $0.title == title }) == true { return }
    contents[number, default: []].append((title, timeline))
  }

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
    if shown?.content.visual?.title == title { return }
    if isNumberShared(shown, by: before) || isMeantAsWhole(before, titled: title, by: intent) {
      return
    }
    let words = shown?.content.visual?.title ?? "nothing"
    violate("\(operation.id) was meant for '\(words)' and landed on '\(title)'")
  }

  /// Whether the number of the content that was shown came to stand for another one: when data is put
  /// back in silence, numbers are given out again, and no device can tell.
  private func isNumberShared(_ shown: UserNotification?, by item: UserNotification) -> Bool {
    guard let shown, let shownTitle = shown.content.visual?.title else { return false }
    let number = ContentNumber(item: item.id, sequence: item.state.contentSequence)
    guard shown.state.contentSequence == number.sequence, let known = contents[number],
      let past = known.first(where: { $0.title == shownTitle })?.timeline
    else { return false }
    return known.contains { $0.title == item.content.visual?.title && $0.timeline != past }
  }

  /// Whether an operation on a whole list means an item that the list did not show.
  ///
  /// It does when another device has changed the item so that it belongs there (SYNC-10). Such an operation
  /// is bounded from above only (SYNC-6): when data was put back while the person thought or the operation
  /// waited, it also means older content that came back, and content that got an old number.
  private func isMeantAsWhole(
    _ item: UserNotification, titled title: String, by intent: Intent
  ) -> Bool {
    guard intent.isWholeList else { return false }
    guard let known = intent.unlisted[item.id], known.content.visual?.title == title else {
      return intent.timeline.map { $0 < timeline } ?? false
    }
    return known.state.readState.value != item.state.readState.value
      || known.state.userActionState.value != item.state.userActionState.value
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
      // A device has it again, for example after a power loss, and is answered.
      if intent.mayBeLost, held().contains(operation.id) {
        intents[operation.id]?.mayBeLost = false
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
  ///   - sequence: the change counter of the state that was put in place.
  ///   - isAbsent: of items that were not there before it went back: a device that learned so took
  ///     the deletes that it held for them out of its outbox.
  func wentBack(
    to record: Record, at sequence: SequenceNumber, _ isAbsent: (NotificationID) -> Bool
  ) {
    timeline += 1
    effects = [:]
    let held = held()
    for id in order {
      guard let intent = intents[id] else { continue }
      let results = record.results[id] ?? []
      intents[id]?.results = results
      if held.contains(id) {
        let isApplied = intent.isAnswered && intent.results.contains(.applied)
        if isApplied, results.isEmpty, intent.through <= sequence {
          intents[id]?.leftNoTrace = true
        }
      } else if intent.isAnswered ? intent.results != results : isMoot(intent, isAbsent) {
        intents[id]?.mayBeLost = true
      }
    }
  }

  /// Whether it deletes only items that are not there.
  private func isMoot(_ intent: Intent, _ isAbsent: (NotificationID) -> Bool) -> Bool {
    intent.operation.mutation == .delete && !intent.operation.isBulkTarget
      && intent.operation.notificationIDs.allSatisfy(isAbsent)
  }

  // MARK: At the end

  /// No intent may have been dropped in silence. `isAbsent` says of items that they are not there.
  func checkIntents(_ isAbsent: (NotificationID) -> Bool) {
    for id in order {
      guard let intent = intents[id], !intent.isCancelled, !intent.isUncertain,
        !intent.mayBeLost, !intent.leftNoTrace
      else { continue }
      guard let first = intent.results.first else {
        if !intent.wasRejected, !isMoot(intent, isAbsent) {
          violate("\(id) was dropped without a word")
        }
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
