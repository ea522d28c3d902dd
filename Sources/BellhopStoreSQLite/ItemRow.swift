internal import BellhopModel
internal import BellhopStore
internal import GRDB

/// An item as a row of the table `item`.
enum ItemRow {
  /// In the order in which ``row(_:)`` reads them.
  private static let names = [
    "id", "short_number", "sequence", "content_sequence", "created", "changed", "arrival",
    "app", "app_notification_id", "group_name", "priority", "tags", "title", "subtitle", "body",
    "raw", "click_url", "expiration", "display_time_to_live", "deliver_at", "extras",
    "read_state", "read_previous", "read_at", "read_by", "read_operation",
    "action", "action_until", "action_previous", "action_previous_until", "action_at",
    "action_by", "action_operation",
    "kept", "kept_previous", "kept_at", "kept_by", "kept_operation",
    "deleted", "action_choice",
  ]

  static let columns = names.joined(separator: ", ")

  /// Writes an item's row in place, so that it keeps its place in the file.
  static let upsert: String = {
    let all = ["user", "leaves"] + names
    let places = all.map { _ in "?" }.joined(separator: ", ")
    let updates = (["leaves"] + names.dropFirst()).map { "\($0) = excluded.\($0)" }
    return """
      INSERT INTO item (\(all.joined(separator: ", "))) VALUES (\(places))
      ON CONFLICT (user, id) DO UPDATE SET \(updates.joined(separator: ", "))
      """
  }()

  /// Turns an item into a tombstone: nothing that anybody wrote remains but its names.
  static let bury = """
    UPDATE item SET sequence = ?, deleted = ?, app = ?, app_notification_id = ?, leaves = NULL,
      group_name = NULL, priority = 3, tags = NULL, title = NULL, subtitle = NULL, body = NULL,
      raw = NULL, click_url = NULL, expiration = NULL, display_time_to_live = NULL,
      deliver_at = NULL, extras = NULL,
      read_previous = NULL, read_at = NULL, read_by = NULL, read_operation = NULL,
      action_until = NULL, action_previous = NULL, action_previous_until = NULL,
      action_at = NULL, action_by = NULL, action_operation = NULL, action_choice = NULL,
      kept_previous = NULL, kept_at = NULL, kept_by = NULL, kept_operation = NULL
    WHERE user = ? AND id = ?
    """

  // MARK: - Reading

  static func row(_ row: Row) throws -> StoredRow {
    guard let deleted = row.optionalTime(38) else { return .live(try item(row)) }
    return .tombstone(
      Tombstone(
        id: try row.id(0), shortNumber: row[1], app: row[7], appNotificationID: row[8],
        sequence: SequenceNumber(row[2]), deleted: deleted))
  }

  static func item(_ row: Row) throws -> UserNotification {
    var content = Content(
      app: row[7], appNotificationID: row[8], group: row[9],
      priority: Priority(rawValue: row[10]) ?? .normal, raw: row[15], clickURL: row[16],
      expiration: row.optionalTime(17),
      displayTimeToLive: (row[18] as Int64?).map { .milliseconds($0) },
      deliverAt: row.optionalTime(19))
    if let tags = row[11] as String? {
      content.tags = try JSONColumn.decode([String].self, tags)
    }
    if let title = row[12] as String? {
      content.visual = VisualContent(title: title, subtitle: row[13], body: row[14])
    }
    if let extras = row[20] as String? {
      content.extras = try JSONColumn.decode(ContentExtras.self, extras)
    }
    return UserNotification(
      id: try row.id(0), shortNumber: row[1], created: row.time(4), arrival: row.time(6),
      content: content,
      state: ItemState(
        sequence: SequenceNumber(row[2]), contentSequence: SequenceNumber(row[3]),
        changed: row.time(5), readState: try readState(row),
        userActionState: try userActionState(row), kept: try kept(row)))
  }

  private static func readState(_ row: Row) throws -> Register<ReadState> {
    Register(
      try row.value(21), previous: (row[22] as String?).flatMap(ReadState.init(rawValue:)),
      change: try change(row, at: 23))
  }

  private static func userActionState(_ row: Row) throws -> Register<UserActionState> {
    func state(_ kind: Int, _ until: Int) -> UserActionState? {
      (row[kind] as String?).flatMap(UserActionState.Kind.init(rawValue:)).flatMap {
        UserActionState(kind: $0, snoozedUntil: row.optionalTime(until))
      }
    }
    guard let value = state(26, 27) else { throw row.damaged() }
    var change = try change(row, at: 30)
    if let choice = row[39] as String? {
      change?.choice = try JSONColumn.decode(ActionChoice.self, choice)
    }
    return Register(value, previous: state(28, 29), change: change)
  }

  private static func kept(_ row: Row) throws -> Register<Bool> {
    Register(row[33], previous: row[34], change: try change(row, at: 35))
  }

  /// When, by whom and by which operation: three columns from `index` on.
  private static func change(_ row: Row, at index: Int) throws -> RegisterChange? {
    guard let time = row.optionalTime(index), let author = row[index + 1] as String? else {
      return nil
    }
    return RegisterChange(
      at: time, by: try Author(column: author, row), operation: try row.optionalID(index + 2))
  }

  // MARK: - Writing

  static func arguments(
    _ item: UserNotification, leaves: Timestamp?, of user: UserID
  ) throws -> [(any DatabaseValueConvertible)?] {
    let content = item.content
    let state = item.state
    var values: [(any DatabaseValueConvertible)?] = [
      user.rawValue, leaves?.milliseconds, item.id.blob, item.shortNumber,
      state.sequence.rawValue, state.contentSequence.rawValue, item.created.milliseconds,
      state.changed.milliseconds, item.arrival.milliseconds,
    ]
    values += [
      content.app, content.appNotificationID, content.group, content.priority.rawValue,
      content.tags.isEmpty ? nil : try JSONColumn.encode(content.tags),
      content.visual?.title, content.visual?.subtitle, content.visual?.body, content.raw,
      content.clickURL, content.expiration?.milliseconds,
      content.displayTimeToLive?.milliseconds, content.deliverAt?.milliseconds,
      content.extras.isEmpty ? nil : try JSONColumn.encode(content.extras),
    ]
    values += [state.readState.value.rawValue, state.readState.previous?.rawValue]
    values += columns(state.readState.change)
    let (action, previous) = (state.userActionState.value, state.userActionState.previous)
    values += [
      action.kind.rawValue, action.snoozedUntil?.milliseconds, previous?.kind.rawValue,
      previous?.snoozedUntil?.milliseconds,
    ]
    values += columns(state.userActionState.change)
    values += [state.kept.value, state.kept.previous]
    values += columns(state.kept.change)
    let choice = try state.userActionState.change?.choice.map { try JSONColumn.encode($0) }
    return values + [nil, choice]
  }

  private static func columns(
    _ change: RegisterChange?
  ) -> [(any DatabaseValueConvertible)?] {
    [change?.at.milliseconds, change?.by.column, change?.operation.map { $0.blob }]
  }
}

extension Author {
  /// Kind, id and name in one column; ids have no control characters.
  fileprivate var column: String { "\(kind.rawValue)\u{1f}\(id)\u{1f}\(name)" }

  fileprivate init(column: String, _ row: Row) throws {
    let parts = column.split(separator: "\u{1f}", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let kind = Kind(rawValue: String(parts[0])) else {
      throw row.damaged()
    }
    self.init(kind: kind, id: String(parts[1]), name: String(parts[2]))
  }
}
