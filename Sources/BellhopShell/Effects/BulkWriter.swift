internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// A writer of the user's changes, in the order of the keys.
///
/// It carries out changes of many items in small steps, so that no other write has to wait for all
/// of them.
final class BulkWriter: Sendable {
  private let sessions: [Session]
  private let box: MessageQueue
  private let writes = DispatchQueue(label: "bellhop.cache.writes")
  private let counting = DispatchQueue(label: "bellhop.cache.counting")
  /// Whether the screen is closing, so that unfinished work is left to the next start.
  private let isClosing = Atomic<Bool>(false)

  /// The number of items per transaction, which takes a few milliseconds.
  private static let itemsPerStep = 250

  init(sessions: [Session], box: MessageQueue) {
    self.sessions = sessions
    self.box = box
  }

  /// Waits until every started write is committed.
  func finish() {
    isClosing.store(true, ordering: .relaxed)
    writes.sync {}
  }

  // MARK: Operations

  func write(
    _ operations: [BellhopModel.Operation], of session: Session, sealAfter: Duration?
  ) {
    let ids = operations.map(\.id)
    let isBulk = operations.contains(where: \.isBulk)
    commit(ids, of: session, isBulk: isBulk) { (storage: SQLiteCache) throws(CacheError) in
      _ = try storage.enqueue(
        operations, now: session.storeTime(), sealAfter: sealAfter, durability: .later)
      return .change(.performed(ids))
    }
  }

  /// Writes the operation for items whose content is still the one that the user marked.
  func write(_ order: MarkedOrder, of session: Session) {
    let ids = [order.operation.id]
    commit(ids, of: session, isBulk: false) { [box] (storage: SQLiteCache) throws in
      let reader = try session.access.reader()
      let operation = try order.operation.only { id, content in
        guard let content, let row = try reader.row(id) else { return false }
        // Repeats since then are what the user marked.
        return row.meaningSequence <= content && content <= row.contentSequence
      }
      let left = order.operation.notificationIDs.count - operation.notificationIDs.count
      if !operation.notificationIDs.isEmpty {
        _ = try storage.enqueue(
          [operation], now: session.storeTime(), sealAfter: order.sealAfter, durability: .later)
      }
      if left > 0 {
        let words = left.counted("item has", "items have")
        box.post(
          .notice(
            Notice(.information, SafeText("\(words) changed meanwhile and were skipped."))))
      }
      return .change(.performed(ids))
    }
  }

  func write(_ order: BulkOrder, of session: Session) {
    commit(order.operations, of: session) { (storage: SQLiteCache) throws in
      let reader = BulkReader(cache: try session.access.reader())
      let operations = try reader.operations(of: order)
      if !operations.isEmpty {
        _ = try storage.enqueue(
          operations, now: session.storeTime(), sealAfter: order.sealAfter, durability: .later)
      }
      return .change(.performed(operations.isEmpty ? order.operations : operations.map(\.id)))
    }
  }

  func cancel(_ operation: OperationID, of session: Session) {
    commit([operation], of: session) { (storage: SQLiteCache) throws(CacheError) in
      let items = try storage.cancel(operation, now: session.storeTime())
      return .change(.deleteCancelled(operation, isDone: items != nil))
    }
  }

  /// Changes the cache on the write queue, and posts the result when every reader sees the change.
  ///
  /// The change is sent while the disk syncs. The next change waits for the sync.
  ///
  /// - Parameter isBulk: Whether the lists may need to be updated in small steps. Otherwise the
  ///   change itself has updated them.
  private func commit(
    _ ids: [OperationID], of session: Session, isBulk: Bool = true,
    _ change: @escaping @Sendable (SQLiteCache) throws -> Message
  ) {
    writes.async { [self] in
      do {
        let storage = try session.access.storage()
        let answer = try change(storage)
        // Before the engine's news of the same change, which would make the screen read the lists
        // at once.
        if !isBulk { box.postConfirmation(answer) }
        session.outboxChanged()
        keep(in: storage)
        if isBulk { overlay(storage, session, then: answer) }
      } catch {
        box.post(.change(.failed(ids, SafeText("Not done: " + error.explanation))))
      }
    }
  }

  /// Syncs to disk and warns the user if that fails.
  ///
  /// The store has the operations that were sent; a power cut would lose the others.
  private func keep(in storage: SQLiteCache) {
    do throws(CacheError) {
      try storage.syncToDisk()
    } catch {
      let words = "Done, but a power cut may lose changes that are not sent yet: \(error)"
      box.post(.notice(Notice(.error, SafeText(words))))
    }
  }

  /// Updates the lists for operations on many items, newest items first, then posts the result.
  ///
  /// Other writes can run between the steps.
  private func overlay(_ storage: SQLiteCache, _ session: Session, then answer: Message) {
    let step = Self.itemsPerStep
    guard !isClosing.load(ordering: .relaxed),
      let outcome = try? storage.overlayBulk(limit: step, now: session.storeTime()),
      !outcome.isFinished
    else {
      // The engine continues with the rest, if any.
      return box.postConfirmation(answer)
    }
    if !outcome.changed.isEmpty { box.post(.dataChanged) }
    writes.async { [self] in overlay(storage, session, then: answer) }
  }

  // MARK: Counting

  /// Measures a selection without delaying the writes.
  func measure(_ selection: Selection, serial: Int) {
    counting.async { [self] in
      do {
        var parts: [SelectionExtent.Part] = []
        for session in sessions {
          let account = session.access.account.name
          guard selection.account == nil || selection.account == account else { continue }
          parts.append(
            try BulkReader(cache: try session.access.newReader()).extent(selection.query))
        }
        box.post(.slow(.extent(serial: serial, SelectionExtent(parts))))
      } catch {
        box.post(.notice(Notice(.error, SafeText("Not counted: " + error.explanation))))
      }
    }
  }
}
