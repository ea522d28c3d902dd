internal import BellhopModel
internal import BellhopSync
internal import BellhopText

extension Commands {
  /// A publish that takes longer has not reached a store.
  private static let publishTries = 3

  /// `bellhop publish`: prints the item's id.
  package static func publish(_ context: ClientContext, _ request: PublishRequest) throws {
    let access = try CacheAccess(context, startsStore: true)
    if let notice = access.notice { StandardError.say(notice) }
    let content = try request.content(
      now: try access.storeTime(), readInput: PublishRequest.standardInput)
    // One key for all tries: a lost answer must not publish twice.
    let key = (context.newID() as OperationID).description
    let item = try runBlocking {
      let transport = try EngineSetup.transport(for: access.account, context: context)
      var tries = 1
      while true {
        do {
          return try await transport.publish(content, idempotencyKey: key)
        } catch let error as TransportError {
          guard error.isUnreachable, tries < publishTries else { throw notPublished(error) }
          tries += 1
          try await ContinuousClock().sleep(for: .milliseconds(200 * tries))
        }
      }
    }
    StandardOutput.line(SafeText(item.id.description))
    if let delivery = content.deliverAt {
      StandardError.say(
        "It is delivered at \(ItemLine.localTime(delivery)). "
          + "bellhop dismiss \(item.shortNumber) keeps it out of every tray.")
    }
    fetch(access)
  }

  /// How long the item may take to reach this device's own cache.
  private static let fetchLimit: Duration = .seconds(2)

  /// Brings the new item into the cache, so that `bellhop list` shows it. With a screen open its
  /// engine does it anyway; when it fails the next synchronisation does it.
  private static func fetch(_ access: CacheAccess) {
    _ = try? runBlocking {
      let setup = try EngineSetup(access, joinsNudges: false)
      let lock = setup.lock()
      guard try lock.tryLock() else { return }
      _ = try await setup.engine(announces: false).runOnce(within: fetchLimit)
      lock.unlock()
      setup.tellOthers(.dataChanged)
    }
  }

  private static func notPublished(_ error: TransportError) -> ClientError {
    switch error {
    case .unauthorized, .signInEnded, .revoked, .forbidden:
      ClientError(.notAllowed, "Not published: \(error).", next: "Nothing was stored.")
    case .server(let status, let message) where (400..<500).contains(status):
      ClientError(.badData, "Not published: \(message)", next: "Nothing was stored.")
    case .server(507, let message):
      ClientError(.storeUnavailable, "Not published: \(message)", next: "Nothing was stored.")
    case .throttled:
      ClientError(.tryLater, "Not published: \(error).", next: "Nothing was stored. Try again.")
    default:
      ClientError(
        .storeUnavailable, "Not published: \(error).",
        next: "If the store got it before the connection broke, it has it once.")
    }
  }
}
