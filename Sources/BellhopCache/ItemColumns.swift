import BellhopModel
import BellhopSearch
import GRDB

/// The columns of `item` and the values they stand for; the one place that knows their order.
enum ItemColumns {
  private static let stateNames = [
    "generation", "announced", "sequence", "content_sequence", "changed", "base_read",
    "base_action", "base_snoozed_until", "base_kept", "base_provenance", "read", "action",
    "snoozed_until", "kept", "provenance", "pending", "pending_delete", "placement",
    "placement_until", "due", "tray_from", "tray_until", "change_number",
  ]
  private static let contentNames = [
    "id", "short_number", "created", "arrival", "app", "group_name", "app_notification_id",
    "priority", "tags", "expiration", "display_time", "deliver_at", "click_url", "title",
    "subtitle", "body", "raw", "extras",
  ]
  private static let names = stateNames + contentNames

  static let all = "arrival_key, " + names.joined(separator: ", ")

  static let insert = """
    INSERT INTO item (\(all)) VALUES (?\(String(repeating: ", ?", count: names.count)))
    """

  /// The key comes last.
  static let update = """
    UPDATE item SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE arrival_key = ?
    """

  /// The key comes last.
  static let updateState = """
    UPDATE item SET \(stateNames.map { "\($0) = ?" }.joined(separator: ", ")) WHERE arrival_key = ?
    """

  // MARK: Writing

  /// - Parameter change: the number that the record gets in the log of changes.
  static func bind(_ record: ItemRecord, change: Int64, to statement: SQLStatement) throws {
    bindState(record, change: change, to: statement)
    let item = record.base
    let content = item.content
    statement.bind(item.id).bind(item.shortNumber).bind(item.created).bind(item.arrival)
      .bind(content.app).bind(content.group).bind(content.appNotificationID)
      .bind(content.priority.rawValue).bind(TagText.encode(content.tags))
      .bind(content.expiration).bind(content.displayTimeToLive?.milliseconds)
      .bind(content.deliverAt).bind(content.clickURL).bind(content.visual?.title)
      .bind(content.visual?.subtitle).bind(content.visual?.body).bind(content.raw)
      .bind(content.extras.isEmpty ? nil : try JSON.encode(content.extras))
  }

  static func bindState(_ record: ItemRecord, change: Int64, to statement: SQLStatement) {
    let base = record.base.state
    let shown = record.shownState
    let window = record.isPendingDelete ? nil : record.notification.trayWindow
    statement.bind(record.generation).bind(record.announced).bind(base.sequence)
      .bind(base.contentSequence).bind(base.changed)
      .bind(base.readState.value == .read).bind(Int(base.userActionState.value.code))
      .bind(base.userActionState.value.snoozedUntil).bind(base.kept.value)
      .bind(ProvenanceCoding.encode(base))
      .bind(shown.readState.value == .read).bind(Int(shown.userActionState.value.code))
      .bind(shown.userActionState.value.snoozedUntil).bind(shown.kept.value)
      .bind(record.shown.flatMap(ProvenanceCoding.encode))
      .bind(record.pendingCount).bind(record.isPendingDelete).bind(record.placement.rawValue)
      .bind(record.placementUntil).bind(record.due).bind(window?.from).bind(window?.until)
      .bind(change)
  }

  // MARK: Reading

  /// A row of ``all``.
  static func record(_ row: SQLStatement) throws -> ItemRecord {
    var base = ItemState(
      sequence: row.sequence(3), contentSequence: row.sequence(4), changed: row.time(5),
      readState: Register(row.bool(6) ? .read : .unread),
      userActionState: Register(action(row, 7)), kept: Register(row.bool(9)))
    if let bytes = row.bytes(10) { ProvenanceCoding.decode(bytes, into: &base) }
    var shown: ItemState?
    if let bytes = row.bytes(15) {
      var state = ItemState(
        sequence: base.sequence, contentSequence: base.contentSequence, changed: base.changed,
        readState: Register(row.bool(11) ? .read : .unread),
        userActionState: Register(action(row, 12)), kept: Register(row.bool(14)))
      ProvenanceCoding.decode(bytes, into: &state)
      shown = state
    }
    let item = UserNotification(
      id: try row.id(24), shortNumber: row.integer(25), created: row.time(26),
      arrival: row.time(27), content: try content(row), state: base)
    return ItemRecord(
      key: ArrivalKey(rawValue: row.integer(0)), base: item, generation: row.integer(1),
      announced: row.sequence(2), shown: shown, pendingCount: row.count(16),
      isPendingDelete: row.bool(17),
      placement: Placement(rawValue: row.count(18)) ?? .gone,
      placementUntil: row.timeOrNil(19), change: row.integer(23))
  }

