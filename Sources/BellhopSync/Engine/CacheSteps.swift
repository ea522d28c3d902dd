package import BellhopCache
package import BellhopModel

/// The engine's steps on the cache, which do not wait for anything.
///
/// They are everything between a decision of ``EngineCore`` and a request, and between an answer
/// and the next event. ``SyncEngine`` runs these steps. The simulation runs them too, and thus
/// tests the real ones.
package struct CacheSteps: Sendable {
  package let cache: any CacheStorage
  let newLineage: @Sendable () -> Lineage
  let announces: Bool

  /// The maximum number of items moved or indexed in one transaction.
  ///
  /// A key press or a frame must not wait longer.
  static let itemsPerStepMax = 250

  /// The maximum number of items that a change names. With more, a screen rereads its lists anyway.
  static let namedItemsMax = 8

  package init(
    cache: any CacheStorage, newLineage: @escaping @Sendable () -> Lineage, announces: Bool
  ) {
    self.cache = cache
    self.newLineage = newLineage
    self.announces = announces
  }

  /// The results of steps that listeners need.
  package struct News: Hashable, Sendable {
    /// The part of the shown state that may have changed; nil for none.
    package var changes: ChangeScope?
    /// New content that this process has claimed to announce.
    package var arrivals: [Arrival] = []
    /// Operations that did not take effect.
    package var rejected: [RejectedOperation] = []
    /// Whether the index queue has work, or items wait for the sweep or the bulk overlay.
    package var needsTidying = false

    package init() {}

    mutating func note(_ scope: ChangeScope) { changes = scope.joined(with: changes) }
  }

  /// The step that follows an action.
  package enum Step: Hashable, Sendable {
    case event(EngineCore.Event)
    case pull(ChangeChunk.Request, generation: Int64)
    /// A pull that is already answered.
    case take(PullAnswer, to: ChangeChunk.Request, generation: Int64)
    case send(OutboxBatch)
    /// No step: the action does not concern the cache.
    case none
  }

  /// Returns the event that starts the core.
  package func start(
    now: Timestamp, _ news: inout News
  ) throws(CacheError) -> EngineCore.Event {
    let state = try cache.syncState()
    return .started(
      try summary(now: now, &news), state.stage)
  }

  /// Performs an action that needs only the cache, or prepares the request that it needs.
  package func perform(
    _ action: EngineCore.Action, now: Timestamp, _ news: inout News
  ) throws(CacheError) -> Step {
    switch action {
    case .settle(let scope):
      return .event(.settled(try summary(sealing: scope, now: now, &news)))
    case .takeEnclosed(let enclosed):
      let state = try cache.syncState()
      let request = state.request(pages: false)
      guard request == .delta(since: enclosed.since) || Mutant.enclosureUnchecked.isOn else {
        return try perform(.pullChanges, now: now, &news)
      }
      return .take(enclosed.answer, to: request, generation: state.generation)
    case .pullFirstSync, .pullChanges:
      var state = try cache.syncState()
      // The first page was interrupted: no token shows whether the store still has its rows.
      if state.token == nil, state.appliedThrough > .zero, !Mutant.lostPastKept.isOn {
        state = try cache.beginRebuild(epoch: nil)
      }
      return .pull(
        state.request(pages: action == .pullFirstSync), generation: state.generation)
    case .send(let limit):
      return .send(try cache.sealedBatch(limit: limit))
    case .rebuildBase:
      // In this order: a crash between the two must not leave answers of a lost store in place.
      try cache.renumber(
        Mutant.rebuildKeepsAnswers.isOn ? .unanswered : .everything, lineage: newLineage(), from: 1)
      _ = try cache.beginRebuild(epoch: nil)
      return .event(.baseRebuilt(try summary(now: now, &news)))
    case .renumber(let first):
      let lineage = try cache.syncState().lineage
      try cache.renumber(.everything, lineage: lineage, from: first)
      return .event(.renumbered(try summary(now: now, &news)))
    case .startNewLineage:
      let lineage = Mutant.lineageKept.isOn ? try cache.syncState().lineage : newLineage()
      try cache.renumber(.unanswered, lineage: lineage, from: 1)
      return .event(.renumbered(try summary(now: now, &news)))
    case .refuseFirst:
      return .event(.settled(try refuseFirst(now: now, &news)))
    case .register, .openSignals, .closeSignals, .roundEnded: return .none
    }
  }

  /// Seals the operations in scope, moves items to where they belong, and counts.
  ///
  /// ``EngineCore`` decides whether a grace period is over: it also measures it without the store's
  /// clock.
  package func summary(
    sealing scope: SealScope = .none, now: Timestamp, _ news: inout News
  ) throws(CacheError) -> LocalSummary {
    if scope == .due || scope == .none, let pending = try cache.pendingWork(now: now) {
      if pending.needsSweep { news.needsTidying = true }
      return LocalSummary(
        waiting: pending.outbox.unsent, ready: pending.outbox.waiting, nextSeal: pending.nextSeal,
        nextDue: pending.nextDue)
    }
    let nextSeal = try cache.seal(scope, now: now)
    let moved = try cache.moveDueItems(now: now, limit: Self.itemsPerStepMax)
    if !moved.changed.isEmpty { news.note(.everything) }
    if moved.needsSweep { news.needsTidying = true }
    try announce(moved.arrivals, &news)
    let counts = try cache.outboxCounts()
    return LocalSummary(
      waiting: counts.unsent, ready: counts.waiting, nextSeal: nextSeal,
      nextDue: moved.nextDue)
  }

  private func announce(_ arrivals: [Arrival], _ news: inout News) throws(CacheError) {
    guard announces, !arrivals.isEmpty else { return }
    news.arrivals += try cache.claimAnnouncements(arrivals)
  }

  // MARK: Outbox

  /// Applies the store's answer to a batch.
  package func take(
    _ answer: SendAnswer, to batch: OutboxBatch, now: Timestamp, _ news: inout News
  ) throws(CacheError) {
    // The operations were renumbered meanwhile, because base was rebuilt. They are sent again, and
    // the store recognises them by their ids.
    guard try cache.syncState().lineage == batch.lineage else { return }
    let answers = zip(batch.operations, answer.results).map {
      OperationAnswer(id: $0.operation.id, result: $1)
    }
    note(try cache.acknowledge(answers, sequence: answer.sequence, now: now), &news)
  }

  /// Removes an operation that the store can never accept, and reports it.
  private func refuseFirst(
    now: Timestamp, _ news: inout News
  ) throws(CacheError) -> LocalSummary {
    let batch = try cache.sealedBatch(limit: 1)
    if let first = batch.operations.first {
      let answer = OperationAnswer(id: first.operation.id, result: .unacceptable(.invalid))
      note(try cache.acknowledge([answer], sequence: .zero, now: now), &news)
      // The store never used its number, so the rest moves up.
      try cache.renumber(.unanswered, lineage: batch.lineage, from: first.number)
    }
    return try summary(now: now, &news)
  }

  private func note(_ outcome: AcknowledgeOutcome, _ news: inout News) {
    if !outcome.changed.isEmpty || !outcome.rejected.isEmpty { news.note(.everything) }
    if !Mutant.refusalsUntold.isOn { news.rejected += outcome.rejected }
  }

  // MARK: Base

  /// Commits one chunk of a pull's answer.
  package func take(
    _ chunk: ChangeChunk, now: Timestamp, _ news: inout News
  ) throws(CacheError) -> ApplyOutcome {
    try renumberDoubted(by: chunk)
    let outcome = try cache.apply(chunk, now: now)
    if outcome.changed.count > Self.namedItemsMax || !outcome.finished.isEmpty
      || !outcome.changedApps.isEmpty || outcome.changedRules || !outcome.arrivals.isEmpty
    {
      news.note(.everything)
    } else if !outcome.changed.isEmpty {
      news.note(.items(outcome.changed))
    }
    if !outcome.changed.isEmpty || outcome.endedFirstSync { news.needsTidying = true }
    news.rejected += outcome.lost
    try announce(outcome.arrivals, &news)
    return outcome
  }

  /// Renumbers the operations whose answers the store may have lost.
  ///
  /// The store recognises the operations that it still has by their ids (SYNC-9). An answer in
  /// transit belongs to the lineage before.
  private func renumberDoubted(by chunk: ChangeChunk) throws(CacheError) {
    let isFirstPage = chunk.request == .page(nil) && chunk.isFirst
    guard isFirstPage || chunk.validThrough != nil else { return }
    let counts = try cache.outboxCounts()
    let isDoubted =
      if let valid = chunk.validThrough {
        try cache.hasAnswers(after: valid)
      } else if Mutant.rebuildKeepsAnswers.isOn {
        false
      } else if Mutant.firstPageVerifies.isOn {
        try cache.hasAnswers(after: chunk.readAt ?? .zero)
      } else {
        // A first page is requested without a token: nothing shows that the store of the answers
        // and the store of the page have the same past, whatever their counters are.
        counts.settling > 0
      }
    if isDoubted {
      try cache.renumber(.everything, lineage: newLineage(), from: 1)
    } else if counts.waiting > 0 {
      // A later answer may be from the lost past as well, and no token would show it.
      try cache.renumber(.unanswered, lineage: newLineage(), from: 1)
    }
  }

  /// Applies a short answer at once.
  ///
  /// - Parameter tell: Called when the whole answer is in the cache, so that a screen need not wait
  ///   until the next event is known.
  package func take(
    _ answer: PullAnswer, to request: ChangeChunk.Request, generation: Int64, now: Timestamp,
    _ news: inout News, tell: (inout News) -> Void = { _ in }
  ) throws(CacheError) -> EngineCore.Event {
    var applied = 0
    var last = ApplyOutcome(isCurrent: true)
    for chunk in answer.chunks(for: request, generation: generation) where last.isCurrent {
      last = try take(chunk, now: now, &news)
      applied += last.changed.count
    }
    tell(&news)
    return try finish(answer, applied: applied, last: last, now: now, &news)
  }

  /// Returns the event after the last chunk, which had the outcome `last`; `applied` rows were
  /// applied.
  package func finish(
    _ answer: PullAnswer, applied: Int, last: ApplyOutcome, now: Timestamp, _ news: inout News
  ) throws(CacheError) -> EngineCore.Event {
    if last.holdsLostPast { return .pullFailed(.resyncRequired) }
    let isCurrent = last.isCurrent
    let state = try cache.syncState()
    if let epoch = answer.epoch, isCurrent, state.epoch != epoch { try cache.setEpoch(epoch) }
    let isCaughtUp =
      if case .delta(_, _, let isCaughtUp) = answer.end { isCaughtUp } else { false }
    return .pulled(
      EngineCore.PullSummary(
        applied: applied, through: answer.changes.map(\.sequence).max(),
        isComplete: isCurrent && isCaughtUp, stage: state.stage,
        local: try summary(now: now, &news), itemCount: answer.itemCount))
  }

  // MARK: Tidying

  /// Performs one step of indexing, of the sweep after a rebuild and of the bulk overlay.
  /// - Returns: Whether there is more to do.
  package func tidy(now: Timestamp, _ news: inout News) throws(CacheError) -> Bool {
    var hasMore = false
    if try cache.syncState().needsOverlay {
      let outcome = try cache.overlayBulk(limit: Self.itemsPerStepMax, now: now)
      if !outcome.changed.isEmpty { news.note(.everything) }
      hasMore = !outcome.isFinished
    }
    if try cache.syncState().needsSweep {
      let outcome = try cache.sweepOldGenerations(limit: Self.itemsPerStepMax, now: now)
      if !outcome.removed.isEmpty || !outcome.moved.isEmpty { news.note(.everything) }
      news.rejected += outcome.lost
      hasMore = hasMore || !outcome.isFinished
    }
    let isIndexing = try cache.drainIndexQueue(limit: 100)
    return hasMore || isIndexing
  }
}

extension SyncState {
  /// The completeness of base.
  var stage: EngineCore.BaseStage {
    guard let firstSync else { return .whole }
    return firstSync.pagesAreIn ? .closing : .paging
  }

  /// Returns the request for the next pull: a page of a first synchronisation, or changes.
  func request(pages: Bool) -> ChangeChunk.Request {
    if let firstSync, !firstSync.pagesAreIn, pages || token == nil {
      return .page(firstSync.nextPage)
    }
    if let token { return .delta(since: token) }
    return .page(nil)
  }
}
