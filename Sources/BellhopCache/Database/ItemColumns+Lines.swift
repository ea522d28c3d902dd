import BellhopModel
import BellhopSearch

/// The columns of a row of a list.
enum LineColumn: Int, TableColumn {
  case id, arrivalKey, shortNumber, app, groupName, priority, title, subtitle, bodyStart, tags
  case clickUrl, arrival, expiration, placement, due, contentSequence
  case read, action, snoozedUntil, kept, cancelled, applied, pending, provenance, publishedApp
  case hasAttachments, category, deliverAt, displayTime, occurrence, nextOccurrence, ownOperation
  case meaningSequence, repeatCount, resolved

  /// The registers in the order of `ItemRegister.all`.
  static let registers: [RegisterColumns<LineColumn>] = [
    RegisterColumns(value: .read),
    RegisterColumns(value: .action, until: .snoozedUntil),
    RegisterColumns(value: .kept),
    RegisterColumns(value: .cancelled),
    RegisterColumns(value: .applied),
  ]

  /// The SQL expression for the column in a query over `item`.
  fileprivate var expression: String {
    switch self {
    case .bodyStart: "substr(item.body, 1, \(CachedRow.bodyCharactersMax))"
    case .publishedApp: ItemColumns.publishedApp
    case .provenance: "ifnull(item.provenance, item.base_provenance)"
    case .hasAttachments: Self.hasAttachmentsExpression
    case .category: "json_extract(item.extras, '$.category')"
    case .arrival: ItemColumns.arrival
    case .deliverAt: ItemColumns.deliverAt
    case .meaningSequence: ItemColumns.meaningSequence
    case .id, .arrivalKey, .shortNumber, .app, .groupName, .priority, .title, .subtitle, .tags,
      .clickUrl, .expiration, .placement, .due, .contentSequence, .read, .action,
      .snoozedUntil, .kept, .cancelled, .applied, .pending, .displayTime, .occurrence,
      .nextOccurrence, .ownOperation, .repeatCount, .resolved:
      "item." + name
    }
  }

  /// The SQL test for attachments.
  ///
  /// Most items have no extras, so that nothing after the list's own columns is read. Within a JSON
  /// string, each quotation mark follows a backslash. Only the key itself, with a list that is not
  /// empty, matches.
  private static let hasAttachmentsExpression =
    #"ifnull(instr(item.extras, '"attachments":[{') > 0, 0)"#
}

extension ItemColumns {
  /// The columns of ``CachedRow``. A query may select more after them, from ``lineCount`` on.
  static let line = LineColumn.allCases.map(\.expression).joined(separator: ", ")

  static let lineCount = LineColumn.allCases.count

  /// The SQL expression for the time by which lists are ordered.
  static let arrival = "coalesce(item.occurred, item.own_arrival, item.arrival)"

  /// The SQL expression for the time of delivery.
  static let deliverAt = "ifnull(item.own_deliver_at, item.deliver_at)"

  /// The SQL expression for the content sequence of the last publication that was not a repeat.
  static let meaningSequence = "ifnull(item.meaning_sequence, item.content_sequence)"

  static func row(_ row: SQLStatement) throws -> CachedRow {
    let row = NamedRow<LineColumn>(row)
    var registers = row.registers(LineColumn.registers)
    if let bytes = row.bytes(.provenance) { ProvenanceCoding.decode(bytes, into: &registers) }
    return CachedRow(
      id: try row.id(.id), key: ArrivalKey(rawValue: row.integer(.arrivalKey)),
      shortNumber: row.integer(.shortNumber), app: row.text(.app),
      publishedApp: row.text(.publishedApp), group: row.textOrNil(.groupName),
      priority: Priority(rawValue: row.count(.priority)) ?? .normal, title: row.text(.title),
      subtitle: row.textOrNil(.subtitle), bodyStart: row.textOrNil(.bodyStart),
      tags: TagText.decode(row.textOrNil(.tags)), clickURL: row.textOrNil(.clickUrl),
      hasVisualContent: !row.isNull(.title), hasAttachments: row.bool(.hasAttachments),
      category: row.textOrNil(.category),
      arrival: row.time(.arrival),
      occurrence: row.textOrNil(.occurrence).flatMap { Occurrence.Label($0) },
      nextOccurrence: row.timeOrNil(.nextOccurrence), deliverAt: row.timeOrNil(.deliverAt),
      expiration: row.timeOrNil(.expiration),
      displayTimeToLive: row.integerOrNil(.displayTime).map { .milliseconds($0) },
      placement: Placement(rawValue: row.count(.placement)) ?? .gone, due: row.timeOrNil(.due),
      contentSequence: row.sequence(.contentSequence),
      meaningSequence: row.sequence(.meaningSequence), repeatCount: row.count(.repeatCount),
      resolved: row.timeOrNil(.resolved), registers: registers,
      isPending: row.integer(.pending) > 0, ownOperation: try row.idOrNil(.ownOperation))
  }
}
