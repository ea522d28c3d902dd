internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire

/// A reader that finds the events for one listener: first earlier messages, then changes.
///
/// It reads the same rows as the native delta, and the same signals wake it. A state is not a
/// message: an item handled on any device becomes `message_clear`.
struct NtfyReader {
  let store: StoreService
  let pages: ChangePages
  let user: UserID
  /// Whether the reader has no token.
  let isAnonymous: Bool
  /// The environment of the reader, which receives only items that reach it.
  let environment: RegistrationEnvironment
  /// The topics by app.
  let apps: [String: String]
  let filter: NtfyFilter
  /// Whether to report scheduled messages at once.
  let showsScheduled: Bool
  /// The store's scheme and authority, as the reader knows them.
  let base: String

  /// The position up to which the listener has received everything.
  private var position = SequenceNumber.zero
  /// The deliveries that are not due yet.
  private(set) var waiting: [NotificationID: Timestamp] = [:]
  /// The last known crossings of items that wait for a place.
  private var crossed: [NotificationID: Timestamp] = [:]
  /// The items whose handling was reported.
  private var cleared: Set<NotificationID> = []
  /// The clock of the user's triggers.
  private var clock = WallClock.utc

  /// The maximum number of remembered items. Beyond it, an event may be repeated.
  private static let memoryMax = 4096
  private static let rowsMax = 500
  private static let dueMax = 100
  /// The maximum number of earlier messages for all topics of a request. A topic may be years old.
  private static let historyMax = 5000
  private static let historyBytesMax = 8 << 20
  /// The maximum number of items to examine for them, including those that the filter rejects.
  private static let historyScanMax = 50_000
  /// The maximum number of list pages to read for them.
  ///
  /// Each page is within the list's own limits. The maximum is what the scan of one topic takes,
  /// and each topic gets at least one page.
  static let historyPagesMax = 100

  /// The remaining budget of a request for earlier messages.
  ///
  /// Messages beyond it are omitted, the oldest of a topic first, because ntfy's responses have no
  /// next page.
  private struct HistoryBudget {
    var bytes = NtfyReader.historyBytesMax
    var items = NtfyReader.historyScanMax
    var pages = NtfyReader.historyPagesMax

    var isUsedUp: Bool { bytes <= 0 || items <= 0 || pages <= 0 }

    /// Returns an even share for one topic.
    func share(among topics: Int) -> HistoryBudget {
      HistoryBudget(
        bytes: max(1, bytes / topics), items: max(1, items / topics),
        pages: max(1, pages / topics))
    }

    mutating func take(_ share: HistoryBudget, leaving rest: HistoryBudget) {
      bytes -= share.bytes - rest.bytes
      items -= share.items - rest.items
      pages -= share.pages - rest.pages
    }
  }

  init(
    store: StoreService, pages: ChangePages, user: UserID, isAnonymous: Bool = false,
    environment: RegistrationEnvironment = .production, apps: [String: String],
    filter: NtfyFilter, showsScheduled: Bool, base: String
  ) {
    self.isAnonymous = isAnonymous
    self.environment = environment
    self.base = base
    self.store = store
    self.pages = pages
    self.user = user
    self.apps = apps
    self.filter = filter
    self.showsScheduled = showsScheduled
  }

  // MARK: - Earlier messages

