internal import BellhopCache
public import BellhopModel
internal import BellhopSync
internal import BellhopWire

/// The notifications of one user on one store: a local copy that keeps in step with it.
///
/// ```swift
/// let feed = try UserDataFeed(account) { scopes in try await signIn(for: scopes) }
/// let events = await feed.events()          // before the start: nothing is missed
/// try await feed.start()
/// let reader = try await feed.channel.makeReader()
/// while let batch = try await reader.nextBatch() { … }
/// ```
///
/// What is done to notifications holds here at once, is kept over restarts, and is sent when the
/// store can be reached. Of all processes that share an account's folder one synchronises; when it
/// ends, another one goes on. Everything may be called from any task.
public actor UserDataFeed {
  public nonisolated let account: AccountName
  /// The notifications: to get, to handle and to follow.
  public nonisolated let channel: UserNotificationChannel

  private let parts: FeedParts
  private let news: FeedNews
  private var stage = Stage.idle

  private enum Stage {
    case idle
    case running(SyncEngine, Task<Void, Never>)
    case stopped
  }

  /// A feed that does nothing yet.
  ///
  /// - Parameter accessToken: asked for a bearer token of the store, with the scopes it has to be
  ///   good for: at the first request, and again when the store did not accept the last one. It
  ///   throws ``FeedError/signInAgain(_:)`` when only the person can get one; after any other error
  ///   it is asked again later.
  /// - Throws: ``FeedError/store(_:)`` for an address that is none, plain HTTP to another machine, or
  ///   a socket in the place of which another user could listen; ``FeedError/cache(_:)`` when the
  ///   folder cannot be used.
  public init(
    _ account: FeedAccount,
    accessToken: @escaping @Sendable (_ scopes: [String]) async throws -> String
  ) throws(FeedError) {
    let news = FeedNews()
    do {
      self.init(
        try FeedParts(account, tokenSource: RequestedTokens(news: news, request: accessToken)),
        news: news)
    } catch {
      throw FeedError(wrapping: error)
    }
  }

  package init(_ parts: FeedParts) { self.init(parts, news: FeedNews()) }

  private init(_ parts: FeedParts, news: FeedNews) {
    var parts = parts
    parts.transport = ObservedTransport(store: parts.transport, news: news)
    self.parts = parts
    self.news = news
    account = parts.account
    channel = UserNotificationChannel(parts: parts, news: news)
    channel.attach(self)
  }

  // MARK: Beginning and end

  /// Opens the local copy and begins to synchronise. Returns at once, with or without a network.
  ///
  /// - Throws: ``FeedError/cache(_:)``. A feed that was stopped stays stopped.
  public func start() throws(FeedError) {
    guard case .idle = stage else { return }
    do {
      let engine = try parts.engine()
      // Known before anybody asks for a round: who synchronises.
      _ = try parts.lock.tryLock()
      if try parts.storage().syncState().author != nil { news.note(.registered) }
      let (lock, news, storage) = (parts.lock, news, try parts.storage())
      let running = Task {
        await withDiscardingTaskGroup { group in
          let events = await engine.events()
          group.addTask { for await event in events { Self.pass(event, to: news, storage) } }
          group.addTask { try? await engine.run(holding: lock) }
        }
      }
      stage = .running(engine, running)
      tellUntold()
    } catch {
      throw FeedError(wrapping: error)
    }
  }

  /// Ends: what was done here is sent if that succeeds within `limit`, and kept otherwise. Streams
  /// and readers end.
  ///
  /// - Returns: how many changes stay for the next start.
  @discardableResult
  public func stop(within limit: Duration = .seconds(5)) async -> Int {
    guard case .running(let engine, let running) = stage else { return 0 }
    stage = .stopped
    // What another process still holds back, so that it can be taken back, is left to that one.
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

  // MARK: What happens

  /// What happens from now on, beginning with how the feed stands, and with the changes that did not
  /// take effect and that nobody was told of, as when the program was killed before it heard. Every
  /// caller has a stream of its own, which ends when the feed is stopped; one who is slow misses old
  /// events.
  public func events() async -> AsyncStream<FeedEvent> {
    let events = news.events()
    news.tell(.status(await status))
    tellUntold()
    return events
  }

  private func tellUntold() {
    guard case .running = stage, let storage = try? parts.storage(),
      let untold = try? storage.untold()
    else { return }
    news.tell(untold, keptIn: storage)
  }

  /// How the feed stands with its store.
  public var status: SyncStatus {
    get async {
      guard case .running(let engine, _) = stage else { return .connecting }
      return SyncStatus(await engine.status)
    }
  }

  /// How this device's registration stands.
  public var registration: RegistrationState { news.registration }

  private static func pass(
    _ event: EngineEvent, to news: FeedNews, _ storage: any CacheStorage
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

  // MARK: Exchanging

  /// Sends what waits and fetches what is new, now.
  ///
  /// - Throws: ``FeedError`` when that did not succeed within `limit`.
  public func sync(within limit: Duration = .seconds(30)) async throws(FeedError) {
    try await exchange(through: nil, within: limit)
  }

  /// Hands over what a push channel delivered: the data of an event of the store's stream of signals,
  /// or the body of a web hook's request.
  ///
  /// - Returns: false, at once, when it is no signal of a store; true when the changes that it tells
  ///   of are stored here. Signals may come late, twice or not at all.
  /// - Throws: ``FeedError`` when they could not be fetched within `limit`.
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

  /// Whether the changes that the signal tells of are here.
  private func hasReached(_ signal: PushSignal) throws(FeedError) -> Bool {
    guard let reached = signal.reached else { return false }
    let state: SyncState
    do {
      state = try parts.storage().syncState()
    } catch {
      throw FeedError(wrapping: error)
    }
    return state.firstSync == nil && state.epoch == reached.epoch
      && state.sequence >= reached.sequence
  }

  /// Has the process that synchronises do it, and waits until it says that it has.
  private func waitForOthers(
    _ engine: SyncEngine, through signal: PushSignal?, within limit: Duration
  ) async throws(FeedError) {
    let events = await engine.events()
    let asked: Timestamp
    do {
      asked = parts.localTime().advanced(by: try parts.storage().syncState().clockOffset)
    } catch {
      throw FeedError(wrapping: error)
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
    // The first one is how it stood before.
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

  /// Operations were written by this process.
  func outboxChanged() async {
    if case .running(let engine, _) = stage {
      await engine.outboxChanged()
    } else {
      news.tell(.dataChanged)
      parts.nudges?.broadcast(.outboxChanged)
    }
  }
}
