import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopSync
import BellhopWire

/// Requests to the store, with responses written to the cache as the engine does.
extension SimulatedDevice {
  /// A receiver of the answer to a request.
  typealias Answering<Answer> = (Result<Answer, TransportError>) -> Void

  func register() {
    request("register") { [self] (answer: @escaping Answering<Author>) in
      world.store.register(self, then: answer)
    } then: { [self] author in
      let kept: Void? = local { (_) throws(CacheError) in try cache.setAuthor(author) }
      return kept == nil ? .registrationFailed(.cache("the cache failed")) : .registered
    } orElse: {
      .registrationFailed($0)
    }
  }

  func pull(_ asked: ChangeChunk.Request, _ generation: Int64) {
    if let ahead = pageAhead.take(asked) {
      let started = incarnation
      return ahead.whenReady { [self] result in
        // Defer until the core has finished its current step.
        world.scheduler.after(.zero) { [self] in
          guard started == incarnation, isRunning else { return }
          let event: EngineCore.Event
          switch result {
          case .success(let answer): event = take(answer, to: asked, generation)
          case .failure(let error): event = .pullFailed(error)
          }
          guard started == incarnation, isRunning else { return }
          handle(event)
        }
      }
    }
    request("pull") { [self] (answer: @escaping Answering<PullAnswer>) in
      world.store.pull(asked, from: self, then: answer)
    } then: { [self] answer in
      take(answer, to: asked, generation)
    } orElse: {
      .pullFailed($0)
    } late: { [self] answer in
      world.note("device \(index): a process from before its end continues")
      _ = take(answer, to: asked, generation)
      settle()
    }
  }

  func send(_ batch: OutboxBatch) {
    guard !batch.operations.isEmpty else {
      // As in the engine, there is nothing to request from the store.
      let now = now
      let summary = local { (news) throws(CacheError) in
        try steps.summary(now: now, &news)
      }
      let event = summary.map { EngineCore.Event.sent($0) } ?? .sendFailed(.cache("failed"))
      world.scheduler.after(.zero) { [self] in if isRunning { handle(event) } }
      return
    }
    // Captures the timeline of the response: a copy of the request may reach the store after a
    // reversion of its data, in a different timeline than the response that arrives.
    let name = "send \(batch.operations.first?.number ?? 0)+\(batch.operations.count)"
    let race = { [world] in world.race() }
    typealias Sent = (answer: SendAnswer, timeline: Int)
    request(name) { [self] (answer: @escaping Answering<Sent>) in
      world.store.send(batch, from: self, between: race) { result, timeline in
        answer(result.map { (answer: $0, timeline: timeline) })
      }
    } then: { [self] answer, timeline in
      let now = now
      let summary = local { (news) throws(CacheError) in
        try steps.take(answer, to: batch, now: now, &news)
        return try steps.summary(now: now, &news)
      }
      noteAnswers(answer, to: batch, timeline)
      return summary.map { .sent($0) } ?? .sendFailed(.cache("the cache failed"))
    } orElse: {
      .sendFailed($0)
    }
  }

  /// Sends the outbox at once; the response is lost.
  func sendLosingAnswer() {
    let batch = local { (_) throws(CacheError) in try cache.sealedBatch(limit: .max) }
    guard isRunning, let batch, !batch.operations.isEmpty else { return }
    world.note("the answer to device \(index) will be lost")
    world.store.send(batch, from: self, between: {}, then: { _, _ in })
  }

  /// Records the responses: an acknowledged effect must stay visible until the base contains it.
  private func noteAnswers(_ answer: SendAnswer, to batch: OutboxBatch, _ timeline: Int) {
    // A response to a previous lineage is ignored, and one that could not be written is lost.
    let unanswered = Set(
      ((try? cache.waitingOperations(limit: .max)) ?? []).filter { $0.stage != .answered }.map(\.id)
    )
    for numbered in batch.operations.prefix(answer.results.count) {
      let operation = numbered.operation
      guard !unanswered.contains(operation.id) else { continue }
      let isOutdated = timeline != world.store.timeline
      world.judge.answered(operation.id, isOutdated: isOutdated)
      answeredAt[operation.id] = answer.sequence
      guard !isOutdated else {
        if !outbox.contains(operation.id) { world.judge.outdated(operation.id) }
        continue
      }
      // Rows from a past that the store has lost prove nothing; the device does not know of the
      // loss yet.
      let effects = past == timeline ? world.judge.effects[operation.id] : nil
      watch.shown.answered(operation.id, effects: effects ?? [:], timeline: timeline)
    }
    judging { try watch.committed([], cache: cache, store: world.store) }
  }