  /// Starts at the current position. Later changes are left to ``changes(knowing:)``.
  ///
  /// - Returns: The events of existing messages, oldest first: the newest ones within the limits of
  ///   one request.
  mutating func begin(_ since: NtfySince) async throws -> [NtfyEvent] {
    position = try await store.position(of: user).sequence
    let triggered = try await store.triggeredItems(of: user, reader: environment)
      .filter { apps[$0.content.app] != nil }
    clock = try await store.wallClock(of: user)
    for item in try await scheduled() + triggered { expect(item) }
    guard since != .none else { return [] }
    var bound: ArrivalKey?
    switch since {
    case .time(let time): bound = ArrivalKey(arrival: time, id: NotificationID(high: 0, low: 0))
    case .item(let id):
      let known = try? await store.item(id, of: user, reader: environment)
      if let item = known, apps[item.content.app] != nil {
        bound = ArrivalKey(heard(item) ?? item)
      }
    case .all, .latest, .none: break
    }
    var found: [UserNotification] = []
    var room = HistoryBudget()
    for (place, app) in apps.keys.sorted().enumerated() {
      let share = room.share(among: apps.count - place)
      var rest = share
      found += try await items(
        of: app, above: bound, countMax: since == .latest ? 1 : nil, within: &rest)
      room.take(share, leaving: rest)
    }
    found += triggered.compactMap { item in
      guard let item = heard(item), filter.passes(item),
        bound.map({ ArrivalKey(item) > $0 }) ?? true
      else { return nil }
      return item
    }
    found.sort { ArrivalKey($0) < ArrivalKey($1) }
    if since == .latest {
      let latest = Dictionary(found.map { ($0.content.app, $0.id) }, uniquingKeysWith: { $1 })
      found = found.filter { latest[$0.content.app] == $0.id }
    }
    return found.suffix(Self.historyMax).flatMap { item in
      // An item that was replaced since is reported as a change. A repeat is not reported.
      item.state.meaningSequence <= position ? told(item) : []
    }
  }

  /// Returns the items that a time of delivery holds back.
  private func scheduled() async throws -> [UserNotification] {
    let page = try await store.list(
      ListRequest(
        filter: .test(.compare(.arrivalDateTime, .greater, .time(store.now))),
        rows: Self.rowsMax, reader: environment), for: user, isAnonymous: isAnonymous)
    return page.items.filter { apps[$0.content.app] != nil && $0.content.trigger == nil }
  }

  /// Returns the newest items of an app, down to a position in arrival order.
  private func items(
    of app: String, above bound: ArrivalKey?, countMax: Int?, within room: inout HistoryBudget
  ) async throws -> [UserNotification] {
    var found: [UserNotification] = []
    var request = ListRequest(
      filter: .test(.compare(.publishedHostName, .equal, .text(app))),
      rows: countMax == nil ? Self.rowsMax : 20, reader: environment)
    while !room.isUsedUp {
      let page = try await store.list(request, for: user, isAnonymous: isAnonymous)
      room.pages -= 1
      room.items -= page.items.count
      for item in page.items {
        if let bound, ArrivalKey(item) <= bound { return found }
        guard item.content.trigger == nil, let item = heard(item), filter.passes(item) else {
          continue
        }
        found.append(item)
        room.bytes -= item.byteCount
        if found.count >= countMax ?? Self.historyMax || room.bytes <= 0 { return found }
      }
      guard let next = page.next else { return found }
      request.page = next
    }
    return found
  }

  // MARK: - Changes

  /// Returns a page of events for the changes since the last call.
  ///
  /// Events that a slow reader has not taken yet stay in the store, not in memory.
  ///
  /// - Parameter known: The sequence that is known to be committed.
  /// - Returns: The events, and whether there may be more now.
  mutating func changes(
    knowing known: SequenceNumber
  ) async throws -> (events: [NtfyEvent], isMore: Bool) {
    let base = position
    let page = try await pages.page(after: base, knowing: known, of: user)
    position = max(base, page.through)
    var events: [NtfyEvent] = []
    clock = try await store.wallClock(for: page.rows.liveItems, of: user)
    for row in page.rows { events += told(row, since: base, page.texts) }
    if position < known, !page.rows.isEmpty { return (events, true) }
    let due = try await due()
    return (events + due.events, due.isMore)
  }

  private mutating func told(
    _ row: StoredRow, since base: SequenceNumber, _ texts: SharedTexts
  ) -> [NtfyEvent] {
    switch row {
    case .tombstone(let tombstone):
      guard let topic = apps[tombstone.app] else { return [] }
      waiting[tombstone.id] = nil
      cleared.remove(tombstone.id)
      return [
        event("message_delete", of: tombstone.id, topic, texts) {
          NtfyMessage.event(
            $0, of: tombstone.appNotificationID ?? tombstone.id.description, topic: topic,
            id: "\(tombstone.id)_d", at: tombstone.deleted)
        }
      ]
    case .live(let item):
      guard apps[item.content.app] != nil, environment.receives(item.content) else { return [] }
      guard item.state.meaningSequence > base else {
        if let time = item.state.crossed, crossed[item.id] != time { waiting[item.id] = time }
        // A delivery that is due is reported first, with its state.
        if let due = waiting[item.id], due <= store.now { return [] }
        // The deliveries may be cancelled or resumed.
        expect(item)
        return heard(item).map { clearing($0, texts) } ?? []
      }
      cleared.remove(item.id)
      expect(item)
      guard let item = heard(item), filter.passes(item) else { return [] }
      return told(item, texts)
    }
  }

