internal import BellhopCache
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// Which items a command changes.
package enum ItemChoice: Sendable {
  /// By number, id, or the beginning of an id.
  case named([String])
  /// Those that `bellhop list` shows with the same filter and selection; unless it was confirmed
  /// already, a person is asked.
  case passing(String, of: ListSelection, isConfirmed: Bool)
}

extension Commands {
  /// Refused operations that are told one by one.
  private static let toldMax = 100
  /// Items overlaid in one transaction: short enough that a screen's key does not wait.
  private static let itemsPerStep = 250

  /// Changes what passes a filter, as far as it is here and was so when it was counted.
  static func change(
    _ access: CacheAccess, _ verb: Verb, passing text: String, of selection: ListSelection,
    isConfirmed: Bool, waits: Bool
  ) throws {
    try access.turnOver()
    let query = selection.query(try FilterOption.filter(text, for: [access]))
    if case .snooze(let until) = verb {
      try check(isToCome: until, now: try access.storeTime())
    }
    let reader = BulkReader(cache: try access.newReader())
    let extent = try failing { try reader.extent(query) }
    guard extent.count > 0 else {
      return StandardError.say("Nothing passes the filter. Nothing was changed.")
    }
    let place = selection.place + " that pass \"" + SafeText(text).truncated(to: 40) + "\""
    guard try isConfirmed || agrees(verb.question(extent.count, place), to: verb) else {
      return StandardError.say("Nothing was changed.")
    }
    let ids = (0...extent.count / BulkOrder.namedMax + 1).map { _ -> OperationID in
      access.context.newID()
    }
    let order = BulkOrder(
      account: access.account.name, query: query, bound: extent.bound,
      mutation: verb.mutation, operations: ids, sealAfter: nil)
    let operations = try failing { try reader.operations(of: order) }
    try failing {
      let storage = try access.storage()
      _ = try storage.enqueue(operations, now: access.storeTime(), sealAfter: nil)
      while try !storage.overlayBulk(limit: itemsPerStep, now: access.storeTime()).isFinished {}
    }
    StandardError.say(verb.said(of: extent.count))
    try send(access, waits: waits, operations: operations)
    try reportOutcomes(access, of: Set(operations.map(\.id)))
  }

  /// Whether the person wants it. What can be taken back is done where nobody can be asked.
  private static func agrees(_ question: SafeText, to verb: Verb) throws -> Bool {
    if let answer = Question.agrees(question) { return answer }
    guard verb == .delete else { return true }
    throw ClientError(
      .usage, "\(question.string) There is no way back, and nobody can be asked here.",
      next: "Nothing was changed. --yes deletes without asking.")
  }

  /// Says which of the operations came to nothing, as far as this process was told.
  private static func reportOutcomes(
    _ access: CacheAccess, of operations: Set<OperationID>
  ) throws {
    let reader = try access.newReader()
    let now = try access.storeTime()
    let outcomes = try reader.outcomes(of: nil, limit: toldMax)
      .filter { operations.contains($0.operation.id) }
    guard !outcomes.isEmpty else { return }
    for outcome in outcomes {
      let number = outcome.number.map { "#\($0): " } ?? ""
      StandardError.say(number + OutcomeText.line(outcome, item: nil, now: now) + ".")
    }
    // What cannot be noted is told once more by the next screen.
    try? access.storage().markTold(outcomes.map(\.operation.id))
  }

  private static func failing<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as CacheError {
      throw ClientError(error)
    }
  }
}
