internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText
internal import Dispatch
internal import Synchronization

/// A performer of the inbox's effects on the real cache and engine.
///
/// Lists, details and counts are read immediately, on the event loop's own connection. Searches and
/// writes run on their own queues and post messages.
final class LiveEffects: EffectPerformer {
  private let box: MessageQueue
  private let zone: ZoneRules
  private let reader: MergedReader
  /// The sessions, one per account, in the order of the accounts; at least one.
  private let sessions: [Session]
  private let search: SearchQueue
  private let programs: DesktopPrograms
  private let caller: ActionCaller
  /// The queue of each narrowed list. Only a newer request for the same list ends a search.
  private var narrowed: [ListQuery: SearchQueue] = [:]
  /// The counter of each list, in the same way. All searches share one.
  private var counters: [ListQuery: ListCounter] = [:]
  private let writer: BulkWriter
  private let days: DayCounter
  private let office: ActivityLoader
  private let attachments: AttachmentRunner
  private let pictures: PictureRunner

  /// - Throws: `ClientError` if a cache cannot be read.
  init(
    sessions: [Session], box: MessageQueue, zone: ZoneRules, pictures: PictureProgram
  ) throws {
    self.pictures = PictureRunner(pictures, box: box)
    self.box = box
    self.zone = zone
    self.sessions = sessions
    reader = MergedReader(readers: try sessions.map { try $0.newListReader() })
    for reader in reader.readers { reader.cache.holdSnapshot() }
    search = SearchQueue(sessions: sessions, box: box)
    writer = BulkWriter(sessions: sessions, box: box)
    days = DayCounter(sessions: sessions, box: box)
    office = ActivityLoader(sessions: sessions, box: box)
    let programs = DesktopPrograms(sessions[0].access.context)
    self.programs = programs
    attachments = AttachmentRunner(sessions[0].access.context, programs: programs, box: box)
    caller = ActionCaller(sessions[0].access.context)
  }

  /// The session to use if no account is specified.
  private var first: Session { sessions[0] }

  private func session(_ account: AccountName) -> Session {
    sessions.first { $0.access.account.name == account } ?? first
  }

  /// Starts the effect, and returns the messages that one read of the cache or system call
  /// provides.
  func perform(_ effect: Effect) -> [Message] {
    switch effect {
    case .read(let read):
      do throws(CacheError) {
        return try answer(read)
      } catch {
        return [.readFailed(read, Notice(.error, SafeText(error.description)))]
      }
    case .slow(let read): begin(read)
    case .change(let change): write(change)
    case .item(.openLink(let order)): return open(order)
    case .item(.runAction(let run)): start(run)
    case .attachment(let effect): begin(effect)
    case .activity(let effect): office.begin(effect)
    case .store(let effect): ask(effect)
    case .remember(let remembered): return keep(remembered)
    case .terminal(.ring(let ring)):
      return programs.ring(ring).map { [.notice(Notice(.error, SafeText($0)))] } ?? []
    case .terminal(.copy(let text)): programs.copy(text)
    // The loop that reads the terminal performs these.
    case .terminal(.askGraphics), .terminal(.repaint), .terminal(.suspend), .terminal(.pipe),
      .terminal(.authenticate),
      .terminal(.quit), .terminal(.loadThemes), .terminal(.showTheme), .terminal(.keepTheme):
      break
    }
    return []
  }

  /// Starts the request of an action. Its outcome is posted as a message.
  private func start(_ run: ActionRun) {
    Task.detached { [caller, box] in
      box.post(.item(.actionFinished(run, await caller.outcome(of: run))))
    }
  }

  private func begin(_ read: SlowRead) {
    switch read {
    case .measure(let selection, let serial): writer.measure(selection, serial: serial)
    case .countDays(let spans, let list, let serial, let account):
      days.count(spans, in: list, serial: serial, of: account)
    case .countViews(let views, let serial, let account):
      days.count(views, serial: serial, of: account)
    case .countList(let order): counter(of: order.query.whole).run(order)
    case .suggest(let text, let serial, let account):
      counter(of: .search("")).suggest(for: text, serial: serial, of: account)
    case .cancelSearch:
      search.cancel()
      counters[.search("")]?.cancel()
    case .cancelNarrowed(let list):
      narrowed[list.whole]?.cancel()
      counters[list.whole]?.cancel()
    }
  }

  private func write(_ change: CacheChange) {
    switch change {
    case .perform(let account, let operations, let sealAfter):
      writer.write(operations, of: session(account), sealAfter: sealAfter)
    case .performOnMarked(let order): writer.write(order, of: session(order.account))
    case .performBulk(let order): writer.write(order, of: session(order.account))
    case .cancelDelete(let account, let operation): writer.cancel(operation, of: session(account))
    }
  }

