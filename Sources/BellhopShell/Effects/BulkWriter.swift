internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// Writes what a person did, in the order of the keys that caused it, and carries changes of many
/// items out a little at a time, so that no other write waits for all of it.
final class BulkWriter: Sendable {
  private let sessions: [Session]
  private let box: MessageBox
  private let writes = DispatchQueue(label: "bellhop.cache.writes")
  private let counting = DispatchQueue(label: "bellhop.cache.counting")
  /// The screen is closing: what is left to carry out is for the next start.
  private let isClosing = Atomic<Bool>(false)

  /// Items in one transaction: a few milliseconds.
  private static let itemsPerStep = 250

  init(sessions: [Session], box: MessageBox) {
    self.sessions = sessions
    self.box = box
  }

  /// Waits until every write that was begun is committed.
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

  /// Only what still has the content that the person marked.
  func write(_ order: MarkedOrder, of session: Session) {
    let ids = [order.operation.id]
    commit(ids, of: session, isBulk: false) { [box] (storage: SQLiteCache) throws in
      let reader = try session.access.reader()
      let operation = try order.operation.only { id, content in
        try reader.row(id)?.contentSequence == content
      }
      let left = order.operation.notificationIDs.count - operation.notificationIDs.count
      if !operation.notificationIDs.isEmpty {
        _ = try storage.enqueue(
          [operation], now: session.storeTime(), sealAfter: order.sealAfter, durability: .later)
      }
      if left > 0 {
        let words = left.counted("of them has", "of them have")
        box.post(
          .notice(
            Notice(.information, SafeText("\(words) changed meanwhile, and stay as they are."))))
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

  /// Changes the cache on the queue of writes, and answers when the change is in every reader's sight.
  /// It is sent while the disk syncs; the next change waits for that.
  ///
  /// - Parameter isBulk: whether lists may have to be brought up to date a little at a time; otherwise
  ///   the change did all of it.
  private func commit(
    _ ids: [OperationID], of session: Session, isBulk: Bool = true,
    _ change: @escaping @Sendable (SQLiteCache) throws -> Message
  ) {
    writes.async { [self] in
      do {
        let storage = try session.access.storage()
        let answer = try change(storage)
        // Before the engine's news of the same, for which the lists would be read at once.
        if !isBulk { box.postConfirmation(answer) }
        session.outboxChanged()
        keep(in: storage)
        if isBulk { overlay(storage, session, then: answer) }
      } catch {
        box.post(.change(.failed(ids, SafeText("Not done: " + error.explanation))))
      }
    }
  }

  /// What is sent is at the store; what is not yet would be gone with the power, and the person is
  /// told.
  private func keep(in storage: SQLiteCache) {
    do throws(CacheError) {
      try storage.syncToDisk()
    } catch {
      let words = "Done, but a power cut may undo what is not sent yet: \(error)"
      box.post(.notice(Notice(.error, SafeText(words))))
    }
  }

  /// Brings the lists up to date with what was said of many items, from the newest on, and answers
  /// then. Other writes come in between.
  private func overlay(_ storage: SQLiteCache, _ session: Session, then answer: Message) {
    let step = Self.itemsPerStep
    guard !isClosing.load(ordering: .relaxed),
      let outcome = try? storage.overlayBulk(limit: step, now: session.storeTime()),
      !outcome.isFinished
    else {
      // What is left, if anything, the engine goes on with.
      return box.postConfirmation(answer)
    }
    if !outcome.changed.isEmpty { box.post(.dataChanged) }
    writes.async { [self] in overlay(storage, session, then: answer) }
  }

  // MARK: Counting

  /// Counts what a selection is, beside the writes.
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