  /// Returns an item as this reader hears of it at present; nil before its delivery.
  private func heard(_ item: UserNotification) -> UserNotification? {
    item.delivered(by: store.now, on: clock) ?? (showsScheduled ? item : nil)
  }

  /// Remembers the next delivery of an item, unless the reader hears of it earlier.
  private mutating func expect(_ item: UserNotification) {
    waiting[item.id] = nil
    crossed[item.id] = item.state.crossed
    guard let next = item.nextDelivery(after: store.now, on: clock), waiting.count < Self.memoryMax,
      !showsScheduled || item.content.trigger != nil
    else { return }
    waiting[item.id] = next
  }

  /// Returns the events of deliveries that are due.
  private mutating func due() async throws -> (events: [NtfyEvent], isMore: Bool) {
    let now = store.now
    var events: [NtfyEvent] = []
    let due = waiting.filter { $0.value <= now }.sorted { $0.key < $1.key }
    if !due.isEmpty { clock = try await store.wallClock(of: user) }
    for (id, time) in due.prefix(Self.dueMax) {
      waiting[id] = nil
      let known = try? await store.item(id, of: user, reader: environment)
      guard let item = known, apps[item.content.app] != nil else { continue }
      expect(item)
      // Not if the delivery was cancelled meanwhile.
      guard let delivered = item.delivered(by: now, on: clock), delivered.arrival >= time,
        filter.passes(delivered)
      else { continue }
      events += told(delivered)
    }
    return (events, due.count > Self.dueMax)
  }

  // MARK: - Events

  /// Returns the event of the message, and that of its handling if it is handled.
  ///
  /// - Parameter texts: The shared texts of the page; nil for an item that only this reader found.
  private mutating func told(
    _ item: UserNotification, _ texts: SharedTexts? = nil
  ) -> [NtfyEvent] {
    guard let topic = apps[item.content.app] else { return [] }
    // The text of a delivery depends on the time, so that readers do not share it.
    let texts = item.content.trigger == nil ? texts : nil
    let message = event("message", of: item.id, topic, texts) { [base] _ in
      NtfyMessage.message(item, topic: topic, id: NtfyMessage.id(of: item), base: base)
    }
    return [message] + clearing(item, texts)
  }

  private func event(
    _ name: String, of item: NotificationID, _ topic: String, _ texts: SharedTexts?,
    _ make: @escaping @Sendable (String) -> JSONValue
  ) -> NtfyEvent {
    NtfyEvent(SharedTexts.Key(item: item, event: name, topic: topic, base: base), in: texts) {
      make(name)
    }
  }

  private mutating func clearing(
    _ item: UserNotification, _ texts: SharedTexts?
  ) -> [NtfyEvent] {
    guard let topic = apps[item.content.app], item.isHandled else {
      cleared.remove(item.id)
      return []
    }
    if cleared.count >= Self.memoryMax { cleared = [] }
    guard cleared.insert(item.id).inserted else { return [] }
    let isRepeated = item.content.trigger != nil
    let id = isRepeated ? NtfyMessage.id(of: item) : item.id.description
    return [
      event("message_clear", of: item.id, topic, isRepeated ? nil : texts) {
        NtfyMessage.event(
          $0, of: NtfyMessage.sequence(of: item), topic: topic, id: "\(id)_c",
          at: item.state.changed)
      }
    ]
  }
}

extension UserNotification {
  /// Whether the item is handled or read.
  fileprivate var isHandled: Bool {
    switch state.userActionState.value.kind {
    case .dismissed, .activated: true
    case .noInteraction, .snoozed: state.readState.value == .read
    }
  }
}
