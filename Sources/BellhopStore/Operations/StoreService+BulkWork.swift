internal import BellhopModel
internal import Synchronization

extension StoreService {
  /// Applies a part of a device's outbox: in order, each operation exactly once (SYNC-9).
  ///
  /// Large batches and bulk operations take several transactions, with other writes in between. The
  /// answer comes after the last one, so that its sequence covers every effect. After a failure in
  /// between, applied operations stay applied, and the batch continues from there when it is sent
  /// again. ``sweep()`` also finishes bulk operations.
  ///
  /// - Throws: ``StoreError/outboxGap(expected:)``, ``StoreError/outboxDiverged``,
  ///   ``StoreError/notFound(what:)`` for a device that is not registered.
  package func apply(
    _ batch: OperationBatch, for user: UserID
  ) async throws(StoreError) -> BatchAnswer {
    var progress = BatchProgress()
    while true {
      let done = progress
      let chunk = try await nextChunk(of: batch, after: done, for: user)
      let step = try await write(
        in: .user(user), { try $0.step(batch, after: done, with: chunk, for: user, in: $1) },
        committed: { [self] step in
          countPublications(batch, step, after: done)
          switch step {
          case .unfinished(let progress) where progress.stepHasEffects:
            raise(progress.sequence, for: user, by: batch.device)
          case .finished(let answer) where answer.hasEffects:
            raise(answer.sequence, for: user, by: batch.device)
          case .unfinished, .finished: break
          }
        })
      switch step {
      case .unfinished(let next): progress = next
      case .finished(let answer): return answer
      }
    }
  }

  /// Counts the items that a step published.
  private func countPublications(
    _ batch: OperationBatch, _ step: BatchStep, after done: BatchProgress
  ) {
    let results = zip(batch.operations, step.results).dropFirst(done.results.count)
    let published = results.count { $0.operation.publishedContent != nil && $1 == .applied }
    if published > 0 { counted.withLock { $0.publications += published } }
  }

  /// Searches for the items of a bulk operation outside of the write.
  private func nextChunk(
    of batch: OperationBatch, after progress: BatchProgress, for user: UserID
  ) async throws(StoreError) -> BulkChunk? {
    // The step refuses an index past the end.
    let place = progress.results.count
    guard place < batch.operations.count, batch.operations[place].operation.isBulk else {
      return nil
    }
    return try await search(for: user) {
      try $0.nextChunk(of: batch, after: progress, continuing: $2, for: user, in: $1)
    }
  }

  /// Searches for the next items of a bulk operation until some are found or none remain. It
  /// performs one bounded read after another.
  private func search(
    for user: UserID,
    _ next: @escaping @Sendable (StoreLogic, any StoreReading, BulkChunk?) throws -> BulkChunk?
  ) async throws(StoreError) -> BulkChunk? {
    var chunk: BulkChunk?
    repeat {
      let known = chunk
      chunk = try await longRead(.step, for: user) { try next($0, $1, known) }
    } while chunk?.isUnfinished == true
    return chunk
  }

  /// Continues bulk operations whose requests no longer exist, as after a crash.
  ///
  /// - Returns: the number of finished operations.
  func finishBulkWork() async throws(StoreError) -> Int {
    var count = 0
    while let (user, work) = try await read({ try $1.bulkWorks(limit: 1) }).first {
      while let chunk = try await search(
        for: user,
        { try $0.nextChunk(of: work.operation.id, continuing: $2, for: user, in: $1) })
      {
        _ = try await write(
          in: .user(user), { try $0.resume(chunk, for: user, in: $1) },
          committed: { [self] in raise($0, for: user) })
        if Task.isCancelled { return count }
      }
      count += 1
    }
    return count
  }
}
