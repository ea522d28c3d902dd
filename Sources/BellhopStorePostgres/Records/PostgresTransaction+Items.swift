#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresTransaction {
  func row(_ id: NotificationID, of user: UserID) throws -> StoredRow? {
    let row = try first(
      """
      SELECT \(PostgresItemRow.columns) FROM \(PostgresItemRow.tables)
      WHERE i.user_id = $1 AND i.id = $2
      """, [.user(user), .id(id)], PostgresItemRow.row)
    if case .live(let item)? = row { noteRead(item, of: user) }
    return row
  }

  func item(
    app: String, appNotificationID: String, of user: UserID
  ) throws -> UserNotification? {
    let item = try first(
      """
      SELECT \(PostgresItemRow.columns) FROM \(PostgresItemRow.tables)
      WHERE i.user_id = $1 AND i.app = $2 AND i.app_notification_id = $3 AND i.deleted IS NULL
      """, [.user(user), .text(app), .text(appNotificationID)], PostgresItemRow.item)
    if let item { noteRead(item, of: user) }
    return item
  }

  func item(number: Int64, of user: UserID) throws -> UserNotification? {
    let item = try first(
      """
      SELECT \(PostgresItemRow.columns) FROM \(PostgresItemRow.tables)
      WHERE i.user_id = $1 AND i.short_number = $2 AND i.deleted IS NULL
      """, [.user(user), .integer(number)], PostgresItemRow.item)
    if let item { noteRead(item, of: user) }
    return item
  }

  func items(_ query: ItemQuery, of user: UserID) throws -> [UserNotification] {
    let page = try slices(query.limit, includes: \.isIncluded, bytes: \.item.byteCount) {
      (last: ListedItem?, rows: Int) in
      var slice = PostgresCondition(
        "SELECT \(PostgresItemRow.columns), (s.leaves <= ?) IS TRUE AS has_left FROM (",
        .time(query.now))
      slice.add("SELECT * FROM item i WHERE i.user_id = ? AND i.deleted IS NULL", .user(user))
      if let place = last.map({ ArrivalKey($0.item) }) ?? query.below {
        slice.add(" AND (i.arrival, i.id) < (?, ?)", .time(place.arrival), .id(place.id))
      }
      slice.add(" ORDER BY i.arrival DESC, i.id DESC LIMIT \(rows)) i ")
      slice.add(PostgresItemRow.withState)
      slice.add(" ORDER BY i.arrival DESC, i.id DESC")
      return try all(slice, ListedItem.init(row:))
    }
    return page.map(\.item)
  }

  func triggeredItems(of user: UserID) throws -> [UserNotification] {
    try all(
      """
      SELECT \(PostgresItemRow.columns) FROM (
        SELECT * FROM item WHERE user_id = $1 AND delivery_trigger IS NOT NULL OFFSET 0) i
      \(PostgresItemRow.withState) ORDER BY i.short_number
      """, [.user(user)], PostgresItemRow.item)
  }

  func rows(
    of user: UserID, after: SequenceNumber, limit: PageLimit
  ) throws -> [StoredRow] {
    try slices(
      limit, includes: { _ in true }, bytes: \.byteCount,
      read: { (last: StoredRow?, rows: Int) in
        try all(
          """
          SELECT \(PostgresItemRow.columns) FROM (
            SELECT * FROM item_state s WHERE s.user_id = $1 AND s.sequence > $2
            ORDER BY s.sequence LIMIT \(rows)) s
          \(PostgresItemRow.withContent) ORDER BY s.sequence
          """, [.user(user), .sequence(last?.sequence ?? after)], PostgresItemRow.row)
      })
  }

  func leaving(by now: Timestamp, limit: Int) throws -> [UserItem] {
    try all(
      "SELECT user_id, id FROM item_state WHERE leaves <= $1 ORDER BY leaves, id LIMIT $2",
      [.time(now), .count(limit)], UserItem.init(row:))
  }

  func tombstones(deletedBefore time: Timestamp, limit: Int) throws -> [UserItem] {
    try all(
      "SELECT user_id, id FROM item WHERE deleted < $1 ORDER BY deleted, id LIMIT $2",
      [.time(time), .count(limit)], UserItem.init(row:))
  }

  // MARK: - Writing

  /// Writes the state, and the content unless the transaction knows that it stays.
  func put(_ item: UserNotification, leaves: Timestamp?, of user: UserID) throws {
    let known = knownItems[UserItem(user: user, id: item.id)]
    if known?.hasSameContentRow(as: item) != true {
      try write(PostgresItemRow.putContent, try PostgresItemRow.contentValues(item, of: user))
    }
    try write(
      known == nil ? PostgresItemRow.putState : PostgresItemRow.updateState,
      try PostgresItemRow.stateValues(item, leaves: leaves, of: user))
    noteRead(item, of: user)
  }

  func put(_ tombstone: Tombstone, of user: UserID) throws {
    try write(
      PostgresItemRow.buryContent,
      [
        .user(user), .id(tombstone.id), .time(tombstone.deleted), .text(tombstone.app),
        .text(tombstone.appNotificationID),
      ])
    try write(
      PostgresItemRow.buryState,
      [.user(user), .id(tombstone.id), .sequence(tombstone.sequence)])
    knownItems[UserItem(user: user, id: tombstone.id)] = nil
  }

  func removeTombstone(_ id: NotificationID, of user: UserID) throws {
    try write(
      """
      WITH removed AS (
        DELETE FROM item WHERE user_id = $1 AND id = $2 AND deleted IS NOT NULL
        RETURNING user_id, id)
      DELETE FROM item_state s USING removed r
      WHERE s.user_id = $1 AND s.user_id = r.user_id AND s.id = r.id
      """, [.user(user), .id(id)])
  }

  // MARK: - Known items

  /// The most items that a transaction remembers. A chunk of a bulk operation has fewer.
  private static let knownItemsMax = 1000

  /// The items that the transaction has read or written under the lock of their user.
  private var knownItems: [UserItem: UserNotification] {
    get { context.kept.items }
    set { context.kept.items = newValue }
  }

  /// Remembers the row of an item, which stays until this transaction changes it.
  func noteRead(_ item: UserNotification, of user: UserID) {
    guard context.kept.counters[user] != nil else { return }
    if context.kept.items.count >= Self.knownItemsMax { context.kept.items = [:] }
    context.kept.items[UserItem(user: user, id: item.id)] = item
  }

  // MARK: - Pages

  /// Reads a page in slices, so that a page of few but large rows reads few more than it has.
  ///
  /// - Parameters:
  ///   - includes: Whether a row belongs to the page.
  ///   - read: Returns at most `rows` rows after the last one; nil for the first slice.
  private func slices<Value>(
    _ limit: PageLimit, includes: (Value) -> Bool, bytes: (Value) -> Int,
    read: (_ last: Value?, _ rows: Int) throws -> [Value]
  ) throws -> [Value] {
    var page = PageFill(limit)
    var values: [Value] = []
    var last: Value?
    var size = SliceSize(rows: min(limit.rows, Self.firstSliceMax))
    while !page.isFull {
      let slice = try read(last, size.rows)
      for value in slice where !page.isFull && includes(value) {
        page.add(bytes(value))
        values.append(value)
      }
      guard slice.count == size.rows else { break }
      last = slice.last
      size = SliceSize(rows: Self.laterSliceMax)
    }
    return values
  }

  /// The most rows of a page's first slice, and of each later one.
  private static let firstSliceMax = 128
  private static let laterSliceMax = 512
}

/// An item on the way of a list by arrival.
private struct ListedItem {
  var item: UserNotification
  /// Whether the item has not left the store yet.
  var isIncluded: Bool

  init(row: PostgresRow) throws {
    item = try PostgresItemRow.item(row)
    isIncluded = try !row.value("has_left", as: Bool.self)
  }
}

extension UserNotification {
  /// Whether the other item has the same row in the table `item`.
  ///
  /// Equal contents are not enough, because texts are equal that have the same characters in other
  /// bytes. But new content has a new sequence.
  fileprivate func hasSameContentRow(as other: UserNotification) -> Bool {
    shortNumber == other.shortNumber && created == other.created && arrival == other.arrival
      && state.contentSequence == other.state.contentSequence && content == other.content
      && repeats == other.repeats
  }
}

extension UserItem {
  fileprivate init(row: PostgresRow) throws {
    self.init(user: try row.user("user_id"), id: try row.id("id"))
  }
}
#endif
