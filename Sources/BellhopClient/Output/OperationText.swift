package import BellhopCache
package import BellhopModel

/// Descriptions of the user's operations.
package enum OperationText {
  /// Returns the verb, such as `dismiss`, `snooze`, `undo`, `settings` or `rule`.
  package static func verb(_ operation: BellhopModel.Operation) -> String {
    // The operation that a change of a rule expects is the revision, not one to undo.
    if let verb = ruleVerb(operation) { return verb }
    if operation.expect != nil { return "undo" }
    switch operation.mutation {
    case .delete: return "delete"
    case .restorePrevious: return "undo"
    case .configure: return "settings"
    case .reschedule: return "new time"
    case .publish: return "publish"
    case .changeRule: return "rule"
    case .applyRule: return "apply rule"
    case .set(let change):
      return words(change, now: nil, hidesTexts: false).joined(separator: " and ")
    }
  }

  /// Returns a description such as `dismiss #12 'Backup finished'`.
  ///
  /// - Parameters:
  ///   - item: The item in the cache; nil if it is gone, or for several items.
  ///   - hidesTexts: Whether to leave out the words of the item.
  package static func line(
    _ operation: BellhopModel.Operation, number: Int64? = nil, item: CachedItem?, now: Timestamp,
    hidesTexts: Bool = false
  ) -> String {
    var text = verb(operation)
    if case .set(let change) = operation.mutation {
      let words = words(change, now: now, hidesTexts: hidesTexts).joined(separator: " and ")
      text = operation.expect == nil ? words : text + " (" + words + ")"
    }
    return text + " " + object(operation, number: number, item: item, hidesTexts: hidesTexts)
  }

  /// - Parameter now: The current time; nil to leave out times.
  private static func words(
    _ change: StateChange, now: Timestamp?, hidesTexts: Bool
  ) -> [String] {
    if let choice = change.choice {
      return [hidesTexts ? "choose an action of" : "choose '\(choice.id.prefix(64))'"]
    }
    return change.registersSet.compactMap { word(for: $0.id, in: change, now: now) }
  }

  /// Returns the verb for the value that a change gives to a register; nil if another one implies it.
  private static func word(
    for register: ItemRegister.ID, in change: StateChange, now: Timestamp?
  ) -> String? {
    switch register {
    case .readState:
      // Opening an item also marks it read, so one word is enough.
      if change.userActionState == .activated { return nil }
      return change.readState.map { $0 == .read ? "read" : "unread" }
    case .userActionState:
      return change.userActionState.map { action -> String in
        switch action {
        case .activated: "open"
        case .dismissed: "dismiss"
        case .noInteraction: "back to the tray"
        case .snoozed(let until):
          "snooze" + (now.map { " until " + MomentText.moment(until, now: $0) } ?? "")
        }
      }
    case .kept: return change.pinned.map { $0 ? "pin" : "unpin" }
    case .cancelled: return change.cancelled.map { $0 ? "cancel deliveries" : "resume deliveries" }
    case .applied: return change.applied.map { $0 == .empty ? "without rules" : "effect of rules" }
    }
  }

  private static let titleCharactersMax = 60

  private static func object(
    _ operation: BellhopModel.Operation, number: Int64?, item: CachedItem?, hidesTexts: Bool
  ) -> String {
    switch operation.target {
    case .app(let app): return "of " + String(app.prefix(64))
    case .rule(let id): return name(of: id, in: operation, hidesTexts: hidesTexts)
    case .matchingRule(let rule, _):
      return name(of: rule.id, in: operation, hidesTexts: hidesTexts)
    case .matching: return "all that match"
    case .setBy: return "of many items"
    case .items(let ids) where ids.count != 1: return "\(ids.count) items"
    case .item, .items:
      guard let notification = item?.notification ?? operation.localItem else {
        return number.map { "#\($0), which is gone" } ?? "an item that is gone"
      }
      let number = ItemNumber.text(notification.shortNumber)
      if hidesTexts { return number }
      let title = notification.content.visual?.title ?? "data"
      let short =
        title.count > titleCharactersMax ? title.prefix(titleCharactersMax - 1) + "…" : title[...]
      return "\(number) '\(short)'"
    }
  }
}

