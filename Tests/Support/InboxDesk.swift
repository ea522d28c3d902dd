package import BellhopInbox
package import BellhopModel
package import BellhopScreen
import BellhopText

/// An inbox whose effects are performed on an ``ItemShelf``.
///
/// It does what the client does, without terminal, cache and clock.
package struct InboxDesk: Sendable {
  package var state: InboxState
  package var shelf: ItemShelf
  /// Every effect so far except requests for data.
  package private(set) var acts: [Effect] = []
  /// Answers on their way, if they are not sent at once.
  package var answers: [Message] = []
  /// The means of drawing pictures; nil for a terminal that has not answered.
  package var means: PictureRendering? = .cells
  /// The number of requests for the means of drawing pictures.
  package private(set) var questions = 0
  /// Whether a program opens links.
  package var hasBrowser = true
  /// Whether each effect is answered before the next message.
  package var isPrompt = true
  package private(set) var now: Timestamp
  /// The number of reads that will fail from now on.
  package var failingReads = 0
  /// The number of failed reads.
  package private(set) var failedReads = 0
  /// The number of reads of list rows.
  package private(set) var windowsRead = 0
  /// Whether one message led to endless requests.
  package private(set) var isRunaway = false
  /// A bound far above the few rounds of requests that any message causes.
  private static let answersMax = 2000

  /// The time 2026-11-21 06:14:20 in a zone called CET, one hour ahead of UTC.
  package static let morning = Timestamp(seconds: 1_795_238_060)
  package static let cet = ZoneRules.fixed(offsetSeconds: 3600, abbreviation: "CET")

  package init(
    width: Int, height: Int, shelf: ItemShelf = ItemShelf(), now: Timestamp = InboxDesk.morning,
    zone: ZoneRules = InboxDesk.cet, keymap: Keymap = .standard, seed: UInt64 = 1,
    foldsGroups: Bool = true
  ) {
    self.shelf = shelf
    self.now = now
    let random = SharedRandom(seed: seed)
    state = InboxState(
      size: Size(width: width, height: height), now: now, zone: zone,
      accountLabel: "alice@home", ids: UniqueIDSource { random.next() }, keymap: keymap,
      foldsGroups: foldsGroups)
  }

  /// Similar texts, for searches that find nothing.
  package var suggestions: [String: String] = [:]

  /// Sends the first message, and reports that the store is connected.
  ///
  /// - Parameter isTouched: Whether the user has used the mouse or a key since.
  package mutating func start(isTouched: Bool = true) {
    send(.start)
    send(.account(.connection(ConnectionStatus(.live))))
    if isTouched { send(.mouse(MouseEvent(.release, at: Point(x: 0, y: 0)))) }
  }

  package mutating func send(_ message: Message) {
    perform(reduce(&state, message))
    var count = 0
    while isPrompt, !answers.isEmpty {
      perform(reduce(&state, answers.removeFirst()))
      count += 1
      if count > Self.answersMax {
        isRunaway = true
        return
      }
    }
  }

  package mutating func send(_ input: UserInput) { send(.person(input)) }

  /// Presses keys as the configuration spells them, separated by blanks: `j j d Enter Ctrl-d`.
  package mutating func press(_ keys: String) {
    for spelling in keys.split(separator: " ") {
      guard let key = Key(String(spelling)) else { preconditionFailure("no key: \(spelling)") }
      send(.key(key))
    }
  }

  package mutating func type(_ text: String) {
    for character in text { send(.key(.character(character))) }
  }

  package mutating func wait(_ duration: Duration) {
    now = now.advanced(by: duration)
    send(.tick(now))
  }

  /// Publishes an item, which arrives as new.
  @discardableResult
  package mutating func arrive(
    _ title: String, app: String = "ci", id: String? = nil, group: String? = nil,
    body: String? = nil, priority: Priority = .normal
  ) -> NotificationID {
    let published = shelf.publish(
      Content(
        app: app, appNotificationID: id, group: group, priority: priority,
        visual: VisualContent(title: title, body: body)), at: now)
    send(.dataChanged)
    return published
  }

  /// Handles an item on another device.
  ///
  /// - Parameter byLine: Whether only the item itself is reported as changed.
  package mutating func elsewhere(
    _ id: NotificationID, _ command: ItemCommand, on device: String = "laptop", byLine: Bool = false
  ) {
    shelf.handle(id, command, on: device, at: now)
    send(byLine ? .itemsChanged([shelf.key(id)]) : .dataChanged)
  }

  package var frame: Frame { render(state) }

  // MARK: - Effects

  private mutating func answer(_ read: CacheRead) {
    if failingReads > 0, read.isOfScreen {
      failingReads -= 1
      failedReads += 1
      return answers.append(.readFailed(read, Notice(.error, "The disk failed.")))
    }
    switch read {
    case .window(let query, let request):
      windowsRead += 1
      answers.append(.answer(.window(query, request, shelf.window(query, request, at: now))))
    case .detail(let key, let serial):
      answers.append(.answer(.detail(key, serial: serial, shelf.detail(key.id, at: now))))
    case .items(let keys):
      answers.append(.answer(.items(keys, keys.compactMap { shelf.detail($0.id, at: now)?.row })))
    case .actions(let key): answers.append(.answer(.actions(key, shelf.detail(key.id, at: now))))
    case .attachments(let key): showAttachments(of: key)
    case .schedule(let key): answers.append(.answer(.schedule(key, shelf.detail(key.id, at: now))))
    case .counts(let serial, _):
      answers.append(
        .answer(.counts(serial: serial, shelf.counts(at: now, startOfDay: startOfDay))))
    case .texts(let keys, let use):
      answers.append(.answer(.texts(use, keys.compactMap { shelf.text($0.id, for: use) })))
    case .inspection(let key, let serial):
      answers.append(.answer(.inspection(key, serial: serial, shelf.inspection(key.id, at: now))))
    case .apps: answers.append(.answer(.apps(shelf.appNames)))
    case .appOverviews(let serial, _):
      answers.append(.answer(.appOverviews(serial: serial, shelf.appOverviews(at: now))))
    }
  }

  private mutating func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .read(let read): answer(read)
      case .slow(.countDays(let spans, let list, let serial, _)):
        answers.append(.slow(.days(serial: serial, shelf.days(spans, in: list, at: now))))
      case .slow(.suggest(let text, _, _)):
        let near = suggestions[text].map { SearchSuggestion(text: $0) }
        answers.append(.slow(.suggestion(for: text, near)))
      case .slow(.countList(let order)):
        answers.append(.slow(.list(serial: order.serial, shelf.count(order, at: now))))
      case .slow(.countViews(let views, let serial, _)): count(views, serial: serial)
      case .terminal(.askGraphics): tellMeans()
      case .change(.perform(_, let operations, let grace)):
        acts.append(effect)
        for operation in operations { take(operation, isHeld: grace != nil) }
        answers.append(.change(.performed(operations.map(\.id))))
        if operations.contains(where: { $0.app != nil }) { answers.append(shelf.appsConfigured) }
      case .change(.performOnMarked(let order)):
        acts.append(effect)
        let operation = order.operation.only { id, content in
          content.flatMap { shelf.items[id]?.item.state.isMeant(by: $0) } ?? false
        }
        take(operation, isHeld: order.sealAfter != nil)
        answers.append(.change(.performed([operation.id])))
      case .change(.performBulk(let order)):
        acts.append(effect)
        let rows = shelf.rows(of: order.query, at: now).filter {
          order.bound.includes($0.key.id, $0.version, arrival: $0.arrival)
        }
        take(
          Operation(
            id: order.operations[0], onShown: rows.map { ($0.key.id, $0.version) },
            mutation: order.mutation), isHeld: order.sealAfter != nil)
        answers.append(.change(.performed([order.operations[0]])))
      case .slow(.measure(let selection, let serial)):
        let rows = shelf.rows(of: selection.query, at: now)
        answers.append(
          .slow(
            .extent(
              serial: serial,
              SelectionExtent([
                SelectionExtent.Part(
                  account: ItemShelf.account, count: rows.count,
                  unread: rows.count { $0.readState == .unread },
                  bound: ShownBound(through: shelf.sequence))
              ]))))
      case .item(.openLink(let order)):
        acts.append(effect)
        answers.append(hasBrowser ? .item(.linkOpened(order)) : .item(.linkUnopened(order, nil)))
      case .change(.cancelDelete(_, let operation)):
        acts.append(effect)
        answers.append(.change(.deleteCancelled(operation, isDone: shelf.unhide(operation))))
      default: acts.append(effect)
      }
    }
  }

  private mutating func showAttachments(of key: ItemKey) {
    answers.append(.answer(.attachments(key, shelf.detail(key.id, at: now))))
  }

  private mutating func tellMeans() {
    questions += 1
    if let means { answers.append(.terminal(.graphics(means))) }
  }

  private mutating func count(_ views: [ListQuery?], serial: Int) {
    let counts = views.map { view in view.map { shelf.rows(of: $0, at: now).count } }
    answers.append(.slow(.views(serial: serial, counts)))
  }

  private mutating func take(_ operation: BellhopModel.Operation, isHeld: Bool) {
    if isHeld {
      shelf.hide(operation)
    } else {
      shelf.apply(operation, by: ItemShelf.thisDevice, at: now)
    }
  }

  private var startOfDay: Timestamp {
    let local = state.zone.local(now)
    return state.zone.instant(of: CivilTime(date: local.date, hour: 0, minute: 0))
  }

  package mutating func forgetActs() { acts = [] }
}

extension Effect {
  /// The address to open.
  package var openedURL: String? {
    if case .item(.openLink(let order)) = self { order.link.url } else { nil }
  }
}

extension CacheRead {
  /// Whether it reads what the screen shows.
  fileprivate var isOfScreen: Bool {
    switch self {
    case .window, .detail, .counts: true
    case .items, .actions, .attachments, .schedule, .texts, .inspection, .apps, .appOverviews: false
    }
  }
}

/// Random words for a closure that may be called from anywhere; only tests on one thread use it.
private final class SharedRandom: @unchecked Sendable {
  // Every test owns its desk and drives it from one thread, so nothing is actually shared.
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  func next() -> UInt64 { random.next() }
}
