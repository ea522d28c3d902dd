#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// The columns of the table `item`, which change only by a publication or a deletion.
///
/// Each case is spelled like its column.
enum ContentColumn: Int, TableColumn {
  case id, shortNumber, created, arrival, deleted
  case app, appNotificationId, groupName, priority, tags, title, subtitle, body, raw, clickUrl
  case expiration, displayTimeToLive, deliverAt, deliveryTrigger, extras
  case environment
  case repeats

  /// The names of all columns; making one costs more than reading the column.
  private static let names = allCases.map(\.name)
  var text: String { Self.names[rawValue] }

  /// Whether the value stays when the item becomes a tombstone; otherwise it is NULL or new.
  fileprivate var outlivesItem: Bool {
    switch self {
    case .id, .shortNumber, .created, .arrival, .app, .appNotificationId, .priority: true
    case .deleted, .groupName, .tags, .title, .subtitle, .body, .raw, .clickUrl, .expiration,
      .displayTimeToLive, .deliverAt, .deliveryTrigger, .extras, .environment, .repeats:
      false
    }
  }
}

/// The columns of the table `item_state`, without the key, `leaves` and those of the registers.
///
/// Each case is spelled like its column.
enum StateColumn: Int, TableColumn {
  case sequence, contentSequence, changed, crossed
  case movedApp
  case meaningSequence, resolved

  private static let names = allCases.map(\.name)
  var text: String { Self.names[rawValue] }

  /// Whether the value stays when the item becomes a tombstone; otherwise it is NULL or new.
  fileprivate var outlivesItem: Bool {
    switch self {
    case .contentSequence, .changed: true
    case .sequence, .crossed, .movedApp, .meaningSequence, .resolved: false
    }
  }
}

extension RegisterColumn {
  private static let names = allCases.map(\.name)
  var text: String { Self.names[rawValue] }
}

/// The mapping between an item and its rows in the tables `item` and `item_state`.
enum PostgresItemRow {
  /// The columns of the table `item_state`, without the key and `leaves`.
  static let stateColumns: [String] =
    StateColumn.allCases.map(\.text) + RegisterColumn.allCases.map(\.text)

  /// All columns of a row that is read, from ``tables``.
  static let columns =
    (ContentColumn.allCases.map { "i.\($0.text)" } + stateColumns.map { "s.\($0)" })
    .joined(separator: ", ")

  /// Both tables, for at most one row.
  ///
  /// For more rows, a plan that was made for all values of a statement may join the whole tables. So other
  /// statements select rows of one table, and find the other part of each by its key.
  static let tables = "item i JOIN item_state s ON s.user_id = i.user_id AND s.id = i.id"

  /// The state of each item of `i`, found by its key.
  static let withState = """
    CROSS JOIN LATERAL (
      SELECT * FROM item_state WHERE user_id = i.user_id AND id = i.id LIMIT 1) s
    """

  /// The content of each state of `s`, found by its key.
  static let withContent = """
    CROSS JOIN LATERAL (SELECT * FROM item WHERE user_id = s.user_id AND id = s.id LIMIT 1) i
    """

  /// Returns both tables for items that are found by their keys, one by one.
  ///
  /// With `id = ANY` instead, a plan may read all items of the user.
  ///
  /// - Parameters:
  ///   - ids: The placeholder of the ids.
  ///   - user: The placeholder of the user.
  static func tables(byIDs ids: String, of user: String) -> String {
    """
    unnest(\(ids)) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM item WHERE id = wanted.id AND user_id = \(user) LIMIT 1) i
    \(withState)
    """
  }

