import BellhopCache
import BellhopModel
import BellhopWire

/// The requests to the store, whose answers go into the cache.
extension SyncEngine {
  /// Performs an action on the cache. Work that also needs the store becomes a job.
  func performOnCache(_ action: EngineCore.Action) throws(CacheError) -> EngineCore.Event? {
    switch try step({ (news) throws(CacheError) in try steps.perform(action, now: now, &news) }) {
    case .event(let event): return event
    case .take(let answer, let request, let generation):
      return try step { (news) throws(CacheError) in
        try steps.take(answer, to: request, generation: generation, now: now, &news) { news in
          note(news)
          news = CacheSteps.News()
          tellChange()
        }
      }
    case .pull(let request, let generation):
      enqueue(.pull(request, generation: generation))
    case .send(let batch): enqueue(.send(batch))
    case .none: break
    }
    return nil
  }

  func localSummary(sealing scope: SealScope = .none) throws(CacheError) -> LocalSummary {
    try step { (news) throws(CacheError) in
      try steps.summary(sealing: scope, now: now, &news)
    }
  }

  func register(_ channel: ChannelType) async {
    do throws(TransportError) {
      let author = try await parts.transport.registerDevice(channel: channel)
      noteClock()
      try keep { (_) throws(CacheError) in try steps.cache.setAuthor(author) }
      handle(.registered)
    } catch {
      reconnectIfTimedOut(error)
      handle(.registrationFailed(error))
    }
  }

  /// Sends a batch without first waiting for a turn on this actor.
  @concurrent
  nonisolated func send(_ batch: OutboxBatch) async {
    var answer: Result<SendAnswer, TransportError>?
    if !batch.operations.isEmpty {
      do throws(TransportError) {
        answer = .success(try await parts.transport.send(batch))
      } catch {
        answer = .failure(error)
      }
    }
    await sent(batch, answer)
  }

  /// - Parameter answer: Nil if there was nothing to send.
  private func sent(_ batch: OutboxBatch, _ answer: Result<SendAnswer, TransportError>?) {
    do throws(TransportError) {
      if let answer = try answer?.get() {
        noteClock()
        guard answer.results.count == batch.operations.count else {
          throw .badAnswer("the number of results differs from the number of operations")
        }
        try keep { (news) throws(CacheError) in
          try steps.take(answer, to: batch, now: now, &news)
        }
      }
      let summary = try keep { (news) throws(CacheError) in
        try steps.summary(now: now, &news)
      }
      handle(.sent(summary))
    } catch {
      reconnectIfTimedOut(error)
      handle(.sendFailed(error))
    }
  }

  /// Reconnects after a timeout.
  ///
  /// A connection on which an answer did not come in time may be dead without notice, and so may
  /// the other kept connections. Each would cost another such wait.
  private func reconnectIfTimedOut(_ error: TransportError) {
    if error == .timedOut { parts.transport.reconnect() }
  }

  func pull(_ request: ChangeChunk.Request, generation: Int64) async {
    do throws(TransportError) {
      var answer = try await self.answer(to: request)
      noteClock()
      if let since = parts.firstSyncSince {
        answer.end(before: since(now))
        // Not all of the store's items are wanted.
        answer.itemCount = nil
      }
      askAhead(after: answer, to: request)
      var applied = 0
      var last = ApplyOutcome(isCurrent: true)
      for chunk in answer.chunks(for: request, generation: generation) where last.isCurrent {
        last = try keep { (news) throws(CacheError) in
          try steps.take(chunk, now: now, &news)
        }
        applied += last.changed.count
        // Key presses and frames come first.
        await yieldActor()
      }
      let event = try keep { (news) throws(CacheError) in
        try steps.finish(answer, applied: applied, last: last, now: now, &news)
      }
      handle(event)
    } catch {
      reconnectIfTimedOut(error)
      handle(.pullFailed(error))
    }
  }

  /// Returns the store's answer, which may have been requested ahead.
  private func answer(to request: ChangeChunk.Request) async throws(TransportError) -> PullAnswer {
    guard let asked = pageAhead.take(request) else {
      return try await parts.transport.pull(request)
    }
    let result = await withTaskCancellationHandler {
      await asked.value
    } onCancel: {
      asked.cancel()
    }
    return try result.get()
  }

  /// Requests the next page, so that the store reads it while this one is written.
  private func askAhead(after answer: PullAnswer, to request: ChangeChunk.Request) {
    guard !Task.isCancelled,
      let next = PrefetchedPage<Void>.request(after: answer, to: request, core)
    else { return }
    let transport = parts.transport
    // Not on this actor, which is writing now.
    let asked = Task { @concurrent () -> Result<PullAnswer, TransportError> in
      do throws(TransportError) {
        return .success(try await transport.pull(next))
      } catch {
        return .failure(error)
      }
    }
    pageAhead.hold(asked, to: next)
  }

  /// Drains the search index's queue and sweeps what a rebuild left, in small steps.
  ///
  /// Stops if there is something more urgent.
  func tidy() async {
    var hasMore: Bool? = true
    while hasMore == true, !Task.isCancelled {
      guard !core.isFetchingAll else {
        tidyingPutOff()
        return
      }
      // Work that could not be done is still queued, and the next pull tries again.
      hasMore = try? step { (news) throws(CacheError) in try steps.tidy(now: now, &news) }
      endSweptRounds(isFailed: hasMore == nil)
      await yieldActor()
    }
    tidyingEnded()
    // A sweep may have moved items back, which are due at another time.
    if hasMore == false { settle() } else { handle(.woke) }
  }

  // MARK: Helpers

  /// Leaves the actor, and returns to it after the tasks that wait for it.
  ///
  /// This takes a turn of its own in the actor's queue: a task that only leaves the actor and
  /// returns is usually back before the pool has a thread for the waiting tasks. `Task.yield()`
  /// would use the runtime's own pool, even if a client has replaced it so that an idle program
  /// sleeps.
  private func yieldActor() async {
    await withCheckedContinuation { turn in
      Task { self.endTurn(turn) }
    }
  }

  private func endTurn(_ turn: CheckedContinuation<Void, Never>) { turn.resume() }

  /// Runs a step and passes on its news.
  private func step<Value>(
    _ body: (inout CacheSteps.News) throws(CacheError) -> Value
  ) throws(CacheError) -> Value {
    var news = CacheSteps.News()
    defer { note(news) }
    return try body(&news)
  }

  private func keep<Value>(
    _ body: (inout CacheSteps.News) throws(CacheError) -> Value
  ) throws(TransportError) -> Value {
    do throws(CacheError) {
      return try step(body)
    } catch {
      throw .cache(error.description)
    }
  }

  private func note(_ news: CacheSteps.News) {
    if let scope = news.changes { noteChange(scope) }
    if !news.rejected.isEmpty { tell(.rejected(news.rejected)) }
    if !news.arrivals.isEmpty { tell(.arrived(news.arrivals)) }
    if news.needsTidying { wantTidying() }
  }

  /// The smallest difference of the clocks that justifies a transaction.
  private static let offsetStep: Duration = .milliseconds(50)

  private func noteClock() {
    guard let offset = parts.transport.clockOffset else { return }
    let difference = offset - clockOffset
    guard difference > Self.offsetStep || difference < .zero - Self.offsetStep else { return }
    clockOffset = offset
    try? parts.cache.setClockOffset(offset)
  }
}
