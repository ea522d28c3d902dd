import BellhopModel

/// The windows of the lists, each read along an index in the order of its keys.
extension Statements {
  /// Returns a window of the items in some placements, newest first.
  ///
  /// Reads the rows of a whole window along the index of each placement, and takes the window from
  /// these. The cost thus never depends on the items in between.
  func placed(
    _ placements: [Placement], _ window: ListWindow, limit: Int
  ) throws -> [CachedRow] {
    let (condition, key, isUpward) = window.bounds
    let order = isUpward ? "ASC" : "DESC"
    let keys = placements.map { placement in
      """
      SELECT * FROM (SELECT arrival_key AS k FROM item
        WHERE \(placement.condition) AND arrival_key \(condition) ?1
        ORDER BY arrival_key \(order) LIMIT ?2)
      """
    }.joined(separator: " UNION ALL ")
    let rows = try self(
      """
      SELECT \(ItemColumns.line) FROM (\(keys) ORDER BY k \(order) LIMIT ?2)
      CROSS JOIN item ON item.arrival_key = k ORDER BY k \(order)
      """
    ).bind(key).bind(limit).all(ItemColumns.row)
    return isUpward ? rows.reversed() : rows
  }

  func countAbove(
    _ position: ListPosition, _ placements: [Placement], limit: Int
  ) throws -> Int {
    try self(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM item WHERE \(placements.condition) AND arrival_key > ? LIMIT ?)
      """
    ).bind(position.key).bind(limit).first { $0.count(0) } ?? 0
  }

  /// Returns a window of the snoozed and scheduled items, earliest first.
  func later(_ window: ListWindow, limit: Int) throws -> [CachedRow] {
    let anchor: ListPosition
    let isDownward: Bool
    switch window {
    case .first: (anchor, isDownward) = (ListPosition(due: .min, key: .min), true)
    case .last: (anchor, isDownward) = (ListPosition(due: .max, key: .max), false)
    case .below(let position): (anchor, isDownward) = (position, true)
    case .above(let position): (anchor, isDownward) = (position, false)
    }
    let rows = try self(
      """
      SELECT \(ItemColumns.line) FROM item
      WHERE due IS NOT NULL AND (due, arrival_key) \(isDownward ? ">" : "<") (?, ?)
      ORDER BY due \(isDownward ? "ASC" : "DESC"), arrival_key \(isDownward ? "ASC" : "DESC")
      LIMIT ?
      """
    ).bind(anchor.due ?? .min).bind(anchor.key).bind(limit).all(ItemColumns.row)
    return isDownward ? rows : rows.reversed()
  }

  func item(_ id: NotificationID) throws -> CachedItem? {
    try self("SELECT \(ItemColumns.all) FROM item WHERE id = ?").bind(id)
      .first(ItemColumns.record).map { CachedItem($0) }
  }

  /// Returns the ids that begin with the hexadecimal digits, newest first, at most ten.
  func ids(prefix: String) throws -> [NotificationID] {
    let digits = prefix.lowercased().utf8.filter(\.isHexDigit).prefix(32).map { $0 }
    func bound(filledWith filler: UInt8) -> NotificationID? {
      var text = digits + [UInt8](repeating: filler, count: 32 - digits.count)
      for position in [8, 13, 18, 23] { text.insert(UInt8(ascii: "-"), at: position) }
      return NotificationID(String(decoding: text, as: UTF8.self)[...])
    }
    guard !digits.isEmpty, let lowest = bound(filledWith: UInt8(ascii: "0")),
      let highest = bound(filledWith: UInt8(ascii: "f"))
    else { return [] }
    return try self(
      """
      SELECT id FROM item WHERE id BETWEEN ? AND ? AND pending_delete = 0
      ORDER BY id DESC LIMIT 10
      """
    ).bind(lowest).bind(highest).all { try $0.id(0) }
  }
}

extension Timestamp {
  fileprivate static let min = Timestamp(milliseconds: .min)
  fileprivate static let max = Timestamp(milliseconds: .max)
}

extension ArrivalKey {
  fileprivate static let min = ArrivalKey(rawValue: .min)
  fileprivate static let max = ArrivalKey(rawValue: .max)
}

extension ListWindow {
  /// The bound of a window in lists with the newest item first.
  ///
  /// It consists of the comparison with a key, the key, and whether reading begins at the key and
  /// goes up.
  var bounds: (condition: String, key: ArrivalKey, isUpward: Bool) {
    switch self {
    case .first: ("<", ArrivalKey(rawValue: .max), false)
    case .last: (">", ArrivalKey(rawValue: .min), true)
    case .below(let position): ("<", position.key, false)
    case .above(let position): (">", position.key, true)
    }
  }
}
