import BellhopCache
import BellhopModel
import BellhopStore
import BellhopSync

/// A record of intended operations and their results, with checks for violations.
///
/// When the store's data is reverted, there is one exception: an operation that a device removed
/// from its outbox because of a response from the lost past is lost with it. An operation that a
/// device still holds, answered or not, must be applied again. If the restored state includes the
/// change counter of an operation's response but no effect of the operation, it had nothing to
/// change.
final class Judge {
  /// An operation that a user intended, and its results.
  struct Intent {
    var operation: Operation
    var device: Int
    /// The items as the user saw them; empty for an undo, which `expect` guards.
    var shown: [NotificationID: UserNotification]
    /// Items that the device had, outside the list that an operation on a whole list is meant for.
    var unlisted: [NotificationID: UserNotification]
    /// Whether the user confirmed the operation for a whole list.
    var isWholeList: Bool
    /// The number of reversions of the store's data when the device's base came from it.
    var timeline: Int?
    var isCancelled = false
    /// Whether the write may not have succeeded: its process was killed during the write.
    var isUncertain = false
    /// Whether a copied home directory also contains the operation.
    var isCopied = false
    /// Whether the device has the store's response.
    var isAnswered = false
    /// Whether the operation may be lost because of a reversion to before its effect.
    ///
    /// No device holds it any more: each removed it from its outbox because of a response, or a
    /// deletion, of the lost past.
    var mayBeLost = false
    /// Whether the operation had no effect, and the data was reverted to before it.
    ///
    /// The restored state contains the change counter of the response.
    var hadNoEffect = false
    /// Whether, in addition, the device has the response, and so does not send the operation again.
    var leftNoTrace = false
    /// The results in the store's order: the first one is the effect.
    var results: [OperationResult] = []
    /// The change counter that contains the effect.
    var through = SequenceNumber.zero
    /// Whether the user has seen that the operation did not take effect.
    var wasRejected = false
  }

  /// The results of all operations at some moment.
  struct Record {
    fileprivate var results: [OperationID: [OperationResult]]
  }

  private(set) var intents: [OperationID: Intent] = [:]
  /// The row of an item after an operation.
  struct Effect {
    /// The sequence of the item's row.
    var sequence: SequenceNumber
    /// The state of the item; nil if it was deleted.
    var state: ItemState?
  }

  /// The items that operations changed since the last reversion.
  private(set) var effects: [OperationID: [NotificationID: Effect]] = [:]
  private(set) var order: [OperationID] = []
  private var timeline = 0
  /// A content sequence that an item had at the store.
  private struct ContentNumber: Hashable {
    var item: NotificationID
    var sequence: SequenceNumber
  }
  /// The titles of each content sequence, with the number of reversions at the time.
  private var contents: [ContentNumber: [(title: String, timeline: Int)]] = [:]
  /// Returns the operations that at least one device has in its outbox.
  var held: () -> Set<OperationID> = { [] }
  private(set) var violations: [String] = []
  static let violationsMax = 10

  func violate(_ text: String) {
    if violations.count < Self.violationsMax { violations.append(text) }
  }

  // MARK: Intents

  /// Records an intended operation.
  ///
  /// - Parameters:
  ///   - unlisted: See ``Intent/unlisted``.
  ///   - past: See ``Intent/timeline``.
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

  /// Records that a device has the response to an operation.
  ///
  /// - Parameter isOutdated: Whether the data was reverted after the store gave the response.
  func answered(_ id: OperationID, isOutdated: Bool) {
    intents[id]?.isAnswered = true
    if isOutdated, let intent = intents[id], intent.hadNoEffect { intents[id]?.leftNoTrace = true }
  }

  /// Records that a device removed an operation from its outbox because of an outdated response.
  ///
  /// The response was on its way when the data was reverted. A client cannot know that until the
  /// store's next response.
  func outdated(_ id: OperationID) {
    if intents[id]?.results.isEmpty == true { intents[id]?.mayBeLost = true }
  }

  // MARK: Commits of the store

  /// Records an item of the store, which may have new content.
  func stored(_ item: UserNotification) {
    guard let title = item.content.visual?.title else { return }
    let number = ContentNumber(item: item.id, sequence: item.state.contentSequence)
    if contents[number]?.contains(where: { $0.title == title }) == true { return }
    contents[number, default: []].append((title, timeline))
  }

  /// Checks a change that an operation has made to an item.
  func landed(_ operation: Operation, on before: UserNotification, leaving effect: Effect) {
    effects[operation.id, default: [:]][before.id] = effect
    guard let intent = intents[operation.id] else {
      return violate("\(operation.id) changed #\(before.shortNumber) without an intended operation")
    }
    if intent.isCancelled, !intent.isCopied, !intent.isUncertain {
      violate("\(operation.id) was cancelled, but applied")
    }
    checkBound(of: operation, on: before)
    guard !intent.shown.isEmpty, let title = before.content.visual?.title else { return }
    let shown = intent.shown[before.id]
    if shown?.content.visual?.title == title || isOwnPublication(title, in: intent) { return }
    if isNumberShared(shown, by: before) || isMeantAsWhole(before, titled: title, by: intent) {
      return
    }
    let words = shown?.content.visual?.title ?? "nothing"
    violate("\(operation.id) was meant for '\(words)', but changed '\(title)'")
  }