  private func begin(_ effect: AttachmentEffect) {
    switch effect {
    case .fetch(let order): attachments.start(order, of: session(order.account))
    case .cancelFetch(let serial): attachments.cancel(serial: serial)
    case .drawPicture(let order): pictures.start(order)
    case .cancelPicture(let serial): pictures.cancel(serial: serial)
    }
  }

  private func ask(_ effect: StoreEffect) {
    switch effect {
    case .syncNow: for session in sessions { session.synchronise(isAsked: true) }
    case .checkAndSync: for session in sessions { session.synchronise(isAsked: false) }
    case .publishSample: first.publishSamples(forTour: false)
    case .publishTourItems: first.publishSamples(forTour: true)
    }
  }

  /// Answers a request for data, or starts a search if that may take long.
  private func answer(_ read: CacheRead) throws(CacheError) -> [Message] {
    if case .window(let query, let request) = read {
      switch query {
      case .search:
        search.run(query, request)
        return []
      case .narrowed(let whole, _):
        queue(for: whole).run(query, request)
        return []
      case .tray, .handled, .history, .later, .group: break
      }
    }
    return [.answer(try reader.answer(read, since: midnight()))]
  }

  func endReading() {
    for reader in reader.readers { reader.cache.releaseSnapshot() }
  }

  private func counter(of whole: ListQuery) -> ListCounter {
    if let counter = counters[whole] { return counter }
    let counter = ListCounter(sessions: sessions, box: box)
    counters[whole] = counter
    return counter
  }

  private func queue(for whole: ListQuery) -> SearchQueue {
    if let queue = narrowed[whole] { return queue }
    let queue = SearchQueue(sessions: sessions, box: box)
    narrowed[whole] = queue
    return queue
  }

  /// Waits until every started write is committed and incomplete files are removed.
  func finishWrites() {
    writer.finish()
    pictures.stop()
    _ = try? runBlocking { [attachments] in await attachments.stop() }
  }

  private func midnight() -> Timestamp { zone.midnight(before: first.storeTime()) }

  /// Saves a value for the next start.
  private func keep(_ remembered: SavedScreenValue) -> [Message] {
    let context = first.access.context
    do {
      switch remembered {
      case .splits(let splits): try ScreenMemory(context).keep(splits)
      case .orders(let orders): try ScreenMemory(context).keep(orders)
      case .views(let views): try SavedViewsFile(context).keep(views)
      case .removeView(let name): try SavedViewsFile(context).remove(named: name)
      }
      return []
    } catch {
      let line = "Applied until you quit, but not saved: " + error.explanation
      return [.notice(Notice(.error, SafeText(line)))]
    }
  }

  // MARK: Links

  /// Opens a link with the desktop's program.
  ///
  /// Over ssh or without a desktop, the user's browser is on another machine.
  private func open(_ order: LinkOrder) -> [Message] {
    let environment = first.access.context.environment
    let isRemote = environment["SSH_CONNECTION"] != nil || environment["SSH_TTY"] != nil
    let hasDesktop = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    guard !isRemote, hasDesktop,
      let opener = ChildProcess.find("xdg-open", environment: environment)
    else {
      return [.item(.linkUnopened(order, nil))]
    }
    do {
      try ChildProcess.startAndForget(opener, [order.link.url])
      return [.item(.linkOpened(order))]
    } catch {
      let line = SafeText("Cannot open the link, so it is copied: " + error.explanation)
      return [.item(.linkUnopened(order, Notice(.error, line)))]
    }
  }
}

/// A queue that runs searches, or searches of one list, one after the other.
///
/// A new search ends the current one.
private final class SearchQueue: Sendable {
  private let readers: LateReaders
  private let box: MessageQueue
  private let queue = DispatchQueue(label: "bellhop.cache.search")
  private let wanted = Mutex<Int>(0)

  init(sessions: [Session], box: MessageQueue) {
    readers = LateReaders(sessions)
    self.box = box
  }

  func run(_ query: ListQuery, _ request: WindowRequest) {
    wanted.withLock { $0 = request.serial }
    readers.interruptSearch()
    queue.async { [self] in
      guard wanted.withLock({ $0 == request.serial }) else { return }
      do {
        let window = try readers.merged().window(query, request)
        guard wanted.withLock({ $0 == request.serial }) else { return }
        box.post(.answer(.window(query, request, window)))
      } catch CacheError.interrupted {
        // A newer search, or none, has been requested.
      } catch {
        let notice = Notice(.error, SafeText(error.explanation.sentence))
        box.post(.readFailed(.window(query, request), notice))
      }
    }
  }

  func cancel() {
    wanted.withLock { $0 = -1 }
    readers.interruptSearch()
  }
}
