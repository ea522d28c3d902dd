internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import Synchronization

extension Commands {
  /// Runs `bellhop agent`: the engines of one or all accounts without a screen, until a signal ends
  /// it.
  ///
  /// - Throws: `ClientError` with exit code 75 if an agent is already running.
  package static func agent(_ context: ClientContext) throws {
    let accesses = try CacheAccess.chosen(
      context, all: context.accountName == nil, startsStore: true)
    let lock = EngineLock(path: context.directories.state + "/agent.lock")
    guard try lock.tryLock() else {
      throw ClientError(.tryLater, "An agent is already running.", next: "Nothing was started.")
    }
    defer { lock.unlock() }
    let programs = DesktopPrograms(context)
    let agents = accesses.map { AgentAccount($0, programs) }
    let signals = EndSignals()
    for access in accesses where access.account.isPrivate {
      if let notice = try context.privateStore().start(accounts: context.accounts).notice {
        StandardError.say(notice)
      }
    }
    let names = accesses.map(\.account.name.rawValue).joined(separator: ", ")
    StandardError.say(
      "The agent is running for \(names). " + means(programs, context.configuration))
    try runBlocking {
      let work = Task {
        await withTaskGroup(of: Void.self) { group in
          for agent in agents { group.addTask { await agent.run() } }
        }
      }
      signals.onArrival { work.cancel() }
      await work.value
    }
    withExtendedLifetime(signals) {}
  }

  private static func means(_ programs: DesktopPrograms, _ configuration: Configuration) -> String {
    switch (programs.notifier?.first, configuration.sound?.first) {
    case (let notifier?, let sound?): "It rings with \(notifier) and \(sound)."
    case (let notifier?, nil): "It rings with \(notifier)."
    case (nil, let sound?): "It rings with \(sound), but has no program to show notifications."
    case (nil, nil):
      "It cannot ring: install notify-send (libnotify), or set notify-command in config.toml. "
        + "It synchronises anyway."
    }
  }
}

/// A single account of an agent.
private final class AgentAccount: Sendable {
  private let access: CacheAccess
  private let programs: DesktopPrograms
  private let isSignedOut = Mutex(false)

  /// The longest wait for pending changes when the agent ends.
  private static let stopLimit: Duration = .seconds(3)
  /// The time limit for the first round after a restart of the store.
  private static let roundLimit: Duration = .seconds(30)

  init(_ access: CacheAccess, _ programs: DesktopPrograms) {
    self.access = access
    self.programs = programs
  }

  /// Synchronises and rings until the task is cancelled, then sends the changes that it can and
  /// ends.
  func run() async {
    do {
      let setup = try EngineSetup(access, joinsNudges: true)
      let engine = try setup.engine(announces: false)
      let announcer = makeAnnouncer()
      let keeper = makeKeeper(engine)
      let places = PlaceReporter(
        access: access, now: { [self] in storeTime() },
        reported: {
          announcer.scheduleCheck()
          Task.detached { await engine.outboxChanged() }
        })
      let running = Task { [self] in
        do {
          try await engine.run(holding: setup.lock())
        } catch is CancellationError {
          // The agent is ending.
        } catch {
          say(error.explanation.sentence)
        }
      }
      let listening = Task { [self] in
        for await event in await engine.events() { take(event, announcer, keeper, places) }
      }
      let watching = Task { await places.run() }
      announcer.scheduleCheck(isReturn: true)
      let untilCancelled = AsyncStream<Void> { _ in }
      for await _ in untilCancelled {}
      keeper?.end()
      // In a separate task, which is not cancelled.
      await Task {
        _ = await engine.flushAndStop(within: Self.stopLimit)
        for task in [running, listening, watching] {
          task.cancel()
          await task.value
        }
        await setup.transport.shutdown()
      }.value
      setup.nudges?.close()
    } catch {
      say(error.explanation.sentence)
    }
  }

  private func makeAnnouncer() -> Announcer {
    Announcer(
      access: access,
      isResponsible: { [access] in !ScreenPresence.isThere(access) },
      hidesTitles: { [context = access.context] in
        context.configuration.hidesPreviews(environment: context.environment)
      },
      now: { [self] in storeTime() },
      tell: { [self] news, isReturn in ring(news, isReturn) })
  }

  /// Returns the keeper of the private store; nil for any other store.
  private func makeKeeper(_ engine: SyncEngine) -> StoreSupervisor? {
    guard access.account.isPrivate else { return nil }
    return StoreSupervisor(access.context) { [weak self] news in
      switch news {
      case .isStopped(true):
        self?.say("The private store is stopped. To start it: bellhop store start")
      case .isStopped(false): break
      case .startedAgain(let notice):
        self?.say("The private store had stopped and was started again.")
        if let notice { self?.say(notice) }
        Task.detached { _ = await engine.syncNow(within: Self.roundLimit) }
      case .failed(let reason): self?.say(reason)
      }
    }
  }

  private func storeTime() -> Timestamp {
    (try? access.storeTime()) ?? access.context.now()
  }

  private func take(
    _ event: EngineEvent, _ announcer: Announcer, _ keeper: StoreSupervisor?,
    _ places: PlaceReporter
  ) {
    announcer.take(event)
    if case .dataChanged = event { places.dataChanged() }
    guard case .status(let status) = event else { return }
    note(status.connection)
    keeper?.note(status.connection)
  }

  /// Reports once why no items arrive any more.
  private func note(_ connection: ConnectionState) {
    let isOut =
      switch connection {
      case .signInAgain, .signedOut: true
      case .connecting, .live, .polling, .firstSync, .offline: false
      }
    let isNew = isSignedOut.withLock { known in
      defer { known = isOut }
      return isOut && !known
    }
    if isNew {
      say("The store no longer accepts this device: sign in again with bellhop login.")
    }
  }

  private func ring(_ news: [Announcement], _ isReturn: Bool) {
    let settings = try? access.reader().appSettings(of: AppSettings.everyApp)
    let silence = settings?.silence(at: storeTime(), on: SystemClock.wallClock) ?? Silence.none
    let rules = access.context.configuration.rulesInForce
    let ring = rules.ring(
      for: news, at: RingMoment(focus: .unknown, silence: silence, isReturn: isReturn))
    if let problem = programs.ring(ring) { say(problem) }
  }

  private func say(_ text: String) {
    StandardError.say("\(access.account.name.rawValue): \(text)")
  }
}
