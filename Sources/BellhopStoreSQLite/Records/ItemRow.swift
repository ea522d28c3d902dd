internal import BellhopModel
internal import BellhopStore
internal import GRDB

/// The columns of an item's row, in the order in which queries select them.
///
/// Each case is spelled like its column. Those of `RegisterColumn` follow, and `deleted`.
enum ItemColumn: Int, TableColumn {
  case id, shortNumber, sequence, contentSequence, created, changed, arrival
  case crossed
  case app, appNotificationId, groupName, priority, tags, title, subtitle, body, raw, clickUrl
  case expiration, displayTimeToLive, deliverAt, deliveryTrigger, extras
  case environment
  case movedApp
  case meaningSequence, resolved, repeats

  /// The column of a tombstone's row as SQL: `?` for a value of the tombstone itself. It is nil
  /// where the item's value stays, which reveals no written content.
  fileprivate var tombstoneValue: String? {
    switch self {
    case .id, .shortNumber, .contentSequence, .created, .changed, .arrival: nil
    case .sequence, .app, .appNotificationId: "?"
    case .priority: "\(Priority.normal.rawValue)"
    case .crossed, .groupName, .tags, .title, .subtitle, .body, .raw, .clickUrl, .expiration,
      .displayTimeToLive, .deliverAt, .deliveryTrigger, .extras, .environment, .movedApp,
      .meaningSequence, .resolved, .repeats:
      "NULL"
    }
  }
}

/// The mapping between an item and a row of the table `item`.
enum ItemRow {
  private static let names: [String] =
    ItemColumn.allCases.map(\.name) + RegisterColumn.allCases.map(\.name) + ["deleted"]
  static let columns = names.joined(separator: ", ")
  /// The index of the first column of a register.
  private static let registersIndex = ItemColumn.allCases.count
  /// The index of the time of deletion, which is NULL for a live item.
  private static let deletedIndex = names.count - 1

  /// The statement that writes an item's row in place, so that it keeps its position in the file.
  ///
  /// The key under which repeats find the item stays.
  static let upsert: String = {
    let all = ["user", "leaves"] + names
    let places = all.map { _ in "?" }.joined(separator: ", ")
    let updates = all.filter { $0 != "user" && $0 != ItemColumn.id.name }
      .map { "\($0) = excluded.\($0)" }
    return """
      INSERT INTO item (\(all.joined(separator: ", "))) VALUES (\(places))
      ON CONFLICT (user, id) DO UPDATE SET \(updates.joined(separator: ", "))
      """
  }()

  /// The statement that turns an item into a tombstone. It removes what publishers and devices
  /// wrote, except its names.
  static let replaceWithTombstone: String = {
    var updates = ItemColumn.allCases.compactMap { column in
      column.tombstoneValue.map { "\(column.name) = \($0)" }
    }
    updates += RegisterColumn.allCases.filter { !$0.outlivesItem }.map { "\($0.name) = NULL" }
    return """
      UPDATE item SET leaves = NULL, collapse_key = NULL, \(updates.joined(separator: ", ")), deleted = ?
      WHERE user = ? AND id = ?
      """
  }()

  // MARK: - Reading

  static func row(_ row: Row) throws -> StoredRow {
    guard let deleted = row.optionalTime(deletedIndex) else { return .live(try item(row)) }
    let columns = NamedRow<ItemColumn>(row)
    return .tombstone(
      Tombstone(
        id: try columns.id(.id), shortNumber: columns[.shortNumber], app: columns[.app],
        appNotificationID: columns[.appNotificationId],
        sequence: SequenceNumber(columns[.sequence]), deleted: deleted))
  }