  /// Writes the content of an item that may be new. The key under which repeats find it stays.
  static let putContent: String = {
    let columns = ContentColumn.allCases.map(\.text)
    let updates = (columns + ["words", "has_cut_words"]).filter { $0 != ContentColumn.id.text }
      .map { "\($0) = excluded.\($0)" }
    let places = (1...columns.count + 1).map { "$\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO item (user_id, \(columns.joined(separator: ", ")), words, has_cut_words)
      VALUES (\(places), $\(columns.count + 2)::tsvector, $\(columns.count + 3))
      ON CONFLICT (user_id, id) DO UPDATE SET \(updates.joined(separator: ", "))
      """
  }()

  /// Writes the state of an item that may be new.
  static let putState: String = {
    let columns = ["leaves"] + stateColumns
    let places = (1...columns.count + 2).map { "$\($0)" }.joined(separator: ", ")
    let updates = columns.map { "\($0) = excluded.\($0)" }
    return """
      INSERT INTO item_state (user_id, id, \(columns.joined(separator: ", "))) VALUES (\(places))
      ON CONFLICT (user_id, id) DO UPDATE SET \(updates.joined(separator: ", "))
      """
  }()

  /// Writes the state of an item that exists, with the values of ``putState``.
  static let updateState: String = {
    let columns = ["leaves"] + stateColumns
    let updates = columns.enumerated().map { "\($1) = $\($0 + 3)" }
    return """
      UPDATE item_state SET \(updates.joined(separator: ", ")) WHERE user_id = $1 AND id = $2
      """
  }()

  /// Removes what a publisher wrote, except the item's names.
  static let buryContent: String = {
    let removed = ContentColumn.allCases.filter { !$0.outlivesItem && $0 != .deleted }
    return """
      UPDATE item SET deleted = $3, app = $4, app_notification_id = $5,
        priority = \(Priority.normal.rawValue), words = NULL, has_cut_words = false,
        collapse_key = NULL, \(removed.map { "\($0.text) = NULL" }.joined(separator: ", "))
      WHERE user_id = $1 AND id = $2
      """
  }()

  /// Removes what devices wrote.
  static let buryState: String = {
    let removed =
      StateColumn.allCases.filter { !$0.outlivesItem && $0 != .sequence }.map(\.text)
      + RegisterColumn.allCases.filter { !$0.outlivesItem }.map(\.text)
    return """
      UPDATE item_state SET sequence = $3, leaves = NULL,
        \(removed.map { "\($0) = NULL" }.joined(separator: ", "))
      WHERE user_id = $1 AND id = $2
      """
  }()

  // MARK: - Reading

  static func row(_ row: PostgresRow) throws -> StoredRow {
    guard let deleted = try row.timeIfAny(ContentColumn.deleted.text) else {
      return .live(try item(row))
    }
    return .tombstone(
      Tombstone(
        id: try row.id(ContentColumn.id.text),
        shortNumber: try row.value(ContentColumn.shortNumber.text),
        app: try row.text(ContentColumn.app.text),
        appNotificationID: try row.textIfAny(ContentColumn.appNotificationId.text),
        sequence: try row.sequence(StateColumn.sequence.text), deleted: deleted))
  }

  static func item(_ row: PostgresRow) throws -> UserNotification {
    let state = ItemState(
      sequence: try row.sequence(StateColumn.sequence.text),
      contentSequence: try row.sequence(StateColumn.contentSequence.text),
      meaning: try row.sequenceIfAny(StateColumn.meaningSequence.text),
      changed: try row.time(StateColumn.changed.text),
      crossed: try row.timeIfAny(StateColumn.crossed.text),
      resolved: try row.timeIfAny(StateColumn.resolved.text), registers: try registers(row))
    guard state.isConsistent else { throw row.damaged() }
    return UserNotification(
      id: try row.id(ContentColumn.id.text),
      shortNumber: try row.value(ContentColumn.shortNumber.text),
      created: try row.time(ContentColumn.created.text),
      arrival: try row.time(ContentColumn.arrival.text), content: try content(row), state: state,
      repeats: try row.jsonIfAny(ContentColumn.repeats.text, as: Repeats.self))
  }

  private static func content(_ row: PostgresRow) throws -> Content {
    let priority: Int = try row.value(ContentColumn.priority.text)
    let timeToLive: Int64? = try row.optional(ContentColumn.displayTimeToLive.text)
    var content = Content(
      app: try row.text(ContentColumn.app.text),
      appNotificationID: try row.textIfAny(ContentColumn.appNotificationId.text),
      group: try row.textIfAny(ContentColumn.groupName.text),
      priority: Priority(rawValue: priority) ?? .normal,
      raw: try row.textIfAny(ContentColumn.raw.text),
      clickURL: try row.textIfAny(ContentColumn.clickUrl.text),
      expiration: try row.timeIfAny(ContentColumn.expiration.text),
      displayTimeToLive: timeToLive.map { .milliseconds($0) },
      deliverAt: try row.timeIfAny(ContentColumn.deliverAt.text))
    content.tags = try row.jsonIfAny(ContentColumn.tags.text, as: [String].self) ?? []
    if let title = try row.textIfAny(ContentColumn.title.text) {
      content.visual = VisualContent(
        title: title, subtitle: try row.textIfAny(ContentColumn.subtitle.text),
        body: try row.textIfAny(ContentColumn.body.text))
    }
    content.trigger = try row.jsonIfAny(ContentColumn.deliveryTrigger.text, as: Trigger.self)
    if let extras = try row.jsonIfAny(ContentColumn.extras.text, as: ContentExtras.self) {
      content.extras = extras
    }
    return content
  }

  private static func registers(_ row: PostgresRow) throws -> ItemRegisters {
    var registers = ItemRegisters()
    for (register, columns) in zip(ItemRegister.all, RegisterColumns.all) {
      // NULL in a row that an earlier version wrote, and in one from its backup.
      if register.isOptional, try row.isNull(columns.value.text) { continue }
      var change = try change(row, columns)
      if let column = columns.choice {
        change?.choice = try row.jsonIfAny(column.text, as: ActionChoice.self)
      }
      if let column = columns.occurrence, let text = try row.textIfAny(column.text) {
        guard let label = Occurrence.Label(text) else { throw row.damaged() }
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
    of register: ItemRegister, _ row: PostgresRow, _ column: RegisterColumn,
    _ until: RegisterColumn?
  ) throws -> CodedValue? {
    switch register.form {
    case .words:
      guard let word = try row.textIfAny(column.text) else { return nil }
      return register.value(word, until: try until.flatMap { try row.timeIfAny($0.text) })
    case .flag:
      let flag: Bool? = try row.optional(column.text)
      return flag.map { CodedValue(code: $0 ? 1 : 0) }
    case .document:
      return try row.jsonIfAny(column.text, as: AppliedEffect.self).map { CodedValue(document: $0) }
    }
  }

  private static func change(
    _ row: PostgresRow, _ columns: RegisterColumns
  ) throws -> RegisterChange? {
    guard let time = try row.timeIfAny(columns.at.text),
      let author = try row.textIfAny(columns.by.text)
    else { return nil }
    guard let by = Author(column: author) else { throw row.damaged() }
    return RegisterChange(
      at: time, by: by, operation: try row.idIfAny(columns.operation.text))
  }

  // MARK: - Writing

  /// Returns the values of ``putContent``.
  static func contentValues(_ item: UserNotification, of user: UserID) throws -> [PostgresValue] {
    let vector = SearchVector(item.content)
    return [.user(user)] + (try ContentColumn.allCases.map { try value($0, of: item) })
      + [.text(vector.text), .bool(vector.isCut)]
  }

  /// Returns the values of ``putState`` and ``updateState``.
  static func stateValues(
    _ item: UserNotification, leaves: Timestamp?, of user: UserID
  ) throws -> [PostgresValue] {
    var values: [PostgresValue] = [.user(user), .id(item.id), .time(leaves)]
    values += StateColumn.allCases.map { value($0, of: item.state) }
    values += try RegisterColumn.allCases.map { try value($0, of: item.state.registers) }
    return values
  }

  private static func value(
    _ column: ContentColumn, of item: UserNotification
  ) throws -> PostgresValue {
    let content = item.content
    return switch column {
    case .id: .id(item.id)
    case .shortNumber: .integer(item.shortNumber)
    case .created: .time(item.created)
    case .arrival: .time(item.arrival)
    case .deleted: .integer(nil)
    case .app: .text(content.app)
    case .appNotificationId: .text(content.appNotificationID)
    case .groupName: .text(content.group)
    case .priority: .integer(Int64(content.priority.rawValue))
    case .tags: try .json(content.tags.isEmpty ? nil : content.tags)
    case .title: .text(content.visual?.title)
    case .subtitle: .text(content.visual?.subtitle)
    case .body: .text(content.visual?.body)
    case .raw: .text(content.raw)
    case .clickUrl: .text(content.clickURL)
    case .expiration: .time(content.expiration)
    case .displayTimeToLive: .integer(content.displayTimeToLive?.milliseconds)
    case .deliverAt: .time(content.deliverAt)
    case .deliveryTrigger: try .json(content.trigger)
    case .extras: try .json(content.extras.isEmpty ? nil : content.extras)
    // The extras have it too. Queries read this column, which is NULL in almost all rows.
    case .environment: .text(content.extras.environment?.rawValue)
    case .repeats: try .json(item.repeats)
    }
  }

  private static func value(_ column: StateColumn, of state: ItemState) -> PostgresValue {
    switch column {
    case .sequence: .sequence(state.sequence)
    case .contentSequence: .sequence(state.contentSequence)
    case .changed: .time(state.changed)
    case .crossed: .time(state.crossed)
    // The register has it too.
    case .movedApp: .text(state.applied.value.app)
    case .meaningSequence: .sequence(state.meaning)
    case .resolved: .time(state.resolved)
    }
  }

  private static func value(
    _ column: RegisterColumn, of registers: ItemRegisters
  ) throws -> PostgresValue {
    for (register, columns) in zip(ItemRegister.all, RegisterColumns.all) {
      if let value = try value(column, columns, of: register, in: registers) { return value }
    }
    preconditionFailure("the column belongs to no register")
  }

  /// Returns the value of a register's column; nil for the column of another register.
  private static func value(
    _ column: RegisterColumn, _ columns: RegisterColumns, of register: ItemRegister,
    in registers: ItemRegisters
  ) throws -> PostgresValue? {
    func stored(_ value: CodedValue?) throws -> PostgresValue {
      switch register.form {
      case .words: .text(value.map(register.word))
      case .flag: .bool(value.map { $0.code == 1 })
      case .document: try .sortedJSON(value?.document)
      }
    }
    let change = register.lastChange(registers)
    if column == columns.value {
      let isLeftOut = register.form == .document && register.isInitial(registers)
      return isLeftOut ? .text(nil) : try stored(register.value(registers))
    }
    if column == columns.until { return .time(register.value(registers).until) }
    if column == columns.previous { return try stored(register.previous(registers)) }
    if column == columns.previousUntil { return .time(register.previous(registers)?.until) }
    if column == columns.at { return .time(change?.at) }
    if column == columns.by { return .text(change?.by.column) }
    if column == columns.operation { return .id(change?.operation) }
    if column == columns.choice { return try .json(change?.choice) }
    if column == columns.occurrence { return .text(change?.occurrence?.description) }
    return nil
  }
}
#endif
