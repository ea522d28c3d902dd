import BellhopCache
import BellhopModel
import BellhopWire

/// The actions on the cache, and the requests whose answers go into it.
extension SyncEngine {
  /// Items moved or indexed in one transaction; a key or a frame must not wait longer.
  static let itemsPerStepMax = 250

  /// Performs what needs only the cache; what needs the store as well becomes a job.
  func performOnCache(_ action: EngineCore.Action) throws(CacheError) -> EngineCore.Event? {
    let cache = parts.cache
    switch action {
    case .settle(let sealAll):
      return .settled(try localSummary(sealAll: sealAll))
    case .pullFirstSync, .pullChanges:
      let state = try cache.syncState()
      enqueue(.pull(state.request(pages: action == .pullFirstSync), generation: state.generation))
    case .send(let limit):
      enqueue(.send(try cache.sealedBatch(limit: limit)))
    case .rebuildBase:
      // In this order: a crash between the two must not leave answers of a lost store standing.
      try cache.renumber(.everything, lineage: parts.newLineage(), from: 1)
      _ = try cache.beginRebuild(epoch: nil)
      return .baseRebuilt(try localSummary(sealAll: false))
    case .renumber(let first):
      let lineage = try cache.syncState().lineage
      try cache.renumber(.everything, lineage: lineage, from: first)
      return .renumbered(try localSummary(sealAll: false))
    case .startNewLineage:
      try cache.renumber(.unanswered, lineage: parts.newLineage(), from: 1)
      return .renumbered(try localSummary(sealAll: false))
    case .refuseFirst:
      return .settled(try refuseFirst())
    case .register, .openSignals, .closeSignals, .roundEnded: break
    }
    return nil
  }

  /// Seals what is due, moves items to where they belong, and counts.
  func localSummary(sealAll: Bool) throws(CacheError) -> LocalSummary {
    let cache = parts.cache
    let nextSeal = try cache.seal(sealAll ? .all : .due, now: now)
    let turnOver = try cache.turnOver(now: now, limit: Self.itemsPerStepMax)
    if !turnOver.changed.isEmpty { noteChange() }
    try announce(turnOver.arrivals)
    let counts = try cache.outboxCounts()
    return LocalSummary(
      waiting: counts.unsent, ready: counts.waiting, nextSeal: nextSeal,
      nextTurnOver: turnOver.nextDue)
  }

  private func announce(_ arrivals: [Arrival]) throws(CacheError) {
    guard parts.announces, !arrivals.isEmpty else { return }
    let claimed = try parts.cache.claimAnnouncements(arrivals)
    if !claimed.isEmpty { tell(.arrived(claimed)) }
  }

  /// Takes out an operation that the store can never accept, and says so.
  private func refuseFirst() throws(CacheError) -> LocalSummary {
    let batch = try parts.cache.sealedBatch(limit: 1)
    if let first = batch.operations.first {
      let answer = OperationAnswer(id: first.operation.id, result: .gone)
      let outcome = try parts.cache.acknowledge([answer], sequence: .zero, now: now)
      // Its number was never used at the store; the rest moves up.
      try parts.cache.renumber(.unanswered, lineage: batch.lineage, from: first.number)
      report(outcome)
    }
    return try localSummary(sealAll: false)
  }

  private func report(_ outcome: AcknowledgeOutcome) {
    if !outcome.changed.isEmpty || !outcome.rejected.isEmpty { noteChange() }
    if !outcome.rejected.isEmpty { tell(.rejected(outcome.rejected)) }
  }

  // MARK: Requests to the store

  func register(_ channel: ChannelType) async {
    do throws(TransportError) {
      let author = try await parts.transport.registerDevice(channel: channel)
      noteClock()
      try keep { () throws(CacheError) in try parts.cache.setAuthor(author) }
      handle(.registered)
    } catch {
      handle(.registrationFailed(error))
    }
  }

  func send(_ batch: OutboxBatch) async {
    do throws(TransportError) {
      if !batch.operations.isEmpty { try await exchange(batch) }
      let summary = try keep { () throws(CacheError) in try localSummary(sealAll: false) }
      handle(.sent(summary))
    } catch {
      handle(.sendFailed(error))
    }
  }

