internal import BellhopCache
public import BellhopModel
internal import BellhopSync
internal import BellhopWire

/// A synchronised local copy of one user's notifications at one store.
///
/// ```swift
/// let feed = try UserDataFeed(account) { scopes in try await signIn(for: scopes) }
/// let events = await feed.events()          // before the start, to miss no event
/// try await feed.start()
/// let reader = try await feed.channel.makeReader()
/// while let batch = try await reader.nextBatch() { … }
/// ```
///
/// Changes to notifications take effect locally at once, survive restarts, and are sent when the
/// store can be reached. Of all processes that share an account's folder, one synchronises; when it
/// ends, another one takes over. All methods may be called from any task.
public actor UserDataFeed {
  public nonisolated let account: AccountName
  /// The channel to read notifications, handle them and follow changes.
  public nonisolated let channel: UserNotificationChannel

  private let parts: FeedParts
  private let news: FeedEvents
  private let tokens: PublishTokenKeeper
  private var stage = Stage.idle

  private enum Stage {
    case idle
    case running(SyncEngine, Task<Void, Never>)
    case stopped
  }

  /// Creates a feed that does nothing until it is started.
  ///
  /// - Parameter accessToken: Returns a bearer token of the store that is valid for the scopes. The
  ///   feed calls it before the first request, and again after the store rejects a token. Throw
  ///   ``FeedError/signInAgain(_:)`` if the user has to sign in; after any other error, the feed
  ///   calls it again later.
  /// - Throws: ``FeedError/store(_:)`` if the address is not valid, uses plain HTTP to another
  ///   machine, or is a socket at which another user could listen; ``FeedError/cache(_:)`` if the
  ///   folder cannot be used.
  public init(
    _ account: FeedAccount,
    accessToken: @escaping @Sendable (_ scopes: [String]) async throws -> String
  ) throws(FeedError) {
    let news = FeedEvents()
    do {
      self.init(
        try FeedParts(account, tokenSource: RequestedTokens(news: news, request: accessToken)),
        news: news)
    } catch {
      throw FeedError(wrapping: error)
    }
  }

  package init(_ parts: FeedParts) { self.init(parts, news: FeedEvents()) }

  private init(_ parts: FeedParts, news: FeedEvents) {
    var parts = parts
    parts.transport = ObservedTransport(store: parts.transport, news: news)
    self.parts = parts
    self.news = news
    tokens = PublishTokenKeeper(parts: parts, news: news)
    account = parts.account
    channel = UserNotificationChannel(parts: parts, news: news)
    channel.attach(self)
  }

  // MARK: Start and stop

  /// Opens the local copy and starts to synchronise. Returns at once, with or without a network.
  ///
  /// Does nothing if the feed runs already. A feed that was stopped stays stopped.
  ///
  /// - Throws: ``FeedError/cache(_:)``.
  public func start() throws(FeedError) {
    guard case .idle = stage else { return }
    do {
      let engine = try parts.engine()
      // Determines which process synchronises, before any caller requests a synchronisation.
      _ = try parts.lock.tryLock()
      if try parts.storage().syncState().author != nil { news.note(.registered) }
      let (lock, news, storage) = (parts.lock, news, try parts.storage())
      let tokens = tokens
      let running = Task {
        await withDiscardingTaskGroup { group in
          let events = await engine.events()
          group.addTask {
            for await event in events {
              Self.pass(event, to: news, storage)
              if case .status(let status) = event { await tokens.note(status.connection) }
            }
          }
          group.addTask { await tokens.run() }
          group.addTask { try? await engine.run(holding: lock) }
        }
      }
      stage = .running(engine, running)
      tellUnreported()
    } catch {
      throw FeedError(wrapping: error)
    }
  }

  /// Stops the feed, and ends its streams and readers.
  ///
  /// Tries to send pending changes within `limit`, and keeps those that are not sent.
  ///
  /// - Returns: The number of changes that remain for the next start.
  @discardableResult
  public func stop(within limit: Duration = .seconds(5)) async -> Int {
    guard case .running(let engine, let running) = stage else { return 0 }
    stage = .stopped
    // Another process may still hold operations back in their grace period; they are left to it.
    if parts.lock.isHeld, await engine.status.waiting > 0 {
      _ = await engine.syncNow(within: limit)
    }
    let waiting = (try? parts.storage().outboxCounts().unsent) ?? 0
    running.cancel()
    news.finish()
    await running.value
    await parts.shutdown()
    parts.nudges?.close()
    return waiting
  }

  // MARK: Events

  /// Returns a stream of the events from now on.
  ///
  /// It begins with the feed's status, and with rejected changes that were never reported, such as
  /// those from before the program was killed. Each call returns a stream of its own, which ends
  /// when the feed stops. A slow consumer loses the oldest events.
  public func events() async -> AsyncStream<FeedEvent> {
    let events = news.events()
    news.tell(.status(await status))
    tellUnreported()
    return events
  }

  private func tellUnreported() {
    guard case .running = stage, let storage = try? parts.storage(),
      let rejected = try? storage.unreportedRejections()
    else { return }
    news.tell(rejected, keptIn: storage)
  }

  /// The state of the feed's synchronisation with its store.
  public var status: SyncStatus {
    get async {
      guard case .running(let engine, _) = stage else { return .connecting }
      return SyncStatus(await engine.status)
    }
  }

  /// The state of this device's registration with the store.
  public var registration: RegistrationState { news.registration }

  private static func pass(
    _ event: EngineEvent, to news: FeedEvents, _ storage: any CacheStorage
  ) {
    switch event {
    case .status(let status):
      if status.connection.isSignedOut, news.registration != .unregistered { news.note(.expired) }
      news.tell(.status(SyncStatus(status)))
    case .dataChanged: news.tell(.dataChanged)
    case .arrived: break
    case .rejected(let rejected): news.tell(rejected, keptIn: storage)
    }
  }

  // MARK: Publish tokens

  /// Requests a token with which the server of an app publishes to this user.
  ///
  /// Returns at once. ``FeedEvent/publishToken(_:)`` brings the token, also without a connection if
  /// the app has one that is valid. A valid token stays the same at each call and after a restart:
  /// the account's folder keeps it, in a file that only the user can read. Call this at each start,
  /// and when the store refuses the token of the app's server.
  ///
  /// While the feed runs, it replaces a token after two thirds of its lifetime of 60 days, and
  /// within six hours after the token was revoked; the same event brings the next one. A token that
  /// was replaced stays valid until it expires, so that the server has 20 days to change over.
  ///
  /// - Parameter app: The name of one app: a domain or topic, such as `ci.example.com`.
  /// - Throws: ``FeedError/notRunning``; ``FeedError/store(_:)`` for a pattern of several apps.
  public func registerForPublishing(app: String) async throws(FeedError) {
    guard case .running = stage else { throw .notRunning }
    guard !app.isEmpty, !app.contains("*") else {
      throw .store(
        "“\(app)” is not the name of one app. Use a domain or topic, such as ci.example.com. No "
          + "token was requested.")
    }
    await tokens.register(app)
  }

  /// Revokes the tokens of an app, and forgets them. The feed does not replace them.
  ///
  /// The store refuses what the app's server publishes with them from then on.
  ///
  /// - Throws: ``FeedError`` if a token may still be valid; call it again.
  public func unregisterFromPublishing(app: String) async throws(FeedError) {
    guard case .running = stage else { throw .notRunning }
    try await tokens.unregister(app)
  }

  // MARK: Synchronisation

  /// Sends pending changes and fetches new ones, now.
  ///
  /// - Throws: ``FeedError`` if this did not succeed within `limit`.
  public func sync(within limit: Duration = .seconds(30)) async throws(FeedError) {
    try await exchange(through: nil, within: limit)
  }

  /// Processes a signal that a push channel delivered.
  ///
  /// The signal is the data of an event in the store's signal stream, or the body of a web hook's
  /// request. Signals may come late, twice or not at all.
  ///
  /// - Returns: False, at once, if the data is not a signal of a store; true when the signalled
  ///   changes are stored here.
  /// - Throws: ``FeedError`` if the changes could not be fetched within `limit`.
  public func process(
    signal: some Sequence<UInt8>, within limit: Duration = .seconds(30)
  ) async throws(FeedError) -> Bool {
    guard let signal = PushSignal(signal) else { return false }
    try await exchange(through: signal, within: limit)
    return true
  }

  private func exchange(through signal: PushSignal?, within limit: Duration) async throws(FeedError)
  {
    guard case .running(let engine, _) = stage else { throw .notRunning }
    if let signal, try hasReached(signal) { return }
    guard parts.lock.isHeld else {
      return try await waitForOthers(engine, through: signal, within: limit)
    }
    switch await engine.syncNow(within: limit) {
    case .upToDate: return
    case .failed(let error, _): throw FeedError(error)
    case .stopped: throw .timedOut
    case .delegated: try await waitForOthers(engine, through: signal, within: limit)
    }
  }

  /// Returns whether the signalled changes are stored here.
  private func hasReached(_ signal: PushSignal) throws(FeedError) -> Bool {
    guard let reached = signal.reached else { return false }
    let state = try FeedError.wrapping { try parts.storage().syncState() }
    return state.firstSync == nil && state.epoch == reached.epoch
      && state.sequence >= reached.sequence
  }

  /// Requests a synchronisation from the process that synchronises, and waits for its completion.
  private func waitForOthers(
    _ engine: SyncEngine, through signal: PushSignal?, within limit: Duration
  ) async throws(FeedError) {
    let events = await engine.events()
    let asked = try FeedError.wrapping {
      parts.localTime().advanced(by: try parts.storage().syncState().clockOffset)
    }
    parts.nudges?.broadcast(.syncNow)
    let clock = parts.clock
    let outcome = await withTaskGroup(of: Result<Void, FeedError>.self) { group in
      group.addTask {
        try? await clock.sleep(for: limit)
        return .failure(.timedOut)
      }
      group.addTask { await self.outcome(of: events, since: asked, through: signal) }
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.timedOut)
    }
    try outcome.get()
  }

  private func outcome(
    of events: AsyncStream<EngineEvent>, since asked: Timestamp, through signal: PushSignal?
  ) async -> Result<Void, FeedError> {
    // The first event is the status before the request.
    for await event in events.dropFirst() {
      if let signal, (try? hasReached(signal)) == true { return .success(()) }
      guard case .status(let status) = event else { continue }
      if let last = status.lastSync, last >= asked, signal != nil || status.waiting == 0 {
        return .success(())
      }
      switch status.connection {
      case .offline: return .failure(.offline(status.problem ?? "the store cannot be reached"))
      case .signInAgain, .signedOut:
        return .failure(.signInAgain(status.problem ?? "sign in again"))
      case .connecting, .live, .polling, .firstSync: continue
      }
    }
    return .failure(.notRunning)
  }

  /// Notifies the engine that this process has written operations.
  func outboxChanged() async {
    if case .running(let engine, _) = stage {
      await engine.outboxChanged()
    } else {
      news.tell(.dataChanged)
      parts.nudges?.broadcast(.outboxChanged)
    }
  }
}