  /// Checks that a bulk operation was meant for an item, as far as its content tells.
  private func checkBound(of operation: Operation, on before: UserNotification) {
    switch operation.target {
    case .matching(_, let through):
      if PlainRules.meaning(of: before) > through {
        violate("\(operation.id) changed #\(before.shortNumber), published after it")
      }
    case .matchingRule:
      if !PlainRules.isMeant(before, by: operation) {
        violate("\(operation.id) changed #\(before.shortNumber), which its rule does not match")
      }
    case .item, .items, .setBy, .app, .rule: break
    }
  }

  /// Returns whether the user saw this content as an item that only the device had.
  ///
  /// It may have replaced another item at the store.
  private func isOwnPublication(_ title: String, in intent: Intent) -> Bool {
    intent.shown.values.contains {
      $0.state.sequence == .zero && $0.content.visual?.title == title
    }
  }

  /// Returns whether the number of the shown content has since been assigned to other content.
  ///
  /// After a silent rollback the store assigns numbers again, which a device cannot detect.
  private func isNumberShared(_ shown: UserNotification?, by item: UserNotification) -> Bool {
    guard let shown, let shownTitle = shown.content.visual?.title else { return false }
    let number = ContentNumber(item: item.id, sequence: item.state.contentSequence)
    guard shown.state.contentSequence == number.sequence, let known = contents[number],
      let past = known.first(where: { $0.title == shownTitle })?.timeline
    else { return false }
    return known.contains { $0.title == item.content.visual?.title && $0.timeline != past }
  }

  /// Returns whether an operation on a whole list may change an item that the list did not show.
  ///
  /// It may if another device has changed the item so that it belongs to the list (SYNC-10). Such
  /// an operation has only an upper bound (SYNC-6): if the data was reverted while the user decided
  /// or the operation waited, it may also change older content that reappeared, and content with a
  /// reused number.
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
        violate("the store applied \(operation.id) without an intended operation")
        continue
      }
      if result == .applied, intent.results.contains(.applied) {
        violate("\(operation.id) was applied twice")
      }
      // The store itself completes a bulk operation whose request was interrupted.
      if result == .alreadyApplied, intent.results.isEmpty, !operation.isBulkTarget {
        violate("\(operation.id) was reported as applied, but never was")
      }
      if let first = intent.results.first, result != .applied, result != .alreadyApplied,
        result != first
      {
        violate("\(operation.id) had the result \(first), and then \(result)")
      }
      // A device has the operation again, for example after a power loss, and receives a response.
      if intent.mayBeLost, held().contains(operation.id) {
        intents[operation.id]?.mayBeLost = false
      }
      intents[operation.id]?.results.append(result)
      if result == .applied { intents[operation.id]?.through = sequence }
    }
  }

  // MARK: Reversions

  var record: Record { Record(results: intents.mapValues(\.results)) }

  /// Reverts everything after the record; devices must send again the operations that they still
  /// hold.
  ///
  /// - Parameters:
  ///   - sequence: The change counter of the restored state.
  ///   - isAbsent: Whether an item was absent before the reversion: a device that learned so
  ///     removed its pending deletes of the item from its outbox.
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
        if intent.results.contains(.applied), results.isEmpty, intent.through <= sequence {
          intents[id]?.hadNoEffect = true
          if intent.isAnswered { intents[id]?.leftNoTrace = true }
        }
      } else if intent.isAnswered ? intent.results != results : isMoot(intent, isAbsent) {
        intents[id]?.mayBeLost = true
      }
    }
  }

  /// Returns whether the operation only deletes items that are absent.
  private func isMoot(_ intent: Intent, _ isAbsent: (NotificationID) -> Bool) -> Bool {
    intent.operation.mutation == .delete && !intent.operation.isBulkTarget
      && intent.operation.notificationIDs.allSatisfy(isAbsent)
  }

  // MARK: Final checks

  /// Checks that no intended operation was dropped silently.
  ///
  /// - Parameter isAbsent: Whether an item is absent from the store.
  func checkIntents(_ isAbsent: (NotificationID) -> Bool) {
    for id in order {
      guard let intent = intents[id], !intent.isCancelled, !intent.isUncertain,
        !intent.mayBeLost, !intent.leftNoTrace
      else { continue }
      guard let first = intent.results.first else {
        if !intent.wasRejected, !isMoot(intent, isAbsent) {
          violate("\(id) was dropped without a report")
        }
        continue
      }
      switch first {
      case .applied, .alreadyApplied: break
      // The item is deleted already, as the operation intended.
      case .gone where intent.operation.mutation == .delete: break
      case .superseded, .gone, .refused, .unacceptable, .outcomeUnknown, .notPublished:
        if !intent.wasRejected { violate("\(id) had the result \(first) and was not reported") }
      }
    }
  }
}