  func take(
    _ answer: PullAnswer, to asked: ChangeChunk.Request, _ generation: Int64
  ) -> EngineCore.Event {
    // Small chunks, so that a process can die between two of them.
    let chunks = answer.chunks(for: asked, generation: generation, atMost: 3)
    if isRunning, let next = PrefetchedPage<Void>.request(after: answer, to: asked, core) {
      pageAhead.hold(askAhead(next), to: next)
    }
    world.note("device \(index) takes \(answer.changes.count) changes of \(asked.words)")
    let held = isOutdated(answer) ? outbox : []
    let now = now
    var changed: [NotificationID] = []
    let event = local { (news) throws(CacheError) -> EngineCore.Event in
      var applied = 0
      var last = ApplyOutcome(isCurrent: true)
      for chunk in chunks where last.isCurrent {
        last = try steps.take(chunk, now: now, &news)
        applied += last.changed.count
        judging { try watch.committed(last.changed, cache: cache, store: world.store) }
        changed += last.changed
      }
      return try steps.finish(answer, applied: applied, last: last, now: now, &news)
    }
    for id in held.subtracting(held.isEmpty ? [] : outbox) { world.judge.outdated(id) }
    tidy()
    // After tidying, which also updates the items of bulk operations.
    checkOthers(on: changed)
    if isRunning { checkBase() }
    return event ?? .pullFailed(.cache("the cache failed"))
  }

  /// Checks that the outbox hides no later change by another device.
  ///
  /// If the base contains all operations that the outbox still has for an item, the item must show
  /// the base.
  private func checkOthers(on changed: [NotificationID]) {
    guard isRunning, past == world.store.timeline,
      let waiting = try? cache.waitingOperations(limit: .max), !waiting.isEmpty
    else { return }
    judging {
      for id in changed {
        guard let item = try cache.item(id), item.notification != counted(base(of: item), as: item)
        else { continue }
        let isContained = waiting.allSatisfy { waiting in
          let operation = waiting.operation
          guard
            operation.isBulkTarget || operation.notificationIDs.contains(id)
              || !PlainCrossing.claimed(by: operation).isEmpty
          else { return true }
          return waiting.stage == .answered
            && answeredAt[operation.id].map { $0 <= item.base.sequence } ?? false
        }
        if isContained {
          world.judge.violate(
            "device \(index): #\(item.notification.shortNumber) hides changes by others")
        }
      }
    }
  }

  /// Returns whether the data was reverted after the store gave the response.
  private func isOutdated(_ answer: PullAnswer) -> Bool {
    guard case .delta(let token, _, _) = answer.end else { return false }
    return world.store.timeline(of: token) != world.store.timeline
  }

  // MARK: Network

  /// Requests the next page while this one is written.
  private func askAhead(_ page: ChangeChunk.Request) -> PrefetchedAnswer {
    requests += 1
    let ahead = PrefetchedAnswer()
    let (asked, sent) = (incarnation, localTime)
    func ask(_ answer: @escaping Answering<PullAnswer>) {
      world.store.pull(page, from: self, then: answer)
    }
    world.exchange("page ahead", of: self, ask) { [self] result, date in
      guard asked == incarnation, isRunning else { return }
      if let date { noteClock(date: date, sent: sent) }
      guard asked == incarnation, isRunning else { return }
      world.note("device \(index) has a page ahead")
      ahead.arrive(result)
    }
    return ahead
  }

