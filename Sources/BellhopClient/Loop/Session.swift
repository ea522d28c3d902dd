internal import BellhopCache
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// The screen's connection to its account: starts the engine after the first paint and carries its
/// news to the event loop.
final class Session: Sendable {
  private let access: CacheAccess
  private let box: MessageBox
  private let state = Mutex<State>(State())

  private struct State {
    var engine: SyncEngine?
    var setup: EngineSetup?
    var offset: Duration = .zero
    var tasks: [Task<Void, Never>] = []
    var isStopped = false
  }

  /// How long a round that the person asked for with a key may take.
  private static let roundLimit: Duration = .seconds(30)

  init(access: CacheAccess, box: MessageBox, clockOffset: Duration) {
    self.access = access
    self.box = box
    state.withLock { $0.offset = clockOffset }
  }

  /// The store's time, as far as it is known.
  func storeTime() -> Timestamp {
    access.context.now().advanced(by: state.withLock { $0.offset })
  }

  // MARK: Beginning

  /// Starts the private store if it is needed, and the engine. Returns at once.
  func start() {
    // Starting a store waits for another process, which no thread of the pool may do.
    DispatchQueue.global().async { [self] in
      startStore()
      do {
        let setup = try EngineSetup(access, joinsNudges: true)
        let engine = try setup.engine(announces: false)
        run(engine, setup)
      } catch {
        say(.error, "\(error)")
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
      say(.error, "\(error)")
    }
  }

  private func run(_ engine: SyncEngine, _ setup: EngineSetup) {
    let isStopped = state.withLock { state in
      (state.engine, state.setup) = (engine, setup)
      return state.isStopped
    }
    guard !isStopped else { return }
    let running = Task.detached { [self] in
      do {
        try await engine.run(holding: setup.lock())
      } catch is CancellationError {
        // The screen is closing.
      } catch {
        say(.error, "\(error)")
      }
    }
    let listening = Task.detached { [self] in
      for await event in await engine.events() { take(event) }
    }
    state.withLock { $0.tasks = [running, listening] }
    // What another process wrote between the first paint and now was not heard of.
    box.post(.dataChanged)
  }

  private func take(_ event: EngineEvent) {
    switch event {
    case .status(let status):
      if let offset = try? access.storage().syncState().clockOffset {
        state.withLock { $0.offset = offset }
      }
      box.post(.connectionChanged(status.forScreen))
    case .dataChanged: box.post(.dataChanged)
    case .arrived: break
    case .rejected(let rejected):
      for operation in rejected { say(.information, RejectionText.line(operation)) }
    }
  }

  // MARK: What the screen asks for

  /// An operation was committed by this process.
  func outboxChanged() {
    guard let engine = state.withLock({ $0.engine }) else { return }
    Task.detached { await engine.outboxChanged() }
  }

  /// Exchanges everything now.
  ///
  /// - Parameter isAsked: whether a person pressed the key and waits for a word; otherwise the
  ///   terminal got the focus, or the machine woke up.
  func synchronise(isAsked: Bool) {
    guard let engine = state.withLock({ $0.engine }) else { return }
    Task.detached { [self] in
      guard isAsked else { return await engine.resume() }
      switch await engine.syncNow(within: Self.roundLimit) {
      case .upToDate: say(.success, "Everything is sent and fetched.")
      case .delegated: say(.information, "Another bellhop on this machine synchronises now.")
      case .failed(let error, let waiting):
        say(.error, "Not synchronised: \(error). \(waiting) changes are kept.")
      case .stopped: break
      }
    }
  }

  /// Publishes a first notification to the account's own store.
  func publishSample() {
    let access = access
    Task.detached { [self] in
      do {
        let transport = try EngineSetup.transport(for: access.account, context: access.context)
        _ = try await transport.publish(
          FirstRunText.sample,
          idempotencyKey: (access.context.newID() as OperationID).description)
      } catch {
        say(.error, "Not published: \(error)")
      }
    }
  }

  // MARK: End

  /// Seals what is held, tries to send it, and stops.
  ///
  /// - Returns: how many changes stay for the next start.
  func stop(within limit: Duration) -> Int {
    let (engine, setup, tasks) = state.withLock { state in
      state.isStopped = true
      return (state.engine, state.setup, state.tasks)
    }
    guard let engine, let setup else {
      // Quit before the engine was there: what is held is sealed at the next start.
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

  private func say(_ kind: Notice.Kind, _ text: String) {
    let line = text.split(separator: "\n").joined(separator: " ")
    box.post(.notice(Notice(kind, SafeText(line))))
  }
}

extension EngineStatus {
  /// The header's words for it.
  var forScreen: ConnectionStatus {
    let link: ConnectionStatus.Link =
      switch connection {
      case .connecting, .firstSync: .connecting
      case .live: .live
      case .polling(let interval): .polling(every: interval)
      case .offline(let since): .offline(since: since)
      case .signInAgain: .signedOut(nil)
      case .signedOut(let by, let at):
        .signedOut(Provenance(by: by.map { SafeText($0) } ?? "the store", at: at))
      }
    return ConnectionStatus(link, waiting: waiting)
  }
}

/// Why a change of the person's was not carried out, in a line.
enum RejectionText {
  static func line(_ rejected: RejectedOperation) -> String {
    switch rejected.result {
    case .superseded:
      "Somebody acted first, or the item was published anew: your change was not applied to it."
    case .gone: "The item was deleted or has expired: your change was not needed."
    case .refused(let latest):
      "It expires before that; the latest time is \(ItemLine.localTime(latest))."
    case .unacceptable(let fault):
      "The settings of \(rejected.operation.app?.prefix(64) ?? "an app") stay as they were: "
        + words(fault)
    case .applied, .alreadyApplied: "Done."
    }
  }

  /// Why the store did not take settings, and what to do.
  static func words(_ fault: SettingsFault) -> String {
    switch fault {
    case .invalid: "the store does not allow such a value."
    case .aliasTaken: "an alias belongs to another app. bellhop apps lists them."
    case .tooManyApps: "the store keeps no more apps for you."
    }
  }
}
