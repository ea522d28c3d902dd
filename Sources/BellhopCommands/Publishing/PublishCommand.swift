internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import Glibc

extension Commands {
  /// The most attempts. After that, the store counts as unreachable.
  private static let publishTries = 3

  /// Runs `bellhop publish`, which prints the item's id once the item is in this device's cache.
  ///
  /// Prints it after two seconds in any case, or after the time that `sync-wait` specifies. If the store
  /// cannot be reached, the publication waits in the outbox, and the item is in the cache at once.
  ///
  /// - Throws: `ClientError`.
  package static func publish(_ context: ClientContext, _ request: PublishRequest) throws {
    let access = try CacheAccess(context, startsStore: true)
    access.sayStart()
    let timeout = try request.timeout.map(checkedSpan)
    let content = try request.content(
      now: try access.storeTime(), readInput: PublishRequest.standardInput)
    // One key for all attempts: a lost response must not publish twice.
    let id: OperationID = context.newID()
    let needsStore = request.awaitsAnswer || !request.attachedFiles.isEmpty
    if !needsStore, try hasWaitingPublication(access) {
      return try publishAfterOthers(content, as: id, access)
    }
    switch try send(content, request, as: id, access) {
    case .success(let item):
      if request.awaitsAnswer { return try awaitAnswer(to: item.id, within: timeout, access) }
      try sayPublished(content, item.id, number: item.shortNumber, access)
      fetch(item.id, access)
    case .failure(let error):
      guard !needsStore, error.leavesPublicationToOutbox else { throw notPublished(error) }
      try enqueue(content, as: id, access)
      sayNotSent("\(error)")
    }
  }

  private static func sayPublished(
    _ content: Content, _ id: NotificationID, number: Int64, _ access: CacheAccess
  ) throws {
    StandardOutput.line(SafeText(id.description))
    let advice = "To cancel it: bellhop requests cancel \(ItemNumber.argument(number, id))"
    if let delivery = content.deliverAt {
      StandardError.say("It will be delivered at \(MomentText.localTime(delivery)). " + advice)
    }
    if let trigger = content.trigger {
      let now = try access.storeTime()
      let next = trigger.next(after: now, published: now, on: SystemClock.wallClock)?.time
      let first = next == Occurrence.unknownTime ? nil : next
      StandardError.say(
        "It will be delivered \(TriggerText.phrase(trigger))"
          + (first.map { ", first at \(MomentText.localTime($0))" } ?? "") + ". " + advice)
    }
  }

  // MARK: The store

  /// Uploads the files and publishes the item at the store.
  private static func send(
    _ content: Content, _ request: PublishRequest, as id: OperationID, _ access: CacheAccess
  ) throws -> Result<PublishedItem, TransportError> {
    let (account, context) = (access.account, access.context)
    let files = try request.attachedFiles.map(AttachedFile.init)
    return try runBlocking {
      let transport = try EngineSetup.transport(for: account, context: context)
      do {
        var content = content
        if !files.isEmpty {
          content.extras.attachments = try await upload(files, transport)
        }
        let complete = content
        return .success(
          try await trying { () async throws(TransportError) in
            try await transport.publish(complete, idempotencyKey: id.description)
          })
      } catch let error as TransportError {
        return .failure(error)
      }
    }
  }

  private static func upload(
    _ files: [AttachedFile], _ transport: HTTPTransport
  ) async throws -> [ContentExtras.Attachment] {
    var attachments: [ContentExtras.Attachment] = []
    for file in files {
      attachments.append(
        try await trying { () async throws(TransportError) in
          try await transport.uploadFile(at: file.path, name: file.name, size: file.size)
        })
    }
    return attachments
  }

  /// Tries several times while the store cannot be reached.
  ///
  /// - Throws: `TransportError` of the last attempt.
  private static func trying<Answer>(
    _ attempt: () async throws(TransportError) -> Answer
  ) async throws -> Answer {
    var tries = 1
    while true {
      do throws(TransportError) {
        return try await attempt()
      } catch {
        guard error.isUnreachable, tries < publishTries else { throw error }
        tries += 1
        try await ContinuousClock().sleep(for: .milliseconds(200 * tries))
      }
    }
  }

  /// The wait for the item to reach this device's cache, unless `sync-wait` specifies another one.
  private static let fetchLimit: Duration = .seconds(2)

  /// Fetches the new item into the cache, so that `bellhop list` shows it.
  ///
  /// Makes a round in this process or waits for the running engine. If that fails, the next
  /// synchronisation fetches the item.
  private static func fetch(_ item: NotificationID, _ access: CacheAccess) {
    let limit = access.context.configuration.syncWait ?? fetchLimit
    guard limit > .zero else { return }
    try? runBlocking {
      let setup = try EngineSetup(access, joinsNudges: true)
      let lock = setup.lock()
      guard try lock.tryLock() else { return try await setup.wait(for: item, limit: limit) }
      _ = try await setup.engine(announces: false).runOnce(within: limit)
      lock.unlock()
      setup.tellOthers(.dataChanged)
    }
  }

