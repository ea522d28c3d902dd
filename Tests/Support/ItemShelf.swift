package import BellhopInbox
package import BellhopModel
import BellhopWire
import FoundationEssentials

/// Items in memory that answer an inbox as the client does from its cache.
///
/// It supports windows by key, counts, details, and operations by `Operation.apply`.
package struct ItemShelf: Sendable {
  package static let account = AccountName("alice@home")
  /// The device whose screen is tested.
  package static let thisDevice = Author(kind: .device, id: "d1", name: "desktop")

  /// Every item with the arrival key of its row, newest last.
  package private(set) var items: [NotificationID: (item: UserNotification, order: Int64)] = [:]
  /// Deletes in their grace period.
  private var hidden: [OperationID: [NotificationID]] = [:]
  package private(set) var sequence = SequenceNumber.zero
  private var order: Int64 = 0
  package var isWaiting: Set<NotificationID> = []
  /// The user's settings of configured apps.
  package var settings: [String: AppSettings] = [:]

  package init() {}

  package func key(_ id: NotificationID) -> ItemKey { ItemKey(account: Self.account, id: id) }

  // MARK: - Changes by others

  /// Publishes an item; one of the same app and app id is replaced and arrives again.
  @discardableResult
  package mutating func publish(_ content: Content, at time: Timestamp) -> NotificationID {
    sequence = sequence.next
    order += 1
    let state = ItemState(sequence: sequence, contentSequence: sequence, changed: time)
    let old = items.values.first {
      content.appNotificationID != nil && $0.item.content.app == content.app
        && $0.item.content.appNotificationID == content.appNotificationID
    }
    let id = old?.item.id ?? NotificationID(high: UInt64(order), low: 1)
    let item = UserNotification(
      id: id, shortNumber: old?.item.shortNumber ?? order, created: old?.item.created ?? time,
      arrival: time, content: content, state: state)
    items[id] = (item, order)
    return id
  }

  /// Changes an item as its store does, with a new sequence.
  package mutating func change(
    _ id: NotificationID, at time: Timestamp, _ body: (inout UserNotification) -> Void
  ) {
    guard let (old, order) = items[id] else { return }
    var item = old
    sequence = sequence.next
    item.state.sequence = sequence
    item.state.changed = time
    body(&item)
    items[id] = (item, order)
  }

  /// Handles an item as the user does on another device.
  package mutating func handle(
    _ id: NotificationID, _ command: ItemCommand, on device: String, at time: Timestamp
  ) {
    sequence = sequence.next
    let operation = Operation(
      id: OperationID(high: UInt64(sequence.rawValue), low: 7), target: .item(id),
      mutation: command.mutation)
    apply(operation, by: Author(kind: .device, id: device, name: device), at: time)
  }

  // MARK: - Requests of the inbox

  package mutating func apply(_ operation: Operation, by author: Author, at time: Timestamp) {
    if let app = operation.app {
      sequence = sequence.next
      var after = operation.apply(
        to: settings[app] ?? AppSettings(app: app), by: author, at: time)
      after.sequence = sequence
      settings[app] = after
    }
    let meant = items.filter { operation.means($0.value.item, at: time, on: .utc) }.map(\.key)
    for id in operation.notificationIDs + meant {
      guard let (item, order) = items[id] else { continue }
      switch operation.apply(to: item, by: author, at: time, on: .utc) {
      case .applied(let after): items[id] = (after, order)
      case .deleted: items[id] = nil
      case .unchanged, .superseded, .refused: break
      }
    }
  }

  /// Hides the items of an unsealed delete.
  package mutating func hide(_ operation: Operation) {
    hidden[operation.id] = operation.notificationIDs
  }

  package mutating func unhide(_ operation: OperationID) -> Bool {
    hidden.removeValue(forKey: operation) != nil
  }

  package mutating func sealDeletes() {
    for id in hidden.values.joined() { items[id] = nil }
    hidden = [:]
  }

  package func row(_ id: NotificationID, at now: Timestamp) -> RowSummary? {
    guard let (item, order) = items[id], !hidden.values.joined().contains(id) else { return nil }
    let row = RowSummary(
      item, account: Self.account, order: order, isWaiting: isWaiting.contains(id), at: now,
      on: .utc)
    return row.placement == .gone ? nil : row
  }

  package func detail(_ id: NotificationID, at now: Timestamp) -> ItemDetail? {
    guard let row = row(id, at: now), let item = items[id]?.item else { return nil }
    return ItemDetail(item, row: row)
  }

  package func inspection(_ id: NotificationID, at now: Timestamp) -> ItemInspection? {
    guard row(id, at: now) != nil, let item = items[id]?.item else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let payload = try? encoder.encode(PublishedPayload(item))
    return ItemInspection(
      item, account: Self.account, isWaiting: isWaiting.contains(id),
      payload: payload.map { String(decoding: $0, as: UTF8.self) } ?? "",
      device: DeviceID(rawValue: Self.thisDevice.id))
  }

  package func text(_ id: NotificationID, for use: TextUse) -> ItemText? {
    guard let item = items[id]?.item else { return nil }
    if case .pipe(_, asJSON: true) = use {
      return ItemText(item, json: "{\"shortNumber\":\(item.shortNumber)}")
    }
    return ItemText(item)
  }

  /// The rows of a list in an order, without the comparison that the inbox uses.
  package func rows(of query: ListQuery, by order: ListOrder, at now: Timestamp) -> [RowSummary] {
    let rows = rows(of: query, at: now)
    return switch order {
    case .newest: rows
    case .level: Self.byLevel(rows)
    case .app:
      Set(rows.map(\.appHost)).sorted().flatMap { app in rows.filter { $0.appHost == app } }
    }
  }

  package func rows(of query: ListQuery, at now: Timestamp) -> [RowSummary] {
    if case .group(let group) = query {
      return Self.byLevel(rows(of: .tray, at: now).filter { $0.groupKey == group })
    }
    if case .narrowed(let whole, let filter) = query {
      return rows(of: whole, at: now).filter { row in
        guard let item = items[row.key.id]?.item, filter.matches(item, in: row.placement) else {
          return false
        }
        return filter.words.isEmpty
          || self.rows(of: .search(filter.words), at: now).contains { $0.key == row.key }
      }
    }
    let rows = items.keys.compactMap { row($0, at: now) }.filter { row in
      guard query.contains(row) else { return false }
      guard case .search(let words) = query else { return true }
      let content = items[row.key.id]?.item.content
      let text = "\(row.app) \(content?.visual?.title ?? "") \(content?.visual?.body ?? "")"
      return words.lowercased().split(separator: " ").allSatisfy { text.lowercased().contains($0) }
    }
    if query.isByDueTime {
      return rows.sorted {
        ($0.due ?? .distantFuture, $0.order) < ($1.due ?? .distantFuture, $1.order)
      }
    }
    return rows.sorted { $0.order > $1.order }
  }

  /// The names of all existing apps.
  package var appNames: [String: String] {
    items.values.reduce(into: [:]) { $0[$1.item.content.app] = $1.item.content.app }
  }

  package func counts(at now: Timestamp, startOfDay: Timestamp) -> InboxCounts {
    let tray = rows(of: .tray, at: now)
    let history = rows(of: .history, at: now)
    return InboxCounts(
      tray: tray.count, trayUnread: tray.count { $0.readState == .unread },
      later: rows(of: .later, at: now).count, handled: rows(of: .handled, at: now).count,
      history: history.count,
      today: history.count { $0.arrival >= startOfDay })
  }

  package func count(_ order: ListCountOrder, at now: Timestamp) -> ListCount {
    let rows = rows(of: order.query, by: order.order, at: now)
    let above = order.above.map { place(of: $0, in: rows, order.query, order.order) }
    return ListCount(total: order.wantsTotal ? MatchCount(rows.count) : nil, above: above)
  }

  package func days(
    _ spans: [DaySpan], in list: ListQuery? = nil, at now: Timestamp
  ) -> [DayCount] {
    let history = rows(of: .history, at: now)
    let listed = list.map { rows(of: $0, at: now) }
    return spans.map { span in
      let rows = history.filter { $0.arrival >= span.start && $0.arrival < span.end }
      var hours = [Int](repeating: 0, count: span.hourCount)
      for row in rows {
        hours[
          Int((row.arrival.milliseconds - span.start.milliseconds) / DaySpan.hourMilliseconds)] += 1
      }
      return DayCount(
        date: span.date, hours: hours, unread: rows.count { $0.readState == .unread },
        listed: listed?.count { $0.arrival >= span.start && $0.arrival < span.end })
    }
  }

  package func window(
    _ query: ListQuery, _ request: WindowRequest, at now: Timestamp
  ) -> LoadedWindow {
    if query == .tray, let folding = request.folding {
      return foldedWindow(folding, request, at: now)
    }
    let all = rows(of: query, by: request.order, at: now)
    var range: Range<Int>
    var anchorRow: RowSummary?
    switch request.anchor {
    case .first: range = 0..<min(all.count, request.count)
    case .last: range = max(0, all.count - request.count)..<all.count
    case .row(let position):
      anchorRow = row(position.key.id, at: now)
      let place = place(of: position, in: all, query, request.order)
      let half = request.direction == .around ? request.count / 2 : 0
      range = max(0, place - half)..<min(all.count, place + request.count - half)
      if request.direction == .up { range = max(0, place - request.count)..<place }
    }
    // The reader of a cache does not know it either.
    let isCounted = !query.isForReader || range.lowerBound == 0
    return LoadedWindow(
      rows: Array(all[range]), reachesStart: range.lowerBound == 0,
      reachesEnd: range.upperBound == all.count, anchorRow: anchorRow,
      countAbove: isCounted ? range.lowerBound : nil)
  }
  /// The index of a position's row among the rows of a list, or of the first row below it.
  private func place(
    of position: RowPosition, in rows: [RowSummary], _ query: ListQuery, _ order: ListOrder
  ) -> Int {
    rows.firstIndex { row in
      if query.isByDueTime {
        return (row.due ?? .distantFuture, row.order)
          >= (position.due ?? .distantFuture, position.order)
      }
      switch order {
      case .newest: break
      case .level:
        if row.priority != position.priority { return row.priority < position.priority }
      case .app: if row.appHost != position.app { return row.appHost > position.app }
      }
      return row.order <= position.order
    } ?? rows.count
  }
}