  private static func content(_ row: SQLStatement) throws -> Content {
    Content(
      app: row.text(28), appNotificationID: row.textOrNil(30), group: row.textOrNil(29),
      priority: Priority(rawValue: row.count(31)) ?? .normal,
      tags: TagText.decode(row.textOrNil(32)),
      visual: row.textOrNil(37).map {
        VisualContent(title: $0, subtitle: row.textOrNil(38), body: row.textOrNil(39))
      },
      raw: row.textOrNil(40), clickURL: row.textOrNil(36), expiration: row.timeOrNil(33),
      displayTimeToLive: row.integerOrNil(34).map { .milliseconds($0) },
      deliverAt: row.timeOrNil(35),
      extras: try row.textOrNil(41).map { try JSON.decode($0) } ?? ContentExtras())
  }

  /// The action in this column and its snooze time in the next.
  private static func action(_ row: SQLStatement, _ column: Int) -> UserActionState {
    UserActionState(
      code: UInt8(truncatingIfNeeded: row.integer(column)), snoozedUntil: row.time(column + 1))
  }

  // MARK: Lines

  /// What ``CachedRow`` needs; the text columns at its end are read no further than that.
  static let line = """
    item.id, item.arrival_key, short_number, item.app, item.group_name, priority, item.title,
    item.subtitle, substr(item.body, 1, \(CachedRow.bodyCharactersMax)), item.tags, click_url,
    arrival, expiration, placement, due, content_sequence, read, action, snoozed_until, kept,
    pending, ifnull(provenance, base_provenance), \(hasAttachments), deliver_at, display_time
    """

  /// How many columns ``line`` has: what a query reads beside it comes behind them.
  static let lineCount = 25

  /// Most items have no extras, and then nothing behind the lines' own columns is read. Inside of a
  /// text of JSON each quotation mark stands behind a backslash, so that only the key itself, with
  /// something in its list, reads like this.
  private static let hasAttachments = #"ifnull(instr(extras, '"attachments":[{') > 0, 0)"#

  static func row(_ row: SQLStatement) throws -> CachedRow {
    var state = ItemState(
      sequence: .zero, contentSequence: row.sequence(15), changed: .distantPast,
      readState: Register(row.bool(16) ? .read : .unread),
      userActionState: Register(action(row, 17)), kept: Register(row.bool(19)))
    if let bytes = row.bytes(21) { ProvenanceCoding.decode(bytes, into: &state) }
    return CachedRow(
      id: try row.id(0), key: ArrivalKey(rawValue: row.integer(1)),
      shortNumber: row.integer(2), app: row.text(3), group: row.textOrNil(4),
      priority: Priority(rawValue: row.count(5)) ?? .normal, title: row.text(6),
      subtitle: row.textOrNil(7), bodyStart: row.textOrNil(8),
      tags: TagText.decode(row.textOrNil(9)), clickURL: row.textOrNil(10),
      hasVisualContent: !row.isNull(6), hasAttachments: row.bool(22), arrival: row.time(11),
      deliverAt: row.timeOrNil(23), expiration: row.timeOrNil(12),
      displayTimeToLive: row.integerOrNil(24).map { .milliseconds($0) },
      placement: Placement(rawValue: row.count(13)) ?? .gone, due: row.timeOrNil(14),
      contentSequence: state.contentSequence, readState: state.readState,
      userActionState: state.userActionState, kept: state.kept, isPending: row.integer(20) > 0)
  }
}
