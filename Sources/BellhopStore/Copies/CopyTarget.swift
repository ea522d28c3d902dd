/// The storage that a copy fills, batch after batch.
struct CopyTarget: Sendable {
  let backend: any StorageBackend
  /// The id of the copy.
  let id: String

  /// Begins the copy, or continues it.
  ///
  /// - Throws: ``StoreError/alreadyExists(what:)`` if the storage is not empty,
  ///   ``StoreError/unavailable(reason:)`` if it holds another unfinished copy.
  func begin() async throws -> CopyProgress {
    try await backend.write(
      in: .store,
      { [id] transaction in
        if let progress = try transaction.copyProgress(), progress.id == id { return progress }
        try Self.requireEmpty(transaction)
        let progress = CopyProgress(id: id)
        try transaction.setCopyProgress(progress)
        return progress
      }, committed: { _ in })
  }

  /// Checks that a copy to the storage can begin, or that this one can be continued.
  static func check(_ backend: any StorageBackend, id: String?) async throws {
    try await backend.read { state in
      _ = try state.copyReading()
      if let progress = try state.copyProgress(), progress.id == id { return }
      try requireEmpty(state)
    }
  }

  private static func requireEmpty(_ state: any StoreReading) throws {
    if let progress = try state.copyProgress(), !progress.isFinished {
      throw StoreError.unavailable(
        reason: "the target holds an unfinished copy from another source; empty the target first")
    }
    guard try state.metadata(.epoch) == nil, try state.latestStart() == nil,
      try state.users().isEmpty
    else { throw StoreError.alreadyExists(what: "a store in the target") }
  }

  /// Inserts rows of one table.
  ///
  /// - Parameter progress: the state before, which this advances.
  func insert(
    _ rows: [CopiedRow], of table: CopiedTable, _ progress: inout CopyProgress
  ) async throws {
    let former = progress
    progress.rows += rows.count
    progress.table = table.name
    progress.key = rows.last?.key.encoded ?? progress.key
    let moving = rows.filter(\.isCopied)
    try await backend.write(
      in: .store,
      { [progress] transaction in
        try Self.require(former, in: transaction)
        try transaction.copyRecords().insert(moving, into: table)
        try transaction.setCopyProgress(progress)
      }, committed: { _ in })
  }

  /// Finishes the copy. From then on the storage can be opened.
  ///
  /// - Parameter prepare: a last step in the same transaction.
  func finish<Value: Sendable>(
    _ progress: CopyProgress, lastUser: UserID,
    prepare: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await backend.write(
      in: .users,
      { transaction in
        try Self.require(progress, in: transaction)
        try transaction.copyRecords().finishCopy(lastUser: lastUser)
        var finished = progress
        finished.isFinished = true
        try transaction.setCopyProgress(finished)
        return try prepare(transaction)
      }, committed: { _ in })
  }

  /// Returns the counts and checksums of everything in the storage.
  func tally(_ limit: PageLimit) async throws -> CopyTally {
    try await CopyTally(of: backend, limit)
  }

  private static func require(_ progress: CopyProgress, in state: any StoreReading) throws {
    guard try state.copyProgress() == progress else {
      throw StoreError.unavailable(reason: "another process is copying to the same target")
    }
  }
}

extension CopyTally {
  /// Computes the tally of a storage that does not change meanwhile.
  init(of backend: any StorageBackend, _ limit: PageLimit) async throws {
    var builder = Builder()
    for table in CopiedTable.allCases {
      var key: [CopiedValue]?
      while true {
        try Task.checkCancellation()
        let rows = try await backend.read { [key] in
          try $0.copyReading().copiedRows(of: table, after: key, limit: limit)
        }
        guard let last = rows.last else { break }
        for row in rows where row.isCopied { builder.add(row) }
        key = last.key
      }
    }
    self = builder.finish()
  }
}

extension StoreError {
  /// The error for a copy whose counts or checksums are not those of the source.
  static func differingCopy(_ table: CopiedTable) -> StoreError {
    .unavailable(
      reason: "the copied \(table.noun.several) differ from those of the source; empty the target "
        + "and copy again")
  }
}
