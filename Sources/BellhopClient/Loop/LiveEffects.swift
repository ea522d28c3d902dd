internal import BellhopCache
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// Performs the inbox's effects on the real cache and engine.
///
/// Lists, details and counts are read at once on a connection of the event loop's own; searches and
/// writes happen on queues of theirs and are answered by messages.
final class LiveEffects: EffectPerformer {
  private let access: CacheAccess
  private let box: MessageBox
  private let zone: ZoneRules
  private let reader: ListReader
  private let session: Session
  private let search: SearchQueue
  /// One for each list that was narrowed: only a newer wish for the same list ends a look.
  private var narrowed: [ListQuery: SearchQueue] = [:]
  /// Writes in the order of the keys that caused them.
  private let writes = DispatchQueue(label: "bellhop.cache.writes")

  /// - Throws: ``ClientError`` when the cache cannot be read.
  init(access: CacheAccess, session: Session, box: MessageBox, zone: ZoneRules) throws {
    self.access = access
    self.session = session
    self.box = box
    self.zone = zone
    reader = ListReader(cache: try access.newReader())
    search = SearchQueue(access: access, box: box)
  }

  func perform(_ effect: Effect) -> [Message] {
    switch effect {
    case .perform(_, let operations, let sealAfter):
      write(operations, sealAfter: sealAfter)
      return []
    case .cancelDelete(_, let operation):
      cancel(operation)
      return []
    case .loadWindow(let query, let request):
      switch query {
      case .search:
        search.run(query, request)
        return []
      case .narrowed(let whole, _):
        queue(for: whole).run(query, request)
        return []
      case .tray, .handled, .history, .later: break
      }
      return answer { () throws(CacheError) in
        .windowLoaded(query, request, try reader.window(query, request))
      }
    case .loadDetail(let key, let serial):
      return answer { () throws(CacheError) in
        .detailLoaded(key, serial: serial, try reader.detail(key))
      }
    case .loadCounts(let serial):
      return answer { () throws(CacheError) in
        .countsLoaded(serial: serial, try reader.counts(since: midnight()))
      }
    case .cancelSearch:
      search.cancel()
      return []
    case .cancelNarrowed(let whole):
      narrowed[whole]?.cancel()
      return []
    case .loadApps:
      return answer { () throws(CacheError) in .appsLoaded(try reader.appNames()) }
    case .openLink(let link):
      return open(link)
    case .syncNow, .checkAndSync:
      session.synchronise(isAsked: effect == .syncNow)
      return []
    case .publishSample:
      session.publishSample()
      return []
    case .copy, .repaint, .suspend, .quit:
      return []
    }
  }

  private func queue(for whole: ListQuery) -> SearchQueue {
    if let queue = narrowed[whole] { return queue }
    let queue = SearchQueue(access: access, box: box)
    narrowed[whole] = queue
    return queue
  }

  /// Waits until every write that was begun is committed.
  func finishWrites() { writes.sync {} }

  private func answer(_ read: () throws(CacheError) -> Message) -> [Message] {
    do throws(CacheError) {
      return [try read()]
    } catch {
      if case .corrupt = error { access.noteDamage() }
      return [.notice(Notice(.error, SafeText(error.description)))]
    }
  }

  private func midnight() -> Timestamp {
    let now = session.storeTime()
    var local = zone.local(now)
    (local.hour, local.minute, local.second) = (0, 0, 0)
    return zone.instant(of: local)
  }

  // MARK: Writes

  private func write(_ operations: [BellhopModel.Operation], sealAfter: Duration?) {
    let ids = operations.map(\.id)
    commit(ids) { [session] (storage: SQLiteCache) throws(CacheError) in
      _ = try storage.enqueue(operations, now: session.storeTime(), sealAfter: sealAfter)
      return .performed(ids)
    }
  }

  private func cancel(_ operation: OperationID) {
    commit([operation]) { [session] (storage: SQLiteCache) throws(CacheError) in
      let items = try storage.cancel(operation, now: session.storeTime())
      return .deleteCancelled(operation, isDone: items != nil)
    }
  }

  /// Changes the cache on the queue of writes, and answers when the change is on the disk.
  private func commit(
    _ ids: [OperationID],
    _ change: @escaping @Sendable (SQLiteCache) throws(CacheError) -> Message
  ) {
    writes.async { [access, box, session] in
      do {
        let answer = try change(try access.storage())
        box.post(answer)
        session.outboxChanged()
      } catch {
        box.post(.operationsFailed(ids, SafeText("Not done: \(error)")))
      }
    }
  }

  // MARK: Links

  /// Opens a link with the desktop's program. Over ssh, and without a desktop, it is copied: the
  /// person's browser is elsewhere.
  private func open(_ link: String) -> [Message] {
    let environment = access.context.environment
    let isRemote = environment["SSH_CONNECTION"] != nil || environment["SSH_TTY"] != nil
    let hasDesktop = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    guard !isRemote, hasDesktop,
      let opener = ChildProcess.find("xdg-open", environment: environment)
    else {
      box.post(.command(.copyLink))
      return []
    }
    do {
      try ChildProcess.startAndForget(opener, [link])
      return [.notice(Notice(.success, "Opened the link."))]
    } catch {
      box.post(.command(.copyLink))
      return [.notice(Notice(.error, SafeText("Cannot open the link, so it is copied: \(error)")))]
    }
  }
}

/// Runs searches, or looks through one list, one after the other; a new one ends the one that is running.
private final class SearchQueue: Sendable {
  private let access: CacheAccess
  private let box: MessageBox
  private let queue = DispatchQueue(label: "bellhop.cache.search")
  private let wanted = Mutex<Int>(0)
  private let opened = Mutex<CacheReader?>(nil)

  init(access: CacheAccess, box: MessageBox) {
    self.access = access
    self.box = box
  }

  func run(_ query: ListQuery, _ request: WindowRequest) {
    wanted.withLock { $0 = request.serial }
    opened.withLock { $0 }?.interruptSearch()
    queue.async { [self] in
      guard wanted.withLock({ $0 == request.serial }) else { return }
      do {
        let window = try ListReader(cache: try reader()).window(query, request)
        guard wanted.withLock({ $0 == request.serial }) else { return }
        box.post(.windowLoaded(query, request, window))
      } catch CacheError.interrupted {
        // A newer search, or none, is wanted.
      } catch {
        box.post(.notice(Notice(.error, SafeText("\(error)"))))
      }
    }
  }

  func cancel() {
    wanted.withLock { $0 = -1 }
    opened.withLock { $0 }?.interruptSearch()
  }

  private func reader() throws -> CacheReader {
    if let reader = opened.withLock({ $0 }) { return reader }
    let reader = try access.newReader()
    opened.withLock { $0 = reader }
    return reader
  }
}
