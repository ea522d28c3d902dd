internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// The screen's connection to its account.
///
/// It starts the engine after the first paint and passes its events on to the event loop.
final class Session: Sendable {
  let access: CacheAccess
  private let box: MessageQueue
  /// The name of the account among others; nil if it is the only one.
  private let label: SafeText?
  private let state = Mutex<State>(State())
  /// The queue for starting. A global queue would have its threads checked every second from then
  /// on.
  private let starting = DispatchQueue(label: "bellhop.session.start")

  private struct State {
    var engine: SyncEngine?
    var setup: EngineSetup?
    var offset: Duration = .zero
    var tasks: [Task<Void, Never>] = []
    var isStopped = false
    var notes = SyncLog()
    var announcer: Announcer?
    var news: AccountObserver?
    var places: PlaceReporter?
    var status: EngineStatus?
    /// The status that was last sent to the screen.
    var told: ConnectionStatus?
    /// The keeper of the private store; nil for any other store.
    var keeper: StoreSupervisor?
    /// Whether the user stopped the private store.
    var isStoreStopped = false
  }

  /// The time limit for a round that the user requested with a key.
  private static let roundLimit: Duration = .seconds(30)

  init(access: CacheAccess, box: MessageQueue, clockOffset: Duration, label: SafeText? = nil) {
    self.access = access
    self.box = box
    self.label = label
    state.withLock { $0.offset = clockOffset }
  }

  /// Returns the store's time, as far as it is known.
  func storeTime() -> Timestamp {
    access.context.now().advanced(by: state.withLock { $0.offset })
  }

  /// Returns a reader of the account's lists with its own connection.
  func newListReader() throws -> ListReader {
    ListReader(
      cache: try access.newReader(), device: access.account.device,
      now: { [self] in storeTime() })
  }

  // MARK: Start

  /// Starts the private store if needed, and the engine. Returns immediately.
  func start() {
    if access.account.isPrivate {
      let keeper = StoreSupervisor(access.context) { [weak self] in self?.take($0) }
      state.withLock { $0.keeper = keeper }
    }
    // Starting a store waits for another process, which a thread of the pool must not do.
    starting.async { [self] in
      startStore()
      do {
        let setup = try EngineSetup(access, joinsNudges: true)
        let account = access.account.name
        let engine = try setup.engine(announces: false) { [box] scope in
          switch scope {
          case .everything: box.post(.dataChanged)
          case .items(let ids): box.postChange(of: ids.map { ItemKey(account: account, id: $0) })
          }
        }
        run(engine, setup)
      } catch {
        say(.error, error.explanation.sentence)
      }
    }
  }

  private func startStore() {
    if let notice = access.notice { say(.information, notice) }
    guard access.account.isPrivate else { return }
    do {
      let store = try access.context.privateStore()
      if let notice = try store.start(accounts: access.context.accounts).notice {
        say(.information, notice)
      }
      box.post(.firstRunHelpChanged(FirstRunText.help(for: access)))
    } catch {
      say(.error, error.explanation.sentence)
    }
  }

  private func take(_ news: StoreSupervisor.News) {
    switch news {
    case .isStopped(let isStopped):
      state.withLock { $0.isStoreStopped = isStopped }
      tellConnection()
    case .startedAgain(let notice):
      say(.information, Self.line("The private store had stopped and was restarted.", notice))
      box.post(.firstRunHelpChanged(FirstRunText.help(for: access)))
      guard let engine = state.withLock({ $0.engine }) else { return }
      Task.detached { _ = await engine.syncNow(within: Self.roundLimit) }
    case .failed(let reason): say(.error, reason)
    }
  }

  private static func line(_ sentences: String?...) -> String {
    sentences.compactMap(\.self).joined(separator: " ")
  }