/// Explanations of changes by the user that had no effect.
///
/// They appear on the screen, in the item's history, and in `bellhop show` and `outbox --refused`.
package enum OutcomeText {
  /// The most explanations in an item's history: the newest ones.
  package static let shownMax = 3

  /// Returns a line such as `your dismiss of 09:10 did not apply: it was replaced at 09:11 by ci`.
  ///
  /// - Parameters:
  ///   - item: The item now in the cache; nil if it is gone.
  ///   - hidesTexts: Whether to leave out the titles of actions.
  package static func line(
    _ outcome: OutcomeRecord, item: CachedItem?, now: Timestamp, hidesTexts: Bool = false
  ) -> String {
    if let line = ruleLine(outcome, now: now, hidesTexts: hidesTexts) { return line }
    let operation = outcome.operation
    let verb =
      operation.choice.map {
        hidesTexts ? "choice" : "choice '\(($0.title ?? $0.id).prefix(64))'"
      } ?? (operation.publishedContent == nil ? OperationText.verb(operation) : "publication")
    let what = "your \(verb) of \(MomentText.moment(outcome.madeAt, now: now))"
    switch outcome.result {
    case .superseded where operation.expect != nil:
      return what + " did nothing: " + sinceUndo(operation, item: item, now: now)
    case .superseded:
      return what + " did not apply: "
        + replaced(outcome, item: item, now: now, hidesTexts: hidesTexts)
    case .gone: return what + " was not needed: the item was deleted or has expired"
    case .refused(let latest):
      return what + " did not apply: it expires before then; the latest time is "
        + MomentText.moment(latest, now: now)
    case .unacceptable(let fault):
      guard let app = operation.app else { return what + " did not apply: the store refused it" }
      return what + " did not apply: \(app.prefix(64)) was not changed, because "
        + RejectionText.words(fault)
    case .outcomeUnknown:
      return what
        + " may have been applied or not: the store no longer knows. It will not be sent again"
    case .notPublished(let reason): return what + " was not published: " + reason
    case .applied, .alreadyApplied: return what + " applied"
    }
  }

  /// Describes the action that prevented the undo.
  private static func sinceUndo(
    _ operation: BellhopModel.Operation, item: CachedItem?, now: Timestamp
  ) -> String {
    guard let state = item?.notification.state, case .set(let change) = operation.mutation,
      let register = change.registersSet.first,
      let other = register.lastChange(state.registers), other.operation != operation.expect
    else { return "it was changed since" }
    let word = participle(for: register.id, in: state)
    let place =
      switch other.by.kind {
      case .device: "on"
      case .publisher: "by"
      case .rule: "by the rule"
      }
    return "it was \(word) at \(MomentText.moment(other.at, now: now)) \(place) \(other.by.name)"
  }

  /// Returns the past participle for the value of a register.
  private static func participle(for register: ItemRegister.ID, in state: ItemState) -> String {
    switch register {
    case .readState: state.readState.value == .read ? "marked read" : "marked unread"
    case .userActionState: state.userActionState.value.pastTense
    case .kept: state.pinned.value ? "pinned" : "unpinned"
    case .cancelled: state.cancelled.value ? "cancelled" : "resumed"
    case .applied: state.applied.value == .empty ? "freed of rules" : "changed by a rule"
    }
  }

  private static func replaced(
    _ outcome: OutcomeRecord, item: CachedItem?, now: Timestamp, hidesTexts: Bool
  ) -> String {
    if let item, outcome.operation.choice != nil, let seen = outcome.operation.seen,
      item.base.isMeant(by: seen)
    {
      return preferred(to: outcome.operation, on: item, now: now, hidesTexts: hidesTexts)
    }
    if item == nil, outcome.operation.isOnOwnPublication { return "it was not published" }
    guard let item, let seen = outcome.operation.seen, item.base.meaningSequence > seen else {
      return "it was published again in the meantime"
    }
    let app = item.notification.content.app
    // An item that is replaced in its place keeps its time of arrival, and any later change hides
    // the time of the replacement.
    let isLastChange = item.base.sequence == item.base.meaningSequence
    let time = isLastChange ? item.base.changed : item.notification.arrival
    guard time >= outcome.madeAt else { return "it was replaced by \(app)" }
    return "it was replaced at \(MomentText.moment(time, now: now)) by \(app)"
  }
}

extension OutcomeText {
  /// Describes why a choice of an action of an item that was not replaced had no effect.
  private static func preferred(
    to operation: BellhopModel.Operation, on item: CachedItem, now: Timestamp, hidesTexts: Bool
  ) -> String {
    let content = item.notification.content
    guard content.extras.awaitsResponse == true else {
      return "\(content.app) changed the action in the meantime"
    }
    guard let other = item.notification.state.userActionState.change, let choice = other.choice,
      other.operation != operation.id
    else { return "\(content.app) has an answer already, or changed the action" }
    let what = hidesTexts ? "another action" : "'\((choice.title ?? choice.id).prefix(64))'"
    return "\(what) was chosen at "
      + "\(MomentText.moment(other.at, now: now)) on \(other.by.name), and the first answer counts"
  }
}

extension BellhopModel.Operation {
  /// The action that the operation chooses.
  fileprivate var choice: ActionChoice? {
    if case .set(let change) = mutation { change.choice } else { nil }
  }

  /// Whether the operation is for an item that this device published, before the store had sent it.
  fileprivate var isOnOwnPublication: Bool {
    seenOperations?.contains { $0.key == NotificationID(sameAs: $0.value) } ?? false
  }
}

extension StateChange {
  /// The registers that the change sets, the state of the action first.
  fileprivate var registersSet: [ItemRegister] {
    let registers = ItemRegister.all.filter { $0.isSet(self) }
    return registers.filter { $0.id == .userActionState }
      + registers.filter { $0.id != .userActionState }
  }
}

extension UserActionState {
  /// The action on the item, as a past participle.
  fileprivate var pastTense: String {
    switch self {
    case .noInteraction: "put back in the tray"
    case .activated: "opened"
    case .dismissed: "dismissed"
    case .snoozed: "snoozed"
    }
  }
}

/// Explanations of app settings and changes of rules that the store refused, with advice.
package enum RejectionText {
  package static func words(_ fault: AppSettingsError) -> String {
    switch fault {
    case .invalid: "the store does not allow this value."
    case .aliasTaken: "an alias belongs to another app. bellhop apps lists them."
    case .tooManyApps: "the store allows you no more apps."
    case .tooManyRules: "the store allows 200 rules."
    }
  }
}