  static func item(_ row: Row) throws -> UserNotification {
    let columns = NamedRow<ItemColumn>(row)
    let state = ItemState(
      sequence: SequenceNumber(columns[.sequence]),
      contentSequence: SequenceNumber(columns[.contentSequence]),
      meaning: (columns[.meaningSequence] as Int64?).map { SequenceNumber($0) },
      changed: columns.time(.changed), crossed: columns.optionalTime(.crossed),
      resolved: columns.optionalTime(.resolved),
      registers: try registers(NamedRow(row, from: registersIndex)))
    guard state.isConsistent else { throw columns.damaged() }
    return UserNotification(
      id: try columns.id(.id), shortNumber: columns[.shortNumber],
      created: columns.time(.created), arrival: columns.time(.arrival),
      content: try content(columns), state: state,
      repeats: try (columns[.repeats] as String?).map { try JSONColumn.decode(Repeats.self, $0) })
  }

  private static func content(_ row: NamedRow<ItemColumn>) throws -> Content {
    var content = Content(
      app: row[.app], appNotificationID: row[.appNotificationId], group: row[.groupName],
      priority: Priority(rawValue: row[.priority]) ?? .normal, raw: row[.raw],
      clickURL: row[.clickUrl], expiration: row.optionalTime(.expiration),
      displayTimeToLive: (row[.displayTimeToLive] as Int64?).map { .milliseconds($0) },
      deliverAt: row.optionalTime(.deliverAt))
    if let tags = row[.tags] as String? {
      content.tags = try JSONColumn.decode([String].self, tags)
    }
    if let title = row[.title] as String? {
      content.visual = VisualContent(title: title, subtitle: row[.subtitle], body: row[.body])
    }
    if let trigger = row[.deliveryTrigger] as String? {
      content.trigger = try JSONColumn.decode(Trigger.self, trigger)
    }
    if let extras = row[.extras] as String? {
      content.extras = try JSONColumn.decode(ContentExtras.self, extras)
    }
    return content
  }

  private static func registers(_ row: NamedRow<RegisterColumn>) throws -> ItemRegisters {
    var registers = ItemRegisters()
    for (register, columns) in zip(ItemRegister.all, RegisterColumns.all) {
      // NULL in a row that an earlier version wrote, and in one from its backup.
      if register.isOptional, row.isNull(columns.value) { continue }
      var change = try change(row, columns.at, columns.by, columns.operation)
      if let column = columns.choice, let choice = row[column] as String? {
        change?.choice = try JSONColumn.decode(ActionChoice.self, choice)
      }
      if let column = columns.occurrence, let label = row[column] as String? {
        guard let label = Occurrence.Label(label) else { throw row.damaged() }
        change?.occurrence = label
      }
      let previous = try value(of: register, row, columns.previous, columns.previousUntil)
      guard let value = try value(of: register, row, columns.value, columns.until),
        register.load(value, previous, change, &registers)
      else { throw row.damaged() }
    }
    return registers
  }

  private static func value(
    of register: ItemRegister, _ row: NamedRow<RegisterColumn>, _ column: RegisterColumn,
    _ until: RegisterColumn?
  ) throws -> CodedValue? {
    if register.form == .flag {
      return (row[column] as Bool?).map { CodedValue(code: $0 ? 1 : 0) }
    }
    guard let text = row[column] as String? else { return nil }
    if register.form == .document {
      return CodedValue(document: try JSONColumn.decode(AppliedEffect.self, text))
    }
    return register.value(text, until: until.flatMap { row.optionalTime($0) })
  }

  private static func change(
    _ row: NamedRow<RegisterColumn>, _ time: RegisterColumn, _ author: RegisterColumn,
    _ operation: RegisterColumn
  ) throws -> RegisterChange? {
    guard let time = row.optionalTime(time), let author = row[author] as String? else {
      return nil
    }
    guard let by = Author(column: author) else { throw row.damaged() }
    return RegisterChange(at: time, by: by, operation: try row.optionalID(operation))
  }

  // MARK: - Writing

