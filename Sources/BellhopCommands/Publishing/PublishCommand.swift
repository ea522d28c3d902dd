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
  /// Prints it after two seconds in any case, or after the time that `sync-wait` specifies.
  ///
  /// - Throws: `ClientError`.
  package static func publish(_ context: ClientContext, _ request: PublishRequest) throws {
    let access = try CacheAccess(context, startsStore: true)
    access.sayStart()
    let timeout = try request.timeout.map(checkedSpan)
    var content = try request.content(
      now: try access.storeTime(), readInput: PublishRequest.standardInput)
    let files = try request.attachedFiles.map(AttachedFile.init)
    if !files.isEmpty {
      content.extras.attachments = try runBlocking {
        let transport = try EngineSetup.transport(for: access.account, context: context)
        return try await upload(files, transport)
      }
    }
    // One key for all attempts: a lost response must not publish twice.
    let key = (context.newID() as OperationID).description
    let item = try runBlocking { [content] in
      let transport = try EngineSetup.transport(for: access.account, context: context)
      return try await trying { () async throws(TransportError) in
        try await transport.publish(content, idempotencyKey: key)
      }
    }
    if request.awaitsAnswer { return try awaitAnswer(to: item.id, within: timeout, access) }
    StandardOutput.line(SafeText(item.id.description))
    if let delivery = content.deliverAt {
      StandardError.say(
        "It will be delivered at \(MomentText.localTime(delivery)). "
          + "To cancel it: bellhop requests cancel \(item.shortNumber)")
    }
    if let trigger = content.trigger {
      let now = try access.storeTime()
      let next = trigger.next(after: now, published: now, on: SystemClock.wallClock)?.time
      let first = next == Occurrence.unknownTime ? nil : next
      StandardError.say(
        "It will be delivered \(TriggerText.phrase(trigger))"
          + (first.map { ", first at \(MomentText.localTime($0))" } ?? "")
          + ". To cancel it: bellhop requests cancel \(item.shortNumber)")
    }
    fetch(item.id, access)
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
  private static func trying<Answer>(
    _ attempt: () async throws(TransportError) -> Answer
  ) async throws -> Answer {
    var tries = 1
    while true {
      do throws(TransportError) {
        return try await attempt()
      } catch {
        guard error.isUnreachable, tries < publishTries else { throw notPublished(error) }
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
