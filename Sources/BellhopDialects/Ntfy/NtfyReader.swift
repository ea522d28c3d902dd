internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire

/// Finds what one reader of topics is to be told: first what was there before, then what changes.
///
/// It reads the same rows as the native delta and is woken by the same signals. States are not
/// messages: that somebody handled an item on any device is told as `message_clear`.
struct NtfyReader {
  let store: StoreService
  let pages: ChangePages
  let user: UserID
  /// Whether the reader has no token.
  let isAnonymous: Bool
  /// Topics by their apps.
  let apps: [String: String]
  let filter: NtfyFilter
  /// Whether deliveries that wait are wanted at once.
  let showsScheduled: Bool
  /// Scheme and authority of the store, as the reader knows it.
  let base: String

  /// Up to where the reader has been told everything.
  private var position = SequenceNumber.zero
  /// Deliveries that wait.
  private(set) var waiting: [NotificationID: Timestamp] = [:]
  /// Items of which it was told that they are handled.
  private var cleared: Set<NotificationID> = []

  /// So much is remembered of what was told; beyond, an event may come twice.
  private static let memoryMax = 4096
  private static let rowsMax = 500
  private static let dueMax = 100
  /// Messages of what was there before, on all topics of a request; a topic may be years old.
  private static let historyMax = 5000
  private static let historyBytesMax = 8 << 20
  /// Items that are looked at for it, whatever the filter lets pass.
  private static let historyScanMax = 50_000
  /// Pages of the store's list that are read for it, each within the list's own limits: as many as
  /// the scan of one topic takes. Each topic has one in any case.
  static let historyPagesMax = 100

  /// The rest of the limits above. Messages beyond them are left out, the oldest of a topic first,
  /// because ntfy's answers have no next page.
  private struct HistoryRoom {
    var bytes = NtfyReader.historyBytesMax
    var items = NtfyReader.historyScanMax
    var pages = NtfyReader.historyPagesMax

    var isUsedUp: Bool { bytes <= 0 || items <= 0 || pages <= 0 }

    /// An even share for one topic.
    func share(among topics: Int) -> HistoryRoom {
      HistoryRoom(
        bytes: max(1, bytes / topics), items: max(1, items / topics),
        pages: max(1, pages / topics))
    }

    mutating func take(_ share: HistoryRoom, leaving rest: HistoryRoom) {
      bytes -= share.bytes - rest.bytes
      items -= share.items - rest.items
      pages -= share.pages - rest.pages
    }
  }

  init(
    store: StoreService, pages: ChangePages, user: UserID, isAnonymous: Bool = false,
    apps: [String: String], filter: NtfyFilter, showsScheduled: Bool, base: String
  ) {
    self.isAnonymous = isAnonymous
    self.base = base
    self.store = store
    self.pages = pages
    self.user = user
    self.apps = apps
    self.filter = filter
    self.showsScheduled = showsScheduled
  }

  // MARK: - What was there before

  /// Begins here: what changes from now on is for ``changes()``.
  ///
  /// - Returns: the events of the messages that are there already, oldest first: the newest ones, as
  ///   far as the limits of one request reach.
  mutating func begin(_ since: NtfySince) async throws -> [NtfyEvent] {
    position = try await store.position(of: user).sequence
    guard since != .none else { return [] }
    var bound: ArrivalKey?
    switch since {
    case .time(let time): bound = ArrivalKey(arrival: time, id: NotificationID(high: 0, low: 0))
    case .item(let id):
      if let item = try? await store.item(id, of: user), apps[item.content.app] != nil {
        bound = ArrivalKey(item)
      }
    case .all, .latest, .none: break
    }
    var found: [UserNotification] = []
    var room = HistoryRoom()
    for (place, app) in apps.keys.sorted().enumerated() {
      let share = room.share(among: apps.count - place)
      var rest = share
      found += try await items(
        of: app, above: bound, countMax: since == .latest ? 1 : nil, within: &rest)
      room.take(share, leaving: rest)
    }
    found.sort { ArrivalKey($0) < ArrivalKey($1) }
    return found.suffix(Self.historyMax).flatMap { item in
      // What was replaced since is told as a change.
      item.state.contentSequence <= position ? told(item) : []
    }
  }

  /// The newest items of an app down to a place in time.
  private func items(
    of app: String, above bound: ArrivalKey?, countMax: Int?, within room: inout HistoryRoom
  ) async throws -> [UserNotification] {
    var found: [UserNotification] = []
    var request = ListRequest(
      filter: .test(.compare(.targetHostName, .equal, .text(app))),
      rows: countMax == nil ? Self.rowsMax : 20)
    let now = store.now
    while !room.isUsedUp {
      let page = try await store.list(request, for: user, isAnonymous: isAnonymous)
      room.pages -= 1
      room.items -= page.items.count
      for item in page.items {
        if let bound, ArrivalKey(item) <= bound { return found }
        guard showsScheduled || item.arrival <= now, filter.passes(item) else { continue }
        found.append(item)
        room.bytes -= item.byteCount
        if found.count >= countMax ?? Self.historyMax || room.bytes <= 0 { return found }
      }
      guard let next = page.next else { return found }
      request.page = next
    }
    return found
  }

  // MARK: - What changes

  /// The events of a page of what changed since it was last asked. What a slow reader has not taken
  /// yet waits in the store, and not in memory.
  ///
  /// - Parameter known: what is known to be committed.
  /// - Returns: whether there may be more at once.
  mutating func changes(
    knowing known: SequenceNumber
  ) async throws -> (events: [NtfyEvent], isMore: Bool) {
    let base = position
    let page = try await pages.page(after: base, knowing: known, of: user)
    position = max(base, page.through)
    var events: [NtfyEvent] = []
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
      guard apps[item.content.app] != nil else { return [] }
      guard item.state.contentSequence > base else { return clearing(item, texts) }
      cleared.remove(item.id)
      waiting[item.id] = nil
      guard showsScheduled || item.arrival <= store.now else {
        if waiting.count < Self.memoryMax { waiting[item.id] = item.arrival }
        return []
      }
      return filter.passes(item) ? told(item, texts) : []
    }
  }

  /// Deliveries whose time has come.
  private mutating func due() async throws -> (events: [NtfyEvent], isMore: Bool) {
    let now = store.now
    var events: [NtfyEvent] = []
    let due = waiting.filter { $0.value <= now }.keys.sorted()
    for id in due.prefix(Self.dueMax) {
      waiting[id] = nil
      guard let item = try? await store.item(id, of: user), apps[item.content.app] != nil,
        filter.passes(item)
      else { continue }
      events += told(item)
    }
    return (events, due.count > Self.dueMax)
  }

  // MARK: - Events

  /// The message, and that it is handled if it is.
  ///
  /// - Parameter texts: where its page's texts are shared; nil for what this reader found itself.
  private mutating func told(
    _ item: UserNotification, _ texts: SharedTexts? = nil
  ) -> [NtfyEvent] {
    guard let topic = apps[item.content.app] else { return [] }
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
    return [
      event("message_clear", of: item.id, topic, texts) {
        NtfyMessage.event(
          $0, of: NtfyMessage.sequence(of: item), topic: topic, id: "\(item.id)_c",
          at: item.state.changed)
      }
    ]
  }
}

extension UserNotification {
  /// Whether it asks for nobody's attention any more.
  fileprivate var isHandled: Bool {
    switch state.userActionState.value.kind {
    case .dismissed, .activated: true
    case .noInteraction, .snoozed: state.readState.value == .read
    }
  }
}