  private func exchange(_ batch: OutboxBatch) async throws(TransportError) {
    let answer = try await parts.transport.send(batch)
    noteClock()
    guard answer.results.count == batch.operations.count else {
      throw .badAnswer("as many results as operations were expected")
    }
    let answers = zip(batch.operations, answer.results).map {
      OperationAnswer(id: $0.operation.id, result: $1)
    }
    let outcome = try keep { () throws(CacheError) -> AcknowledgeOutcome? in
      // Numbered anew meanwhile, because base was rebuilt: they are sent again, and the store
      // knows them by their ids.
      guard try parts.cache.syncState().lineage == batch.lineage else { return nil }
      return try parts.cache.acknowledge(answers, sequence: answer.sequence, now: now)
    }
    if let outcome { report(outcome) }
  }

  func pull(_ request: ChangeChunk.Request, generation: Int64) async {
    do throws(TransportError) {
      let answer = try await parts.transport.pull(request)
      noteClock()
      let chunks = ChangeChunk.chunks(
        of: answer.changes, request: request, generation: generation, end: answer.end)
      var applied = 0
      var isCurrent = true
      for chunk in chunks where isCurrent {
        let outcome = try keep { () throws(CacheError) in try take(chunk) }
        applied += outcome.changed.count
        isCurrent = outcome.isCurrent
        // Keys and frames come first.
        await Task.yield()
      }
      let summary = try keep { () throws(CacheError) -> EngineCore.PullSummary in
        try self.summary(of: answer, applied: applied, isCurrent: isCurrent)
      }
      handle(.pulled(summary))
    } catch {
      handle(.pullFailed(error))
    }
  }

  private func take(_ chunk: ChangeChunk) throws(CacheError) -> ApplyOutcome {
    let outcome = try parts.cache.apply(chunk, now: now)
    if !outcome.changed.isEmpty || !outcome.finished.isEmpty { noteChange() }
    if !outcome.lost.isEmpty { tell(.rejected(outcome.lost)) }
    try announce(outcome.arrivals)
    if !outcome.changed.isEmpty || outcome.endedFirstSync { wantTidying() }
    return outcome
  }

  private func summary(
    of answer: PullAnswer, applied: Int, isCurrent: Bool
  ) throws(CacheError) -> EngineCore.PullSummary {
    if let epoch = answer.epoch, isCurrent { try parts.cache.setEpoch(epoch) }
    let isCaughtUp =
      if case .delta(_, _, let isCaughtUp) = answer.end { isCaughtUp } else { false }
    return EngineCore.PullSummary(
      applied: applied, through: answer.changes.map(\.sequence).max(),
      isComplete: isCurrent && isCaughtUp, stage: try parts.cache.syncState().stage,
      local: try localSummary(sealAll: false))
  }

  /// Drains the search index's queue and sweeps what a rebuild left, a little at a time.
  func tidy() async {
    var isIndexing = true
    var isSweeping = true
    while isIndexing || isSweeping, !Task.isCancelled {
      do throws(CacheError) {
        if isSweeping { isSweeping = try sweep() }
        if isIndexing { isIndexing = try parts.cache.drainIndexQueue(limit: 100) }
      } catch {
        // What could not be done is still in the queue, and the next pull tries again.
        break
      }
      await Task.yield()
    }
    tidyingEnded()
    handle(.woke)
  }

  /// Removes what a rebuild did not bring again, one step.
  /// - Returns: whether there is more to do.
  private func sweep() throws(CacheError) -> Bool {
    guard try parts.cache.syncState().needsSweep else { return false }
    let outcome = try parts.cache.sweepOldGenerations(limit: Self.itemsPerStepMax, now: now)
    if !outcome.removed.isEmpty { noteChange() }
    if !outcome.lost.isEmpty { tell(.rejected(outcome.lost)) }
    return !outcome.isFinished
  }

  // MARK: Small things

  private func keep<Value>(
    _ body: () throws(CacheError) -> Value
  ) throws(TransportError) -> Value {
    do throws(CacheError) {
      return try body()
    } catch {
      throw .cache(error.description)
    }
  }

  /// Smaller differences of the clocks are not worth a transaction.
  private static let offsetStep: Duration = .milliseconds(50)

  private func noteClock() {
    guard let offset = parts.transport.clockOffset else { return }
    let difference = offset - clockOffset
    guard difference > Self.offsetStep || difference < .zero - Self.offsetStep else { return }
    clockOffset = offset
    try? parts.cache.setClockOffset(offset)
  }
}

extension SyncState {
  /// What a pull has to ask for: the next page of a first synchronisation, or changes.
  func request(pages: Bool) -> ChangeChunk.Request {
    if let firstSync, !firstSync.pagesAreIn, pages || token == nil {
      return .page(firstSync.nextPage)
    }
    if let token { return .delta(since: token) }
    return .page(nil)
  }
}
