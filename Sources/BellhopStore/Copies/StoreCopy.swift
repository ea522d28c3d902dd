internal import BellhopModel

/// A move of a whole store from one storage to another, such as from SQLite to PostgreSQL or back.
///
/// No process may serve either of them. Everything moves that users, devices and publishers rely on:
/// the key of the tokens and the epoch, so that access tokens, outboxes and idempotency keys continue;
/// items with their sequences and numbers; operations; and attachments. See ``CopiedTable``.
///
/// The epoch stays, because a new one would make devices send their outboxes again under other
/// numbers. A process that serves the target begins a start of its own there, as after any restart. So
/// delta tokens from before the move continue, up to the sequence that the user had then.
///
/// The source is marked as moved before the first row is copied, and does not open from then on. A
/// process that served it and was suspended reads and writes nothing after the mark. An interrupted
/// copy is continued by running it again. At the end, the counts and checksums of both are compared, by
/// user.
package struct StoreCopy: Sendable {
  private let source: any StorageBackend
  private let target: any StorageBackend
  private let sourceFiles: (any BlobStore)?
  private let targetFiles: (any BlobStore)?
  private let limit: PageLimit

  /// The limits of one batch, which is one transaction in the target: some tens of milliseconds.
  package static let batchMax = PageLimit(rows: 500, bytes: 1 << 20)

  /// - Parameters:
  ///   - sourceFiles: the attachments of the source; nil for none.
  ///   - targetFiles: the attachments of the target; nil for none.
  ///   - limit: the maximum size of a batch.
  package init(
    from source: any StorageBackend, files sourceFiles: (any BlobStore)?,
    to target: any StorageBackend, files targetFiles: (any BlobStore)?,
    limit: PageLimit = StoreCopy.batchMax
  ) {
    self.source = source
    self.target = target
    self.limit = limit
    self.sourceFiles = sourceFiles
    self.targetFiles = targetFiles
  }

  /// Copies everything, or continues an interrupted copy.
  ///
  /// Cancelling the task interrupts it between two batches.
  ///
  /// - Parameters:
  ///   - targetName: the place of the target for the mark in the source, without secrets.
  ///   - onStep: called after each batch.
  /// - Throws: ``StoreError/moved(target:)`` if the source was moved before,
  ///   ``StoreError/inUse(processes:)`` if processes serve it, ``StoreError/alreadyExists(what:)`` if
  ///   the target is not empty, `CancellationError`, and other ``StoreError``s.
  package func run(
    environment: StoreEnvironment, targetName: String,
    onStep: @escaping @Sendable (CopyStep) -> Void = { _ in }
  ) async throws -> CopyReport {
    let known = try await source.read { try $0.moveMark() }
    try await CopyTarget.check(target, id: known?.id)
    let mark = try await markSource(environment, targetName)
    try await waitForWrites()
    let filling = CopyTarget(backend: target, id: mark.id)
    var progress = try await filling.begin()
    var counts = BlobCounts()
    // A finished target may be served already. Only the mark in the source is missing.
    if !progress.isFinished {
      try await copyRows(to: filling, &progress, onStep)
      counts = try await copyBlobs(environment, onStep)
    }
    let tally = try await CopyTally(of: source, limit)
    if !progress.isFinished {
      onStep(CopyStep(phase: .verification, count: tally.rowCount))
      if let table = try await filling.tally(limit).firstDifference(from: tally) {
        throw StoreError.differingCopy(table)
      }
      let lastUser = try await source.read { try $0.copyReading().lastUserID() }
      // If this process ends during the last step, the target may be served.
      try await setPhase(.finishing, of: mark)
      try await filling.finish(progress, lastUser: lastUser) { _ in }
    }
    try await setPhase(.finished, of: mark)
    return CopyReport(tally, blobs: counts)
  }

  // MARK: - The source

  /// Marks the source as being moved, unless it is already.
  ///
  /// A move that was interrupted before its last step may continue to another target.
  private func markSource(
    _ environment: StoreEnvironment, _ targetName: String
  ) async throws -> MoveMark {
    try await source.write(
      in: .store,
      { transaction in
        if var mark = try transaction.moveMark() {
          if mark.target == targetName, mark.phase != .finished { return mark }
          guard mark.phase == .copying else { throw StoreError.moved(target: mark.target) }
          mark.target = targetName
          try transaction.setMoveMark(mark)
          return mark
        }
        try transaction.refuseUnfinishedCopy()
        guard try transaction.metadata(.epoch) != nil else {
          throw StoreError.notFound(what: "store in the source")
        }
        try Self.requireUnserved(transaction, at: environment.now())
        let id = Base64URL.encode(environment.randomBytes(16))
        let mark = MoveMark(id: id, target: targetName)
        try transaction.setMoveMark(mark)
        if let key = transaction.lifeKey {
          try StoreLogic.recordMove(environment, lifeKey: key, in: transaction)
        }
        return mark
      }, committed: { _ in })
  }

  private static func requireUnserved(_ state: any StoreReading, at now: Timestamp) throws {
    guard state.lifeKey != nil else { return }
    let since = now.advanced(by: .zero - ServingProcess.liveTime)
    let count = try state.processes(seenSince: since).count
    guard count == 0 else { throw StoreError.inUse(processes: count) }
  }

  /// Waits until all writes that began before the mark have ended, in all processes.
  private func waitForWrites() async throws {
    try await source.write(
      in: .users,
      { transaction in
        guard transaction.lifeKey != nil else { return }
        for user in try transaction.users() { try transaction.lock(user.id) }
      }, committed: { _ in })
  }

  /// Records the progress of the move in the source.
  ///
  /// - Throws: ``StoreError/unavailable(reason:)`` if the source was revived meanwhile.
  private func setPhase(_ phase: MoveMark.Phase, of mark: MoveMark) async throws {
    try await source.write(
      in: .store,
      { transaction in
        guard try transaction.moveMark()?.id == mark.id else {
          throw StoreError.unavailable(reason: "the source was revived during the move")
        }
        var next = mark
        next.phase = phase
        try transaction.setMoveMark(next)
      }, committed: { _ in })
  }

  // MARK: - Copying

  private func copyRows(
    to target: CopyTarget, _ progress: inout CopyProgress,
    _ onStep: @Sendable (CopyStep) -> Void
  ) async throws {
    let tables = CopiedTable.allCases
    var place = 0
    var key: [CopiedValue]?
    if let name = progress.table, let bytes = progress.key {
      guard let index = tables.firstIndex(where: { $0.name == name }),
        let last = [CopiedValue](encoded: bytes[...])
      else { throw StoreError.unavailable(reason: "the progress of the copy is damaged") }
      place = index
      key = last
    }
    for table in tables[place...] {
      var count = 0
      while true {
        try Task.checkCancellation()
        let rows = try await source.read { [key, limit] in
          try $0.copyReading().copiedRows(of: table, after: key, limit: limit)
        }
        guard !rows.isEmpty else { break }
        try await target.insert(rows, of: table, &progress)
        key = rows.last?.key
        count += rows.count
        onStep(CopyStep(phase: .rows(table), count: count))
      }
      key = nil
    }
  }

  /// Copies the attachments that the source's rows name.
  private func copyBlobs(
    _ environment: StoreEnvironment, _ onStep: @Sendable (CopyStep) -> Void
  ) async throws -> BlobCounts {
    let blobs = BlobCopy(from: sourceFiles, to: targetFiles, environment)
    var counts = BlobCounts()
    // Several rows may name the same attachment.
    var done: Set<FileHash> = []
    var key: [CopiedValue]?
    try await targetFiles?.removeDrafts()
    while true {
      let rows = try await source.read { [key, limit] in
        try $0.copyReading().copiedRows(of: .file, after: key, limit: limit)
      }
      guard let last = rows.last else { return counts }
      for row in rows {
        try Task.checkCancellation()
        guard let hash = row.fileHash, done.insert(hash).inserted else { continue }
        try await blobs.copy(hash, &counts)
      }
      onStep(CopyStep(phase: .attachments, count: counts.copied))
      key = last.key
    }
  }
}