  // MARK: The outbox

  /// The most operations of the outbox that are checked, far more than a user makes offline.
  private static let waitingMax = 10_000

  /// Returns whether an earlier publication waits to be sent, which this one must not overtake.
  private static func hasWaitingPublication(_ access: CacheAccess) throws -> Bool {
    let waiting = try failing { try access.reader().waitingOperations(limit: waitingMax) }
    return waiting.contains { $0.stage != .answered && $0.operation.publishedContent != nil }
  }

  /// Appends a publication to the outbox, and prints the id of its item.
  private static func enqueue(
    _ content: Content, as id: OperationID, _ access: CacheAccess
  ) throws {
    let operation = Operation(id: id, publishing: content, at: try access.storeTime())
    try failing {
      _ = try access.storage().enqueue([operation], now: access.storeTime(), sealAfter: nil)
    }
    try? EngineSetup(access, joinsNudges: false).tellOthers(.outboxChanged)
    try sayPublished(content, NotificationID(sameAs: id), number: 0, access)
  }

  /// Publishes through the outbox, behind publications that wait there, and tries to send them all.
  private static func publishAfterOthers(
    _ content: Content, as id: OperationID, _ access: CacheAccess
  ) throws {
    try enqueue(content, as: id, access)
    let item = NotificationID(sameAs: id)
    fetch(item, access)
    let outcome = try failing { try access.newReader().outcomes(of: item, limit: 1).first }
    if case .notPublished(let reason)? = outcome?.result {
      try? access.storage().markReported([id])
      throw ClientError(.badData, "Not published: \(reason).", next: "Nothing was stored.")
    }
    guard try hasWaitingPublication(access) else { return }
    sayNotSent("it comes after earlier publications, which wait for the store")
  }

  private static func sayNotSent(_ reason: String) {
    StandardError.say("Not sent yet: \(reason). It is sent with the next synchronisation.")
  }

  static func notPublished(_ error: TransportError) -> ClientError {
    switch error {
    case .cache:
      ClientError(error.exitCode, "Not published: \(error).", next: "Nothing was stored.")
    case .unauthorized, .signInEnded, .revoked, .forbidden:
      ClientError(.notAllowed, "Not published: \(error).", next: "Nothing was stored.")
    case .server(let status, let message) where (400..<500).contains(status):
      ClientError(
        .badData, "Not published: \(message.clause).", next: "Nothing was stored.")
    case .server(507, let message):
      ClientError(
        .storeUnavailable, "Not published: \(message.clause).", next: "Nothing was stored.")
    case .throttled:
      ClientError(.tryLater, "Not published: \(error).", next: "Nothing was stored. Try again.")
    case .offline, .timedOut, .resyncRequired, .outOfOrder, .outboxDiverged, .server, .badAnswer,
      .unknownDevice, .badAddress, .insecure, .providerOffline, .provider, .cancelled:
      ClientError(
        .storeUnavailable, "Not published: \(error).",
        next: "The store may have it already. Check with bellhop list before you try again.")
    }
  }
}

extension TransportError {
  /// Whether a publication that failed so is left to the outbox.
  ///
  /// A store whose disk or quota is full has refused it.
  fileprivate var leavesPublicationToOutbox: Bool {
    if case .server(507, _) = self { false } else { isUnreachable }
  }
}

extension EngineSetup {
  /// Returns when another process's engine has fetched the item into the cache, or after the limit.
  fileprivate func wait(for item: NotificationID, limit: Duration) async throws {
    guard let nudges else { return }
    let reader = try access.newReader()
    let changes = nudges.nudges()
    nudges.broadcast(.syncNow)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await ContinuousClock().sleep(for: limit) }
      group.addTask {
        if (try? reader.item(item)) != nil { return }
        for await nudge in changes where nudge == .dataChanged {
          if (try? reader.item(item)) != nil { return }
        }
      }
      await group.next()
      group.cancelAll()
    }
  }
}

/// A local file that is published with an item.
private struct AttachedFile: Sendable {
  let path: String
  let name: String
  let size: Int

  /// - Throws: `ClientError` if it cannot be read, is not a file, or is empty.
  init(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
      throw ClientError(
        .inputOutput, "Cannot read \(path): \(systemMessage(errno)).",
        next: "Nothing was published.")
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      throw ClientError(
        .badData, "\(path) is empty or not a file.",
        next: "Nothing was published. Use --attach with a file, such as backup.log.")
    }
    self.path = path
    name = path.split(separator: "/").last.map(String.init) ?? path
    size = Int(status.st_size)
  }
}
