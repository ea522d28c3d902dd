internal import BellhopCache
package import BellhopClient
package import BellhopModel
internal import BellhopNetwork
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// How long a command waits for the store before it leaves the rest to the next one.
  private static let sendLimit: Duration = .seconds(10)
  /// How long `--wait` waits.
  private static let waitLimit: Duration = .seconds(60)

  /// `bellhop read`, `dismiss`, …: at once in the cache, then sent by the account's engine.
  ///
  /// - Throws: ``ClientError``.
  package static func change(
    _ context: ClientContext, _ verb: Verb, _ choice: ItemChoice, waits: Bool
  ) throws {
    try change(CacheAccess(context, startsStore: false), verb, choice, waits: waits)
  }

  /// `bellhop snooze`: a span counts from now by the store's clock, whatever this machine's says.
  ///
  /// - Throws: ``ClientError``.
  package static func snooze(
    _ context: ClientContext, until text: String, option: String, _ choice: ItemChoice,
    waits: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let end = try TimeExpression.instant(text, option: option, now: try access.storeTime())
    try change(access, .snooze(until: end), choice, waits: waits)
  }

  private static func change(
    _ access: CacheAccess, _ verb: Verb, _ choice: ItemChoice, waits: Bool
  ) throws {
    switch choice {
    case .named(let names):
      let names = try names == ["-"] ? StandardInput.names() : names
      guard !names.isEmpty else {
        return StandardError.say("Standard input names no item. Nothing was changed.")
      }
      try change(access, verb, names: names, waits: waits)
    case .passing(let passing): try change(access, verb, passing, waits: waits)
    }
  }

  private static func change(
    _ access: CacheAccess, _ verb: Verb, names: [String], waits: Bool
  ) throws {
    let context = access.context
    // All names are looked up before anything is changed.
    let items = try items(named: names, access)
    let now = try access.storeTime()
    if case .snooze(let until) = verb { try check(until: until, for: items, now: now) }
    let labels = try labels(of: items, access)
    var operations: [BellhopModel.Operation] = []
    var change = CommandChange(summary: "")
    for item in items {
      let operation = Operation(
        id: context.newID(), target: .item(item.id), mutation: verb.mutation,
        seen: item.notification.state.contentSequence)
      operations.append(operation)
      guard !verb.isDone(on: item) else { continue }
      if let undo = operation.undo(id: context.newID(), before: item.notification) {
        change.undo.append(undo)
      } else if verb == .delete {
        change.deletes.append(operation.id)
      }
    }
    let object =
      items.count == 1 ? labels.first ?? .empty : SafeText("\(items.count) items")
    change.summary = ChangeText.phrase(verb, object, now: now).string
    if items.count == 1 { change.subject = "#\(items[0].notification.shortNumber)" }
    let grace = grace(verb, waits: waits)
    try failing {
      try access.storage().enqueue(operations, remembering: change, now: now, grace: grace)
    }
    for (item, label) in zip(items, labels).prefix(linesMax) {
      say(verb, item, label, now: now)
    }
    if items.count > linesMax { StandardError.say("… and \(items.count - linesMax) more.") }
    if grace != nil { sayGrace() }
    try send(access, waits: waits, operations: operations)
    try reportSuperseded(access, operations: operations)
  }

  /// The largest number of items that are named line by line.
  private static let linesMax = 10

  /// How long a command on a terminal holds a delete back, for `bellhop undo`; nil where nothing is
  /// held: a program that deletes wants the item gone.
  static func grace(_ verb: Verb, waits: Bool) -> Duration? {
    verb == .delete && !waits && StandardOutput.isTerminal ? deleteGrace : nil
  }

  /// How long a delete can be undone (SYNC-8).
  static let deleteGrace = EnginePolicy().deleteGrace

  static func sayGrace() {
    let seconds = deleteGrace.components.seconds
    StandardError.say(
      "bellhop undo takes that back within \(seconds) s. After that an open bellhop, or the next "
        + "command, sends it.")
  }

  private static func say(_ verb: Verb, _ item: CachedItem, _ label: SafeText, now: Timestamp) {
    if verb.isDone(on: item), let state = ChangeText.presentState(verb) {
      StandardError.say(label + " is already " + state + ".")
    } else {
      StandardError.say(ChangeText.sentence(ChangeText.phrase(verb, label, now: now)))
    }
  }

  /// The items with these names. One that the cache does not have may have been published a moment
  /// ago, so the store is asked once.
  private static func items(named names: [String], _ access: CacheAccess) throws -> [CachedItem] {
    do {
      return try names.map { try access.item(named: $0) }
    } catch let error as ClientError where error.exitCode == .noSuchItem {
      _ = try access.freshen(isOffline: false)
      return try names.map { try access.item(named: $0) }
    }
  }

  private static func labels(of items: [CachedItem], _ access: CacheAccess) throws -> [SafeText] {
    let names = try access.reader().displayNames()
    return items.map { item in
      ChangeText.label(item.notification, appName: names[item.notification.content.app])
    }
  }

  static func check(isToCome until: Timestamp, now: Timestamp) throws {
    guard until > now else {
      throw ClientError(
        .usage, "\(MomentText.localTime(until)) has passed already.", next: "Nothing was changed.")
    }
  }

  private static func check(until: Timestamp, for items: [CachedItem], now: Timestamp) throws {
    try check(isToCome: until, now: now)
    for item in items {
      guard let expires = item.notification.expires, until > expires else { continue }
      throw ClientError(
        .usage,
        "#\(item.notification.shortNumber) expires before that.",
        next: "Nothing was changed. The latest time is \(MomentText.localTime(expires)).")
    }
  }

  /// Lets the engine send what was enqueued: another process if one is the engine, else this one.
  ///
  /// - Returns: what the store did not carry out, if this process is the engine; another one tells
  ///   it on its screen.
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
        // The engine has ended, and the stream with it.
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
      StandardError.say("Done here. Not sent yet: \(error). It is kept and sent later.")
    case .stopped:
      guard !waits else { throw notSent(.timedOut) }
      StandardError.say("Done here. The store has not answered yet; it is kept and sent later.")
    }
    return rejected
  }

  private static func notSent(_ error: TransportError) -> ClientError {
    ClientError(
      error.isUnreachable ? .tryLater : error.exitCode, "Not sent yet: \(error).",
      next: "It is done here, kept, and sent when the store is back.")
  }

  /// Says which of the operations came to nothing, as far as this process was told.
  private static func reportSuperseded(
    _ access: CacheAccess, operations: [BellhopModel.Operation]
  ) throws {
    let reader = try access.newReader()
    let now = try access.storeTime()
    var told: [OperationID] = []
    // What cannot be noted is reported once more by the next screen.
    defer { if !told.isEmpty { try? access.storage().markTold(told) } }
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
        let item = try access.newReader().item(id), let seen = operation.seen,
        item.base.contentSequence > seen
      else { continue }
      StandardError.say(
        "#\(item.notification.shortNumber) was replaced by its publisher meanwhile, so it was "
          + "left as it is. Look at it again: bellhop show \(item.notification.shortNumber)")
      told.append(operation.id)
    }
  }

  /// `bellhop sync`.
  ///
  /// - Throws: ``ClientError``; of several accounts the first that failed, after all were tried.
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

  /// The sentence about what is safe when a synchronisation failed.
  private static func kept(_ waiting: Int) -> String {
    waiting == 0
      ? "What is here can be read meanwhile."
      : waiting.counted("change is", "changes are") + " kept and sent later."
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
    case .upToDate: StandardError.say(name + "Everything is sent and fetched.")
    case .delegated: StandardError.say(name + "A running bellhop synchronises now.")
    case .failed(let error, let waiting):
      throw ClientError(
        error.endsSignIn ? .notAllowed : error.exitCode,
        "Synchronisation failed: \(error).",
        next: [error.advice, kept(waiting)].compactMap(\.self).joined(separator: " "))
    case .stopped(let waiting):
      throw ClientError(
        .tryLater, "The store has not answered within a minute.", next: kept(waiting))
    }
  }
}

extension EngineSetup {
  /// Tells the other processes of the account.
  func tellOthers(_ nudge: Nudge) {
    if let nudges {
      nudges.broadcast(nudge)
    } else {
      // Without it the others notice a little later, at their next look.
      try? NudgeSocket.broadcast(
        nudge, in: access.context.directories.nudgeFolder(access.account.name),
        fallbackParent: access.context.directories.runtime)
    }
  }

  /// Returns when the engine of another process has brought the operations to the store.
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