  private func run(_ engine: SyncEngine, _ setup: EngineSetup) {
    let isStopped = state.withLock { state in
      (state.engine, state.setup) = (engine, setup)
      return state.isStopped
    }
    guard !isStopped else { return }
    let (announcer, news) = (newAnnouncer(), newAccountNews())
    announcer.checkNow(isReturn: true)
    let places = PlaceReporter(
      access: access, now: { [self] in storeTime() },
      reported: { [self] in
        announcer.scheduleCheck()
        outboxChanged()
        box.post(.dataChanged)
      })
    state.withLock { ($0.announcer, $0.news, $0.places) = (announcer, news, places) }
    let running = Task.detached { [self] in
      do {
        try await engine.run(holding: setup.lock())
      } catch is CancellationError {
        // The screen is closing.
      } catch {
        say(.error, error.explanation.sentence)
      }
    }
    let listening = Task.detached { [self] in
      for await event in await engine.events() { take(event) }
    }
    // Also replaces another screen when that one closes.
    let presence = ScreenPresence.hold(access)
    let watching = Task.detached { await places.run() }
    state.withLock { $0.tasks = [running, listening, presence, watching] }
    news.checkNow()
    // Changes by other processes between the first paint and now were not reported.
    box.post(.dataChanged)
  }

  private func take(_ event: EngineEvent) {
    // The announcer must handle the store's items before the header shows that the store is
    // reached.
    state.withLock { $0.announcer }?.take(event)
    switch event {
    case .status(let status):
      let now = storeTime()
      state.withLock { state in
        state.status = status
        state.notes.take(status, at: now)
      }
      state.withLock { $0.keeper }?.note(status.connection)
      tellConnection()
      scheduleCheck()
    case .dataChanged:
      // Regardless of which process is the engine: the change may be this screen's own.
      scheduleCheck()
      state.withLock { $0.places }?.dataChanged()
    case .arrived: break
    case .rejected(let operations):
      let now = storeTime()
      state.withLock { $0.notes.takeRejected(operations.count, at: now) }
      scheduleCheck()
    }
  }

  private func scheduleCheck() { state.withLock { $0.news }?.scheduleCheck() }

  /// Reports the state of the connection to the store.
  private func tellConnection() {
    // Posted under the lock, so that of two threads the one with the older status does not post
    // last.
    state.withLock { state in
      let told = state.told
      guard
        let status = state.status?.forScreen(
          clockOffset: state.offset, isStoreStopped: state.isStoreStopped), status != told
      else { return }
      state.told = status
      var alike = status
      alike.waiting = told?.waiting ?? -1
      box.postStatus(
        status, of: label == nil ? nil : access.account.name,
        isMinor: alike == told && status.link == .live)
    }
  }

  private func newAccountNews() -> AccountObserver {
    AccountObserver(
      access: access, box: box, now: { [self] in storeTime() },
      say: { [self] in say(.information, $0, hidden: $1) },
      tellOffset: { [self] offset in
        let isNew = state.withLock { state in
          defer { state.offset = offset }
          return state.offset != offset
        }
        if isNew { tellConnection() }
      })
  }

  private func newAnnouncer() -> Announcer {
    let (name, context) = (access.account.name, access.context)
    return Announcer(
      access: access,
      hidesTitles: { context.configuration.hidesPreviews(environment: context.environment) },
      now: { [self] in storeTime() },
      tell: { [self] news, isReturn in
        let now = storeTime()
        state.withLock { $0.notes.take(news, at: now) }
        box.post(.account(.announced(news, of: name, isReturn: isReturn)))
      })
  }

  // MARK: Requests of the screen

  /// Notifies the engine that this process committed an operation.
  func outboxChanged() {
    guard let engine = state.withLock({ $0.engine }) else { return }
    Task.detached { await engine.outboxChanged() }
  }

  /// Synchronises now.
  ///
  /// - Parameter isAsked: Whether the user pressed the key and expects a report. Otherwise the
  ///   terminal got the focus or the machine woke up.
  func synchronise(isAsked: Bool) {
    guard let engine = state.withLock({ $0.engine }) else { return }
    Task.detached { [self] in
      guard isAsked else {
        state.withLock { $0.announcer }?.scheduleCheck()
        return await engine.resume()
      }
      guard let keeper = state.withLock({ $0.keeper }) else { return await exchange(engine) }
      keeper.startNow { answer in
        switch answer {
        case .isRunning: Task.detached { await self.exchange(engine) }
        case .started(let notice):
          self.box.post(.firstRunHelpChanged(FirstRunText.help(for: self.access)))
          let news = Self.line("The private store was started.", notice)
          Task.detached { await self.exchange(engine, after: news) }
        case .failed(let reason): self.say(.error, reason)
        }
      }
    }
  }

