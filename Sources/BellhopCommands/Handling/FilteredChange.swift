internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// The choice of items that a command changes.
package enum ItemChoice: Sendable {
  /// Items by number, id, or the beginning of an id; a lone `-` reads them from standard input.
  case named([String])
  case passing(FilteredItems)
}

/// The items that `bellhop list` shows with a filter and a selection.
package struct FilteredItems: Sendable {
  package var filter: String
  package var selection: ListSelection
  /// Whether the user has already confirmed. Otherwise the command asks.
  package var isConfirmed: Bool
  /// Whether to skip the round of synchronisation that comes first.
  package var isOffline: Bool

  package init(
    filter: String, selection: ListSelection, isConfirmed: Bool, isOffline: Bool
  ) {
    self.filter = filter
    self.selection = selection
    self.isConfirmed = isConfirmed
    self.isOffline = isOffline
  }
}

extension Commands {
  /// The most rejected operations that are reported individually.
  private static let reportedMax = 100
  /// The number of items overlaid per transaction, small enough not to delay the response to a key.
  private static let itemsPerStep = 250

  /// Changes the items that match a filter, if they are in the cache and matched when they were
  /// counted.
  static func change(
    _ access: CacheAccess, _ command: ItemCommand, _ items: FilteredItems, waits: Bool
  ) throws {
    _ = try access.freshen(isOffline: items.isOffline)
    let query = items.selection.query(
      try FilterOption.filter(items.filter, for: [access], consequence: "Nothing was changed."))
    if case .snooze(let until) = command {
      try check(isToCome: until, now: try access.storeTime())
    }
    let reader = BulkReader(cache: try access.newReader())
    let extent = try failing { try reader.extent(query) }
    guard extent.count > 0 else {
      return StandardError.say("No items match the filter. Nothing was changed.")
    }
    let place =
      items.selection.place + " that match \"" + SafeText(items.filter).truncated(to: 40) + "\""
    let grace = grace(command, waits: waits)
    guard
      try items.isConfirmed
        || agrees(ItemChange(command).question(extent.count, place), to: command)
    else {
      return StandardError.say("Nothing was changed.")
    }
    let ids = (0...extent.count / BulkOrder.namedMax + 1).map { _ -> OperationID in
      access.context.newID()
    }
    let order = BulkOrder(
      account: access.account.name, query: query, bound: extent.bound,
      mutation: command.mutation, operations: ids, sealAfter: grace)
    let operations = try failing { try reader.operations(of: order) }
    let now = try access.storeTime()
    let object: SafeText = extent.count == 1 ? "1 item" : SafeText("\(extent.count) items")
    let phrase = ChangeText.phrase(command, object, now: now)
    var change = CommandChange(summary: phrase.string)
    if command == .delete {
      change.deletes = operations.map(\.id)
    } else {
      change.undo = operations.map { operation in
        Operation(
          id: access.context.newID(), target: .setBy(operation.id), mutation: .restorePrevious)
      }
    }
    try failing {
      try access.storage().enqueue(operations, remembering: change, now: now, grace: grace)
      try overlay(access)
    }
    StandardError.say(ChangeText.sentence(phrase))
    if grace != nil { sayGrace() }
    try send(access, waits: waits, operations: operations)
    try reportOutcomes(access, of: Set(operations.map(\.id)))
  }

  /// Updates the visible lists for operations on many items.
  static func overlay(_ access: CacheAccess) throws {
    let storage = try access.storage()
    while try !storage.overlayBulk(limit: itemsPerStep, now: access.storeTime()).isFinished {}
  }

  /// Asks whether the user agrees. Without a terminal, allows changes that can be undone.
  private static func agrees(_ question: SafeText, to command: ItemCommand) throws -> Bool {
    if let answer = Question.agrees(question) { return answer }
    guard command == .delete else { return true }
    throw ClientError(
      .usage,
      "\(question.string) A delete cannot be undone here, and standard input is not a terminal.",
      next: "Nothing was changed. Use --yes to delete without confirmation.")
  }

  /// Reports the operations that had no effect, as far as this process knows.
  static func reportOutcomes(
    _ access: CacheAccess, of operations: Set<OperationID>
  ) throws {
    let reader = try access.newReader()
    let now = try access.storeTime()
    let outcomes = try reader.outcomes(of: nil, limit: reportedMax)
      .filter { operations.contains($0.operation.id) }
    guard !outcomes.isEmpty else { return }
    for outcome in outcomes {
      let number = outcome.number.map { "#\($0): " } ?? ""
      StandardError.say(number + OutcomeText.line(outcome, item: nil, now: now) + ".")
    }
    // If this fails, the next screen reports them again.
    try? access.storage().markReported(outcomes.map(\.operation.id))
  }

  /// Converts failures of the cache to errors with exit codes.
  static func failing<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as CacheError {
      throw ClientError(error)
    }
  }
}