  /// Returns the arguments of ``upsert``.
  static func arguments(
    _ item: UserNotification, leaves: Timestamp?, of user: UserID
  ) throws -> [(any DatabaseValueConvertible)?] {
    var values: [(any DatabaseValueConvertible)?] = [user.rawValue, leaves?.milliseconds]
    values += try ItemColumn.allCases.map { try value($0, of: item) }
    values += try RegisterColumn.allCases.map { try value($0, of: item.state.registers) }
    // A live item has no time of deletion.
    values.append(nil)
    return values
  }

  /// Returns the arguments of ``replaceWithTombstone``.
  static func arguments(
    _ tombstone: Tombstone, of user: UserID
  ) -> [(any DatabaseValueConvertible)?] {
    let values: [ItemColumn: (any DatabaseValueConvertible)?] = [
      .sequence: tombstone.sequence.rawValue, .app: tombstone.app,
      .appNotificationId: tombstone.appNotificationID,
    ]
    return ItemColumn.allCases.filter { $0.tombstoneValue == "?" }.map { values[$0] ?? nil }
      + [tombstone.deleted.milliseconds, user.rawValue, tombstone.id.blob]
  }

  private static func value(
    _ column: ItemColumn, of item: UserNotification
  ) throws -> (any DatabaseValueConvertible)? {
    let content = item.content
    return switch column {
    case .id: item.id.blob
    case .shortNumber: item.shortNumber
    case .sequence: item.state.sequence.rawValue
    case .contentSequence: item.state.contentSequence.rawValue
    case .created: item.created.milliseconds
    case .changed: item.state.changed.milliseconds
    case .crossed: item.state.crossed?.milliseconds
    case .arrival: item.arrival.milliseconds
    case .app: content.app
    case .appNotificationId: content.appNotificationID
    case .groupName: content.group
    case .priority: content.priority.rawValue
    case .tags: content.tags.isEmpty ? nil : try JSONColumn.encode(content.tags)
    case .title: content.visual?.title
    case .subtitle: content.visual?.subtitle
    case .body: content.visual?.body
    case .raw: content.raw
    case .clickUrl: content.clickURL
    case .expiration: content.expiration?.milliseconds
    case .displayTimeToLive: content.displayTimeToLive?.milliseconds
    case .deliverAt: content.deliverAt?.milliseconds
    case .deliveryTrigger: try content.trigger.map { try JSONColumn.encode($0) }
    case .extras: content.extras.isEmpty ? nil : try JSONColumn.encode(content.extras)
    // The extras have it too. Queries read this column, which is NULL in almost all rows.
    case .environment: content.extras.environment?.rawValue
    // The register has it too.
    case .movedApp: item.state.applied.value.app
    case .meaningSequence: item.state.meaning?.rawValue
    case .resolved: item.state.resolved?.milliseconds
    case .repeats: try item.repeats.map { try JSONColumn.encode($0) }
    }
  }

  private static func value(
    _ column: RegisterColumn, of registers: ItemRegisters
  ) throws -> (any DatabaseValueConvertible)? {
    for (register, columns) in zip(ItemRegister.all, RegisterColumns.all) {
      func stored(_ value: CodedValue?) throws -> (any DatabaseValueConvertible)? {
        guard let value else { return nil }
        switch register.form {
        case .words: return register.word(value)
        case .flag: return value.code == 1
        case .document: return try value.document.map { try JSONColumn.sorted($0) }
        }
      }
      let change = register.lastChange(registers)
      if column == columns.value {
        let isLeftOut = register.form == .document && register.isInitial(registers)
        return isLeftOut ? nil : try stored(register.value(registers))
      }
      if column == columns.until { return register.value(registers).until?.milliseconds }
      if column == columns.previous { return try stored(register.previous(registers)) }
      if column == columns.previousUntil {
        return register.previous(registers)?.until?.milliseconds
      }
      if column == columns.at { return change?.at.milliseconds }
      if column == columns.by { return change?.by.column }
      if column == columns.operation { return change?.operation?.blob }
      if column == columns.choice {
        return try change?.choice.map { try JSONColumn.encode($0) }
      }
      if column == columns.occurrence { return change?.occurrence?.description }
    }
    return nil
  }
}
