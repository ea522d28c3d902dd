import BellhopModel
import BellhopStore

/// A second implementation of publications by devices, independent of the store's and the cache's.
enum PlainPublication {
  private static let expirationMax = Duration.seconds(30 * 86_400)
  private static let deliveryMax = Duration.seconds(365 * 86_400)

  /// Returns the content that an operation publishes, and when; nil for other operations.
  static func content(of operation: Operation) -> (content: Content, time: Timestamp)? {
    guard case .publish(let content, let time) = operation.mutation else { return nil }
    return (content, time)
  }

  /// Returns the id that an operation gives to what it publishes.
  static func id(of operation: OperationID) -> NotificationID {
    NotificationID(high: operation.high, low: operation.low)
  }

  /// Returns the operation that gives this id to what it publishes.
  static func operation(of id: NotificationID) -> OperationID {
    OperationID(high: id.high, low: id.low)
  }

  /// Returns the item that a device must show until the store has sent it.
  static func local(_ operation: Operation) -> UserNotification? {
    guard let (content, time) = Self.content(of: operation) else { return nil }
    var arrival = time
    if let delivery = content.deliverAt, delivery > time { arrival = delivery }
    return UserNotification(
      id: id(of: operation.id), shortNumber: 0, created: time, arrival: arrival, content: content,
      state: ItemState(
        sequence: SequenceNumber(0), contentSequence: SequenceNumber(0), changed: time))
  }

  /// Returns whether the store must refuse the content.
  ///
  /// The simulation publishes nothing else that a store refuses.
  static func isRefused(_ content: Content, made time: Timestamp, at now: Timestamp) -> Bool {
    let made = min(time, now)
    if let end = content.expiration {
      if end <= now || end > made.advanced(by: expirationMax) { return true }
    }
    guard let delivery = content.deliverAt else { return false }
    return delivery >= content.expiration ?? made.advanced(by: deliveryMax)
  }

  /// Publishes an item at the store, or replaces a live one.
  ///
  /// - Parameter mark: The number of the content, until the store's is known.
  /// - Returns: The id under which it is stored, and an expired item that it removes.
  static func apply(
    _ operation: OperationID, _ content: Content, made time: Timestamp,
    to rows: inout [NotificationID: StoredRow], at now: Timestamp, zone: Int, mark: SequenceNumber
  ) -> (stored: NotificationID, removed: NotificationID?) {
    var arrival = content.trigger == nil ? now : min(time, now)
    if let delivery = content.deliverAt, delivery > now { arrival = delivery }
    let namesake = Self.namesake(of: content, in: rows)
    if let namesake, !namesake.isOver(at: now) {
      var item = replacing(namesake, by: content, arriving: arrival, at: now, zone: zone)
      item.state.contentSequence = mark
      rows[item.id] = .live(item)
      return (item.id, nil)
    }
    if let namesake {
      rows[namesake.id] = .tombstone(
        Tombstone(of: namesake, sequence: namesake.state.sequence, deleted: now))
    }
    let item = UserNotification(
      id: id(of: operation), shortNumber: 0, created: now, arrival: arrival, content: content,
      state: ItemState(sequence: mark, contentSequence: mark, changed: now))
    rows[item.id] = .live(item)
    return (item.id, namesake?.id)
  }

  /// Returns the live item of the same app notification id, expired or not.
  static func namesake(
    of content: Content, in rows: [NotificationID: StoredRow]
  ) -> UserNotification? {
    guard let name = content.appNotificationID else { return nil }
    for case .live(let item) in rows.values
    where item.content.app == content.app && item.content.appNotificationID == name {
      return item
    }
    return nil
  }

  private static func replacing(
    _ old: UserNotification, by content: Content, arriving arrival: Timestamp, at now: Timestamp,
    zone: Int
  ) -> UserNotification {
    let present = PlainOccurrence.replaceable(old, at: now, zone: zone)
    let isDelayed = [old.content.deliverAt, content.deliverAt].contains { time in
      time.map { $0 > now } ?? false
    }
    var new = present
    new.content = content
    if present.isTouched || isDelayed || content.trigger != nil { new.arrival = arrival }
    new.returnToTray(
      by: RegisterChange(
        at: now, by: Author(kind: .publisher, id: "", name: ""), operation: nil))
    return new
  }
}
