import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopWire

/// The engine of one account, which carries out the decisions of ``EngineCore``.
///
/// The same type serves a process that holds the account's lock and one that does not. Without the
/// lock, it passes requests on to the engine's process and reports what that process sends. Cache
/// calls are short transactions and run on the actor; waiting for the store does not.
package actor SyncEngine {
  let parts: EngineParts
  let steps: CacheSteps
  let timekeeper: EngineClock
  private(set) var core: EngineCore

  /// Work that waits for the store or for time. `run` gives each job a task of its own.
  enum Job: Sendable {
    case register(ChannelType)
    case pull(ChangeChunk.Request, generation: Int64)
    case send(OutboxBatch)
    case signals(Int)
    case tidy
    case stop
  }

  private struct Alarm {
    var due: Duration
    var task: Task<Void, Never>
  }

  enum Role {
    case outside
    case waiting
    case engine
    case ended
  }

  var role = Role.outside
  var jobs: AsyncStream<Job>.Continuation?
  private var alarm: Alarm?
  private var signalRun = 0
  private var signalTask: Task<Void, Never>?
  var isTidying = false
  var isTidyingPutOff = false
  /// The change that listeners have not received yet.
  var unreportedChange: ChangeScope?
  var lastStatus = EngineStatus()
  var listeners: [Int: AsyncStream<EngineEvent>.Continuation] = [:]
  var rounds: [Int: CheckedContinuation<RoundOutcome, Never>] = [:]
  /// Whether a round is done except for the sweep after a rebuild.
  var roundsWaitForSweep = false
  /// Whether callers wait only for sending.
  var isFlushing = false
  var nextKey = 0
  var clockOffset: Duration = .zero
  var pageAhead = PrefetchedPage<Task<Result<PullAnswer, TransportError>, Never>> { $0.cancel() }

  package init(_ parts: EngineParts) {
    self.parts = parts
    steps = CacheSteps(
      cache: parts.cache, newLineage: parts.newLineage, announces: parts.announces)
    timekeeper = EngineClock.make(parts.clock)
    core = EngineCore(policy: parts.policy, random: parts.random)
  }

  // MARK: Running

  /// Runs as the account's engine until the task is cancelled or ``flushAndStop(within:)``.
  ///
  /// The caller must hold the account's lock.
  package func run() async {
    guard role == .outside || role == .waiting else { return }
    role = .engine
    let (stream, continuation) = AsyncStream<Job>.makeStream()
    jobs = continuation
    // Joined before the outbox is read, so that no message is missed in between.
    let nudges = joinedNudges()
    start()
    await carryOut(stream, hearing: nudges)
    await parts.transport.settle()
    end()
  }

  /// Carries jobs out as they come, each in a task of its own.
  ///
  /// Not on this actor, so that a request is on its way while the actor reports what led to it.
  @concurrent
  private nonisolated func carryOut(
    _ jobs: AsyncStream<Job>, hearing nudges: AsyncStream<Nudge>?
  ) async {
    await withDiscardingTaskGroup { group in
      if let nudges { group.addTask { await self.listen(to: nudges) } }
      if let wakes = parts.wakes {
        group.addTask { for await _ in wakes() { await self.wakeUp() } }
      }
      for await job in jobs {
        if case .stop = job { break }
        group.addTask { await self.carryOut(job) }
      }
      group.cancelAll()
    }
  }

  /// Returns the messages of other processes of the account from now on.
  ///
  /// Earlier messages were missed, so that listeners must read the cache again.
  private func joinedNudges() -> AsyncStream<Nudge>? {
    guard let nudges = parts.nudges else { return nil }
    defer { tell(.dataChanged) }
    return nudges.nudges()
  }

  /// Waits for the account's lock and then runs as the engine.
  ///
  /// Meanwhile it passes requests on to the engine. It releases the lock at the end.
  /// - Throws: ``EngineLock/LockError``, or `CancellationError`.
  package func run(holding lock: EngineLock) async throws {
    if try !lock.tryLock() {
      role = .waiting
      // Joined before the engine is asked, because its answer may come at once.
      let nudges = joinedNudges()
      let listening = nudges.map { nudges in Task { await self.listen(to: nudges) } }
      defer { listening?.cancel() }
      parts.nudges?.broadcast(.statusWanted)
      try await lock.waitForLock()
    }
    defer { lock.unlock() }
    await run()
  }

  /// Performs one round for a command: sends sealed operations, pulls changes, and ends.
  ///
  /// The caller must hold the account's lock.
  package func runOnce(within limit: Duration) async -> RoundOutcome {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.run() }
      let outcome = await self.syncNow(within: limit)
      group.cancelAll()
      return outcome
    }
  }

  // MARK: Requests

  /// Reports that this process has written operations to the outbox.
  package func outboxChanged() {
    noteChange(.everything)
    guard role == .engine else {
      parts.nudges?.broadcast(.outboxChanged)
      tell(.dataChanged)
      return
    }
    settle()
  }

  /// Exchanges everything now, even during a back-off.
  /// - Returns: The outcome; ``RoundOutcome/delegated`` if another process is the engine.
  package func syncNow(within limit: Duration) async -> RoundOutcome {
    if role == .waiting {
      parts.nudges?.broadcast(.syncNow)
      return .delegated
    }
    return await round(.syncRequested, within: limit)
  }

  /// Reports that the machine woke up, or that the network came back.
  package func resume() { handle(.resumed) }

  private func wakeUp() {
    parts.transport.reconnect()
    resume()
  }

  /// Reports that a new token is available.
  package func signedIn() { handle(.signedIn) }

  /// Seals the operations that this process holds, tries to send the sealed ones, and stops.
  /// - Returns: The number of sealed operations that stay in the outbox. Deletes that another
  ///   process of the machine holds are left to that process.
  package func flushAndStop(within limit: Duration) async -> Int {
    guard role == .engine else {
      let summary = try? localSummary(sealing: role == .ended ? .due : .own)
      parts.nudges?.broadcast(.outboxChanged)
      return (role == .ended ? summary?.waiting : summary?.ready) ?? 0
    }
    isFlushing = true
    _ = await round(.flushRequested, within: limit)
    jobs?.yield(.stop)
    return core.local.ready
  }

  /// The status of the engine.
  package var status: EngineStatus { role == .engine ? core.status : lastStatus }

  /// Returns the events from now on.
  ///
  /// Every caller has a stream of its own, which begins with the status.
  package func events() -> AsyncStream<EngineEvent> {
    let (stream, continuation) = AsyncStream<EngineEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(256))
    nextKey += 1
    let key = nextKey
    listeners[key] = continuation
    continuation.onTermination = { _ in Task { await self.forget(key) } }
    continuation.yield(.status(status))
    return stream
  }

  private func forget(_ key: Int) { listeners[key] = nil }

  // MARK: Stepping the core

  /// The store's time.
  var now: Timestamp { parts.localTime().advanced(by: clockOffset) }

  /// Steps the core, performs at once what needs no waiting, and queues the rest.
  func handle(_ event: EngineCore.Event) {
    var events = [event]
    while !events.isEmpty {
      let actions = core.handle(events.removeFirst(), at: timekeeper.elapsed(), now: now)
      for action in actions {
        if let answer = perform(action) { events.append(answer) }
      }
    }
    arm()
    resumeTidying()
    tellNews()
  }

  /// Starts an action. Returns its event at once if nothing has to be waited for.
  private func perform(_ action: EngineCore.Action) -> EngineCore.Event? {
    switch action {
    case .register(let channel):
      jobs?.yield(.register(channel))
      return nil
    case .openSignals:
      signalRun += 1
      jobs?.yield(.signals(signalRun))
      return nil
    case .closeSignals:
      signalRun += 1
      signalTask?.cancel()
      return nil
    case .roundEnded(let outcome):
      endRounds(outcome, unlessToSweep: !isFlushing)
      return nil
    case .pullFirstSync, .pullChanges, .takeEnclosed, .send, .settle, .rebuildBase, .renumber,
      .startNewLineage,
      .refuseFirst:
      do throws(CacheError) {
        return try performOnCache(action)
      } catch {
        return EngineCore.failure(of: action, error.description)
      }
    }
  }

  func enqueue(_ job: Job) { jobs?.yield(job) }

  /// The maximum time by which an alarm may be early.
  ///
  /// Resetting it has a cost too, which every event would incur while much happens.
  private static let alarmSlack: Duration = .seconds(1)

  /// Sets the alarm to the time at which the core is to be woken.
  ///
  /// A needless alarm would wake an idle program: each heartbeat of the store moves the time at
  /// which the channel counts as silent.
  private func arm() {
    guard role == .engine, let wake = core.wakeAt(at: timekeeper.elapsed(), now: now) else {
      return disarm()
    }
    if let alarm, alarm.due <= wake, wake - alarm.due <= Self.alarmSlack { return }
    disarm()
    let task = Task { [timekeeper] in
      guard (try? await timekeeper.sleep(wake)) != nil else { return }
      self.wake(after: wake)
    }
    alarm = Alarm(due: wake, task: task)
  }

  func disarm() {
    alarm?.task.cancel()
    alarm = nil
  }

  private func wake(after deadline: Duration) {
    // Another alarm may have been set while this one was about to fire.
    guard alarm?.due == deadline else { return }
    alarm = nil
    let late = timekeeper.elapsed() - deadline
    handle(late > parts.policy.sleepDetection ? .resumed : .woke)
  }

  private nonisolated func carryOut(_ job: Job) async {
    switch job {
    case .register(let channel): await register(channel)
    case .pull(let request, let generation): await pull(request, generation: generation)
    case .send(let batch): await send(batch)
    case .signals(let run): await readSignals(run)
    case .tidy: await tidy()
    case .stop: break
    }
  }

  /// Reads the signal channel in a task of its own, so that it can be closed separately.
  private func readSignals(_ run: Int) async {
    guard run == signalRun else { return }
    let transport = parts.transport
    let task = Task {
      var failure: TransportError?
      do {
        for try await signal in transport.signals() {
          guard take(signal, of: run) else { return }
        }
      } catch {
        failure = error as? TransportError ?? .offline(.reported("the signal channel failed"))
      }
      signalsEnded(failure, of: run)
    }
    signalTask = task
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func take(_ signal: SignalEvent, of run: Int) -> Bool {
    guard run == signalRun else { return false }
    handle(.signal(signal))
    return true
  }

  private func signalsEnded(_ failure: TransportError?, of run: Int) {
    guard run == signalRun else { return }
    handle(.signalsEnded(failure))
  }
}
