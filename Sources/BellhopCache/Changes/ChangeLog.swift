import BellhopModel

/// The storage operations for reading the change log, within one snapshot.
protocol ChangeSource {
  var account: AccountName { get }
  func syncState() throws -> SyncState
  func item(_ id: NotificationID) throws -> ItemRecord?
  /// Returns items with a higher key, lowest first.
  func items(above key: ArrivalKey, limit: Int) throws -> [ItemRecord]
  /// Returns the rows of the log that extend beyond the number, oldest first.
  func logged(beyond number: Int64, limit: Int) throws -> [LoggedChanges]
}

/// The rules of reading changes, over any storage.
///
/// An entry of the log records that an item changed, not how: a reader receives the item as it is
/// now. The item's record contains the number of its last entry, so that earlier entries are
/// skipped and the reader receives the item once.
struct ChangeLog<Source: ChangeSource> {
  let source: Source

  /// The maximum number of items and entries checked in one call.
  ///
  /// They take a few milliseconds, even if few of them are wanted.
  private static var checksMax: Int { 512 }
  /// The number of rows of the log read at once. Most contain one entry or 250.
  private static var rowsMax: Int { 64 }

  func position(at start: ChangeStart) throws -> ChangePosition {
    let state = try source.syncState()
    let last = try source.logged(beyond: state.changeNumber - 1, limit: 1).first
    return ChangePosition(
      account: source.account.rawValue, log: state.changeLog, number: state.changeNumber,
      stamp: last?.at.milliseconds ?? 0, after: start == .beginning ? Int64.min : nil)
  }

  func changes(
    after position: ChangePosition, limit: Int, where isWanted: (CachedChange) -> Bool
  ) throws -> ChangesAnswer {
    let state = try source.syncState()
    if let reason = try reasonToStartOver(position, state) { return .startOver(reason) }
    var batch = ChangeBatch(changes: [], position: position, hasMore: true)
    guard limit > 0 else { return .batch(batch) }
    if let after = position.after {
      try tellKept(above: ArrivalKey(rawValue: after), limit: limit, &batch, isWanted)
    } else {
      try tellLogged(limit: limit, &batch, isWanted)
    }
    batch.hasMore = batch.position.after != nil || batch.position.number < state.changeNumber
    return .batch(batch)
  }

  private func reasonToStartOver(
    _ position: ChangePosition, _ state: SyncState
  ) throws -> StartOverReason? {
    guard position.account == source.account.rawValue else { return .otherAccount }
    guard position.log == state.changeLog, position.number <= state.changeNumber else {
      return .otherCache
    }
    // The row with the position's own entry, or the next one if the log was cut just there.
    let row = try source.logged(beyond: position.number - 1, limit: 1).first
    guard let row else { return position.number == state.changeNumber ? nil : .tooOld }
    if row.first > position.number { return row.first == position.number + 1 ? nil : .tooOld }
    return row.at.milliseconds == position.stamp ? nil : .otherCache
  }

  private func tellKept(
    above key: ArrivalKey, limit: Int, _ batch: inout ChangeBatch,
    _ isWanted: (CachedChange) -> Bool
  ) throws {
    let records = try source.items(above: key, limit: Self.checksMax)
    for record in records {
      batch.position.after = record.key.rawValue
      // The log reports later changes.
      guard record.change <= batch.position.number, record.placement != .gone else { continue }
      let change = CachedChange.item(CachedItem(record))
      guard isWanted(change) else { continue }
      batch.changes.append(change)
      if batch.changes.count == limit { return }
    }
    if records.count < Self.checksMax { batch.position.after = nil }
  }

  private func tellLogged(
    limit: Int, _ batch: inout ChangeBatch, _ isWanted: (CachedChange) -> Bool
  ) throws {
    var checks = 0
    for row in try source.logged(beyond: batch.position.number, limit: Self.rowsMax) {
      let skipped = Int(max(0, batch.position.number - row.first + 1))
      for (index, id) in row.ids.enumerated().dropFirst(skipped) {
        guard checks < Self.checksMax, batch.changes.count < limit else { return }
        checks += 1
        batch.position.number = row.first + Int64(index)
        batch.position.stamp = row.at.milliseconds
        guard let change = try change(of: id, at: batch.position.number, in: row),
          isWanted(change)
        else { continue }
        batch.changes.append(change)
      }
    }
  }

  /// Returns the change that an entry reports, or nil if a later entry reports it.
  private func change(
    of id: NotificationID, at number: Int64, in row: LoggedChanges
  ) throws -> CachedChange? {
    guard let record = try source.item(id) else {
      return row.removed.first { $0.id == id }.map(CachedChange.removed)
    }
    return record.change == number ? .item(CachedItem(record)) : nil
  }
}

// MARK: - In memory

extension MemoryCache: ChangeReading {
  package func changePosition(at start: ChangeStart) throws(CacheError) -> ChangePosition {
    let log = log
    return try wrapped { try log.position(at: start) }
  }

  package func changes(
    after position: ChangePosition, limit: Int, where isWanted: (CachedChange) -> Bool
  ) throws(CacheError) -> ChangesAnswer {
    let log = log
    return try wrapped { try log.changes(after: position, limit: limit, where: isWanted) }
  }

  private var log: ChangeLog<MemorySource> {
    ChangeLog(source: MemorySource(account: account, contents: contents))
  }
}

private struct MemorySource: ChangeSource {
  let account: AccountName
  let contents: MemoryContents

  func syncState() -> SyncState { contents.state }
  func item(_ id: NotificationID) -> ItemRecord? { contents.items[id]?.record }

  func items(above key: ArrivalKey, limit: Int) -> [ItemRecord] {
    Array(contents.records.reversed().filter { $0.key > key }.prefix(limit))
  }

  func logged(beyond number: Int64, limit: Int) -> [LoggedChanges] {
    contents.log.rows(beyond: number, limit: limit)
  }
}
