internal import BellhopCache
package import BellhopClient
package import BellhopModel
internal import BellhopNetwork
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// The wait for the store before a command leaves its changes to the next one.
  private static let sendLimit: Duration = .seconds(10)
  /// The wait with `--wait`.
  private static let waitLimit: Duration = .seconds(60)

  /// Runs `bellhop read`, `dismiss` and so on: changes the cache, then lets the account's engine
  /// send it.
  ///
  /// - Throws: `ClientError`.
  package static func change(
    _ context: ClientContext, _ command: ItemCommand, _ choice: ItemChoice, waits: Bool
  ) throws {
    try change(CacheAccess(context, startsStore: false), command, choice, waits: waits)
  }

  /// Runs `bellhop snooze`. A span starts now on the store's clock, not on this machine's.
  ///
  /// - Throws: `ClientError`.
  package static func snooze(
    _ context: ClientContext, until text: String, option: String, _ choice: ItemChoice,
    waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let end = try TimeExpression.instant(text, option: option, now: try access.storeTime())
    try change(access, .snooze(until: end), choice, waits: waits)
  }

  private static func change(
    _ access: CacheAccess, _ command: ItemCommand, _ choice: ItemChoice, waits: Bool
  ) throws {
    switch choice {
    case .named(let names):
      let names = try names == ["-"] ? StandardInput.names() : names
      guard !names.isEmpty else {
        return StandardError.say(
          "Standard input contains no item number or id. Nothing was changed.")
      }
      try change(access, command, names: names, waits: waits) { item in
        if command == .dismiss { try checkIsDelivered(item) }
        return command
      }
    case .passing(let passing): try change(access, command, passing, waits: waits)
    }
  }

  /// Checks that dismissing the item has an effect: the first delivery would bring it back.
  private static func checkIsDelivered(_ item: CachedItem) throws {
    guard item.version.occurrence == .beforeFirst else { return }
    let notification = item.notification
    throw ClientError(
      .usage, "\(notification.numberOrID) is not delivered yet, so it is in no tray.",
      next: "To cancel it: bellhop requests cancel \(notification.commandArgument). "
        + "Nothing was changed.")
  }

  /// Changes the items with these names.
  ///
  /// - Parameters:
  ///   - command: The command as the user gave it, for the texts.
  ///   - actual: Returns the command that changes an item, or throws if there is none.
  static func change(
    _ context: ClientContext, _ command: ItemCommand, names: [String], waits: Bool,
    by actual: (CachedItem) throws -> ItemCommand
  ) throws {
    try change(
      CacheAccess(context, startsStore: false), command, names: names, waits: waits, by: actual)
  }

  private static func change(
    _ access: CacheAccess, _ command: ItemCommand, names: [String], waits: Bool,
    by actual: (CachedItem) throws -> ItemCommand
  ) throws {
    // Looks up all names before it changes anything.
    let items = try items(named: names, access)
    try change(access, command, items, try items.map(actual), choosing: nil, waits: waits)
  }

  /// Changes an item by choosing one of its actions.
  static func change(
    _ access: CacheAccess, _ command: ItemCommand, _ item: CachedItem,
    choosing choice: ActionChoice, waits: Bool
  ) throws {
    try change(access, command, [item], [command], choosing: choice, waits: waits)
  }

  /// Changes items, each by its own command.
  private static func change(
    _ access: CacheAccess, _ command: ItemCommand, _ items: [CachedItem],
    _ commands: [ItemCommand], choosing choice: ActionChoice?, waits: Bool
  ) throws {
    let context = access.context
    let now = try access.storeTime()
    if case .snooze(let until) = command { try check(until: until, for: items, now: now) }
    let labels = try labels(of: items, access)
    var operations: [BellhopModel.Operation] = []
    var change = CommandChange(summary: "")
    for (item, actual) in zip(items, commands) {
      let operation = Operation(
        id: context.newID(), onShown: item.id, item.version,
        mutation: actual.mutation.choosing(choice))
      operations.append(operation)
      guard choice != nil || !actual.isDone(on: item) else { continue }
      if let undo = operation.undo(id: context.newID(), before: item.notification) {
        change.undo.append(undo)
      } else if actual == .delete {
        change.deletes.append(operation.id)
      }
    }
    let object =
      items.count == 1 ? labels.first ?? .empty : SafeText("\(items.count) items")
    change.summary = ChangeText.phrase(command, object, now: now).string
    if items.count == 1 { change.subject = items[0].notification.numberOrID }
    let grace = commands.lazy.compactMap { Self.grace($0, waits: waits) }.first
    try failing {
      try access.storage().enqueue(operations, remembering: change, now: now, grace: grace)
    }
    for (item, label) in zip(items, labels).prefix(linesMax) {
      say(command, item, label, now: now)
    }
    if items.count > linesMax { StandardError.say("… and \(items.count - linesMax) more.") }
    if grace != nil { sayGrace() }
    try send(access, waits: waits, operations: operations)
    try reportSuperseded(access, operations: operations)
  }

  /// The largest number of items that are listed individually.
  private static let linesMax = 10

  /// Returns how long a command on a terminal holds back a delete, for `bellhop undo`.
  ///
  /// Returns nil if nothing is held back: a program that deletes wants the item gone.
  static func grace(_ command: ItemCommand, waits: Bool) -> Duration? {
    command == .delete && !waits && StandardOutput.isTerminal ? deleteGrace : nil
  }

  /// The time in which a delete can be undone (SYNC-8).
  static let deleteGrace = EnginePolicy().deleteGrace

  static func sayGrace() {
    let seconds = deleteGrace.components.seconds
    StandardError.say(
      "To undo it within \(seconds) s: bellhop undo. After that, an open bellhop or the next "
        + "command sends it.")
  }

  private static func say(
    _ command: ItemCommand, _ item: CachedItem, _ label: SafeText, now: Timestamp
  ) {
    if command.isDone(on: item), let state = ChangeText.presentState(command) {
      StandardError.say(label + " is already " + state + ".")
    } else {
      StandardError.say(ChangeText.sentence(ChangeText.phrase(command, label, now: now)))
    }
  }

  /// Returns the items with these names.
  ///
  /// An item that is not in the cache may have been published just now, so this synchronises once.
  static func items(named names: [String], _ access: CacheAccess) throws -> [CachedItem] {
    do {
      return try names.map { try access.item(named: $0) }
    } catch let error as ClientError where error.exitCode == .noSuchItem {
      _ = try access.freshen(isOffline: false)
      return try names.map { try access.item(named: $0) }
    }
  }

  static func labels(of items: [CachedItem], _ access: CacheAccess) throws -> [SafeText] {
    let names = try access.reader().displayNames()
    return items.map { item in
      ChangeText.label(item.notification, appName: names[item.notification.effectiveApp])
    }
  }

  static func check(isToCome until: Timestamp, now: Timestamp) throws {
    guard until > now else {
      throw ClientError(
        .usage, "\(MomentText.localTime(until)) is in the past.", next: "Nothing was changed.")
    }
  }

  private static func check(until: Timestamp, for items: [CachedItem], now: Timestamp) throws {
    try check(isToCome: until, now: now)
    for item in items {
      guard let expires = item.notification.expires, until > expires else { continue }
      throw ClientError(
        .usage,
        "\(item.notification.numberOrID) expires before then.",
        next: "Nothing was changed. The latest time is \(MomentText.localTime(expires)).")
    }
  }

  /// Lets the engine send the enqueued operations: another process's engine, or one in this
  /// process.
  ///
  /// - Returns: The operations that the store rejected, if this process is the engine. Another
  ///   process reports them on its screen.
  @discardableResult
  static func send(
    _ access: CacheAccess, waits: Bool, operations: [BellhopModel.Operation]
  ) throws -> [RejectedOperation] {
    let setup = try EngineSetup(access, joinsNudges: waits)
    let (outcome, rejected): (RoundOutcome, [RejectedOperation]) = try runBlocking {
      let lock = setup.lock()
      if try lock.tryLock() {
        let engine = try setup.engine(announces: false)
        let events = await engine.events()
        let outcome = await engine.runOnce(within: waits ? waitLimit : sendLimit)
        lock.unlock()
        setup.tellOthers(.dataChanged)
        // The engine and its event stream have ended.
        var rejected: [RejectedOperation] = []
        for await case .rejected(let more) in events { rejected += more }
        return (outcome, rejected)
      }
      setup.tellOthers(.outboxChanged)
      guard waits else { return (.delegated, []) }
      return (try await setup.waitUntilSent(operations.map(\.id), limit: waitLimit), [])
    }
    switch outcome {
    case .upToDate, .delegated: break
    case .failed(let error, _):
      guard !waits else { throw notSent(error) }
      StandardError.say("Saved here. Not sent yet: \(error). It will be sent later.")
    case .stopped:
      guard !waits else { throw notSent(.timedOut) }
      StandardError.say("Saved here. The store has not answered yet; it will be sent later.")
    }
    return rejected
  }

  private static func notSent(_ error: TransportError) -> ClientError {
    ClientError(
      error.isUnreachable ? .tryLater : error.exitCode, "Not sent yet: \(error).",
      next: "It is saved here and will be sent when the store is back.")
  }

  /// Reports the operations that had no effect, as far as this process knows.
  static func reportSuperseded(
    _ access: CacheAccess, operations: [BellhopModel.Operation]
  ) throws {
    let reader = try access.newReader()
    let now = try access.storeTime()
    var told: [OperationID] = []
    // If this fails, the next screen reports them again.
    defer { if !told.isEmpty { try? access.storage().markReported(told) } }
    for operation in operations {
      guard let id = operation.notificationIDs.first else { continue }
      let outcome = try reader.outcomes(of: id, limit: 1).first { $0.operation.id == operation.id }
      if let outcome, outcome.result != .superseded {
        let number = outcome.number.map { "#\($0): " } ?? ""
        StandardError.say(
          number + OutcomeText.line(outcome, item: try reader.item(id), now: now) + ".")
        told.append(operation.id)
        continue
      }
      guard case .set = operation.mutation, let id = operation.notificationIDs.first,
        operation.seenOperations == nil, let item = try access.newReader().item(id),
        let seen = operation.seen, item.base.meaningSequence > seen
      else { continue }
      StandardError.say(
        "\(item.notification.numberOrID) was replaced by its publisher in the meantime and was "
          + "not changed. Check it again: bellhop show \(item.notification.commandArgument)")
      told.append(operation.id)
    }
  }

  /// Runs `bellhop sync`.
  ///
  /// - Throws: `ClientError`. With several accounts, the first failure, after all were tried.
  package static func sync(_ context: ClientContext, ofAllAccounts: Bool = false) throws {
    let accesses = try CacheAccess.chosen(context, all: ofAllAccounts, startsStore: true)
    guard accesses.count > 1 else { return try sync(accesses[0], name: "") }
    var failure: (any Error)?
    for access in accesses {
      do {
        try sync(access, name: access.account.name.rawValue + ": ")
      } catch {
        if let error = ClientError(wrapping: error) {
          StandardError.say(access.account.name.rawValue + ": " + error.description)
        }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Returns the sentence that says what is safe after a failed synchronisation.
  private static func kept(_ waiting: Int) -> String {
    waiting == 0
      ? "Your local data can still be read."
      : waiting.counted("change is", "changes are") + " saved and will be sent later."
  }

  private static func sync(_ access: CacheAccess, name: String) throws {
    access.sayStart()
    let setup = try EngineSetup(access, joinsNudges: true)
    let outcome: RoundOutcome = try runBlocking {
      let lock = setup.lock()
      if try lock.tryLock() {
        let outcome = try await setup.engine(announces: false).runOnce(within: waitLimit)
        lock.unlock()
        setup.tellOthers(.dataChanged)
        return outcome
      }
      setup.tellOthers(.syncNow)
      return .delegated
    }
    switch outcome {
    case .upToDate: StandardError.say(name + "Synchronised.")
    case .delegated: StandardError.say(name + "A running bellhop is synchronising.")
    case .failed(let error, let waiting):
      throw ClientError(
        error.endsSignIn ? .notAllowed : error.exitCode,
        "Synchronisation failed: \(error).",
        next: [error.advice, kept(waiting)].compactMap(\.self).joined(separator: " "))
    case .stopped(let waiting):
      throw ClientError(
        .tryLater, "The store did not answer within a minute.", next: kept(waiting))
    }
  }
}

extension EngineSetup {
  /// Notifies the other processes of the account.
  func tellOthers(_ nudge: Nudge) {
    if let nudges {
      nudges.broadcast(nudge)
    } else {
      // Without a nudge, the others detect the change a little later, at their next check.
      try? NudgeSocket.broadcast(
        nudge, in: access.context.directories.nudgeFolder(access.account.name),
        fallbackParent: access.context.directories.runtime)
    }
  }

  /// Returns when the engine of another process has sent the operations to the store.
  func waitUntilSent(_ operations: [OperationID], limit: Duration) async throws -> RoundOutcome {
    let storage = try access.storage()
    let nudges = nudges?.nudges()
    return try await withThrowingTaskGroup(of: RoundOutcome.self) { group in
      group.addTask {
        try await ContinuousClock().sleep(for: limit)
        return .failed(.timedOut, waiting: operations.count)
      }
      group.addTask {
        if try storage.outboxCounts().unsent == 0 { return .upToDate }
        guard let nudges else { return .delegated }
        for await nudge in nudges where nudge != .statusWanted {
          if try storage.outboxCounts().unsent == 0 { return .upToDate }
          if case .status(let status) = nudge, let problem = status.problem,
            case .offline = status.connection
          {
            return .failed(.offline(.reported(problem)), waiting: operations.count)
          }
        }
        return .stopped(waiting: operations.count)
      }
      defer { group.cancelAll() }
      return try await group.next() ?? .delegated
    }
  }
}