  /// Synchronises and reports the result.
  ///
  /// - Parameter news: A sentence to put before the result.
  private func exchange(_ engine: SyncEngine, after news: String? = nil) async {
    switch await engine.syncNow(within: Self.roundLimit) {
    case .upToDate: say(.success, Self.line(news, "Everything is sent and fetched."))
    case .delegated:
      say(.information, Self.line(news, "Another bellhop on this machine is synchronising."))
    case .failed(let error, let waiting):
      let kept = waiting == 0 ? nil : waiting.counted("change is", "changes are") + " saved."
      say(.error, Self.line(news, "Not synchronised: \(error).", kept))
    case .stopped: break
    }
  }

  /// The recent events between this device and its store, newest first.
  var syncNotes: [ActivityReport.Note] { state.withLock { $0.notes.notes } }

  /// Returns the transport to the store, shared with the engine if that is running.
  ///
  /// - Throws: `ClientError`.
  func transport() throws -> HTTPTransport {
    if let running = state.withLock({ $0.setup?.transport }) { return running }
    return try EngineSetup.transport(for: access.account, context: access.context)
  }

  /// Publishes a first notification to the account's own store.
  ///
  /// - Parameter forTour: Whether to publish the items of the tour, which also leave the history
  ///   when it is over.
  func publishSamples(forTour: Bool) {
    let end = storeTime().advanced(by: FirstRunText.tourLifetime)
    let contents = forTour ? FirstRunText.tourItems(until: end) : [FirstRunText.sample]
    let access = access
    Task.detached { [self] in
      do {
        let transport = try EngineSetup.transport(for: access.account, context: access.context)
        // The user asks for the samples, so their app need not ask. An older store cannot do this.
        for app in Set(contents.map(\.app)) { try? await transport.configure(app, .allow) }
        for content in contents {
          _ = try await transport.publish(
            content, idempotencyKey: (access.context.newID() as OperationID).description)
        }
      } catch {
        say(.error, "Not published: " + error.explanation.sentence)
      }
    }
  }

  // MARK: End

  /// Seals held operations, tries to send them, and stops.
  ///
  /// - Returns: The number of changes that remain for the next start.
  func stop(within limit: Duration) -> Int {
    let (engine, setup, tasks) = state.withLock { state in
      state.isStopped = true
      state.keeper?.end()
      return (state.engine, state.setup, state.tasks)
    }
    guard let engine, let setup else {
      // The user quit before the engine existed. Held operations are sealed at the next start.
      return (try? access.reader().outboxCounts().unsent) ?? 0
    }
    let remaining = try? runBlocking {
      let remaining = await engine.flushAndStop(within: limit)
      for task in tasks { task.cancel() }
      for task in tasks { await task.value }
      await setup.transport.shutdown()
      return remaining
    }
    setup.nudges?.close()
    return remaining ?? 0
  }

  private func say(_ kind: Notice.Kind, _ text: String, hidden: String? = nil) {
    func line(_ text: String) -> SafeText {
      let line = SafeText(text.split(separator: "\n").joined(separator: " "))
      return label.map { $0 + ": " + line } ?? line
    }
    box.post(.notice(Notice(kind, line(text), hidden: hidden.map(line))))
  }
}

extension EngineStatus {
  /// The smallest clock difference that is reported. Times are the store's in any case.
  private static let clockDifferenceNoticed: Duration = .seconds(120)

  /// Returns the status for the header.
  ///
  /// - Parameters:
  ///   - clockOffset: The store's clock minus this machine's.
  ///   - isStoreStopped: Whether the store is a private one that the user stopped.
  func forScreen(clockOffset: Duration, isStoreStopped: Bool = false) -> ConnectionStatus {
    let isNoticed =
      clockOffset > Self.clockDifferenceNoticed || clockOffset < .zero - Self.clockDifferenceNoticed
    return ConnectionStatus(
      link, waiting: waiting, clockDifference: isNoticed ? clockOffset : nil,
      isStoreStopped: isStoreStopped)
  }

  private var link: ConnectionStatus.Link {
    let busy = busyUntil.map { ConnectionStatus.Link.busy(until: $0) }
    switch connection {
    case .signInAgain: return .signedOut(nil)
    case .signedOut(let by, let at):
      return .signedOut(Provenance(by: by.map { SafeText($0) } ?? "the store", at: at))
    case .offline(let since): return .offline(since: since)
    case .connecting: return .connecting
    case .firstSync(let received, let total):
      return busy ?? .firstSync(received: received, total: total)
    case .polling(let interval): return busy ?? .polling(every: interval)
    case .live: return busy ?? .live
    }
  }
}