  private func request<Answer>(
    _ name: String,
    _ body: @escaping (_ answer: @escaping Answering<Answer>) -> Void,
    then: @escaping (Answer) -> EngineCore.Event,
    orElse: @escaping (TransportError) -> EngineCore.Event,
    late: @escaping (Answer) -> Void = { _ in }
  ) {
    requests += 1
    let asked = incarnation
    let askedUnderPower = powerLosses
    let sent = localTime
    let outlives = random.chance(world.rates[.lateProcess])
    world.exchange(name, of: self, body) { [self] result, date in
      if asked != incarnation, isRunning, outlives, askedUnderPower == powerLosses,
        case .success(let answer) = result
      {
        return late(answer)
      }
      guard asked == incarnation, isRunning else { return }
      if let date { noteClock(date: date, sent: sent) }
      guard asked == incarnation, isRunning else { return }
      switch result {
      case .success(let answer):
        world.note("device \(index) \(name) answered")
        let event = then(answer)
        guard asked == incarnation, isRunning else { return }
        handle(event)
      case .failure(let error):
        world.note("device \(index) \(name) failed: \(error)")
        handle(orElse(error))
      }
    }
  }

  func openSignals() {
    signalRun += 1
    let run = signalRun
    requests += 1
    let asked = incarnation
    func isThis() -> Bool { run == signalRun && asked == incarnation && isRunning }
    world.scheduler.after(random.milliseconds(5...200)) { [self] in
      guard isThis() else { return }
      guard !isPartitioned else { return handle(.signalsEnded(.offline(.noRoute(.simulated)))) }
      if let shared = world.store.shared { return openSignals(at: shared, run, while: isThis) }
      handle(.signal(.opened))
      guard isThis() else { return }
      signalled = world.store.sequence
      handle(.signal(.changed(world.store.epoch, world.store.sequence)))
      beat(while: isThis)
    }
  }

  /// Opens the stream at another process than before, as a load balancer chooses it.
  private func openSignals(
    at shared: SharedHost, _ run: Int, while isThis: @escaping () -> Bool
  ) {
    let chosen = shared.serving()
    process = chosen?.index ?? 0
    shared.openStream(of: index, id, connection: run, with: token, from: chosen) { [self] error in
      guard isThis() else { return }
      if let error { return handle(.signalsEnded(error)) }
      handle(.signal(.opened))
      guard isThis() else { return }
      beat(while: isThis)
    }
  }

  private func beat(while isThis: @escaping () -> Bool) {
    world.scheduler.after(.seconds(30)) { [self] in
      guard isThis() else { return }
      // In a partition the heartbeats stop, and only their absence indicates it.
      if !isPartitioned { handle(.signal(.heartbeat)) }
      beat(while: isThis)
    }
  }

  /// Receives a signal that was sent on a connection of this device.
  ///
  /// Signals on their way are lost when their connection ends.
  func hear(_ signal: SignalEvent, on connection: Int) {
    guard isRunning, policy.channel == .signal, connection == signalRun else { return }
    handle(.signal(signal))
  }

  /// Ends the connection, because the store's process has ended.
  func connectionLost() {
    guard isRunning, policy.channel == .signal else { return }
    signalRun += 1
    handle(.signalsEnded(.offline(.closed(.simulated))))
  }
}

/// A page that was requested ahead of its turn.
final class PrefetchedAnswer {
  private var result: Result<PullAnswer, TransportError>?
  private var receiver: ((Result<PullAnswer, TransportError>) -> Void)?

  /// Calls `receiver` when the response arrives; at once if it has already arrived.
  func whenReady(_ receiver: @escaping (Result<PullAnswer, TransportError>) -> Void) {
    if let result { receiver(result) } else { self.receiver = receiver }
  }

  func arrive(_ result: Result<PullAnswer, TransportError>) {
    self.result = result
    receiver?(result)
  }
}

extension ChangeChunk.Request {
  /// A description of the request for the trace.
  fileprivate var words: String {
    switch self {
    case .page(nil): "the first page"
    case .page: "a page"
    case .delta: "a delta"
    }
  }
}
