import BellhopModel
import BellhopSearch
import GRDB

/// The columns of an item's row, in the order in which statements write and select them.
///
/// Each case is spelled like its column: `kept` holds the register `ItemRegisters.pinned`.
enum ItemColumn: Int, TableColumn {
  case arrivalKey
  case generation, announced, announcedOccurrence, announcedStep, ringStep
  case sequence, contentSequence, changed
  case crossed
  case meaningSequence, resolved, repeats, repeatCount
  case baseRead, baseAction, baseSnoozedUntil, baseKept, baseCancelled, baseApplied, baseProvenance
  case read, action, snoozedUntil, kept, cancelled, applied, provenance
  case pending, pendingDelete, placement, placementUntil, due, trayFrom, trayUntil
  case occurrence, occurred, nextOccurrence
  case ownDeliverAt, ownTrigger, ownArrival, ownOperation
  // A rule's effect can change with the state. The published fields are NULL if they are these.
  case app, groupName, priority, tags, published
  case changeNumber
  case id, shortNumber, created, arrival, appNotificationId
  case expiration, displayTime, deliverAt, deliveryTrigger, clickUrl, title, subtitle, body, raw,
    extras

  fileprivate static let all = Array(allCases)
  /// The columns that a state change writes.
  fileprivate static let state = all[generation.rawValue...changeNumber.rawValue]

  /// The columns of the registers as last sent by the store, in the order of `ItemRegister.all`.
  fileprivate static let base: [RegisterColumns<ItemColumn>] = [
    RegisterColumns(value: .baseRead),
    RegisterColumns(value: .baseAction, until: .baseSnoozedUntil),
    RegisterColumns(value: .baseKept),
    RegisterColumns(value: .baseCancelled),
    RegisterColumns(value: .baseApplied),
  ]
  /// The columns of the registers as shown, in the order of `ItemRegister.all`.
  fileprivate static let shown: [RegisterColumns<ItemColumn>] = [
    RegisterColumns(value: .read),
    RegisterColumns(value: .action, until: .snoozedUntil),
    RegisterColumns(value: .kept),
    RegisterColumns(value: .cancelled),
    RegisterColumns(value: .applied),
  ]
}

/// The columns that hold the value of a register.
struct RegisterColumns<Column: TableColumn> {
  /// The column of the value's code, or of a document.
  var value: Column
  /// The column of the time at which the value ends; nil if no value of the register ends.
  var until: Column?
}

/// Statements that write or read whole items, with the values of their columns.
enum ItemColumns {
  static let all = ItemColumn.list

  static let insert: String = {
    let places = ItemColumn.all.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO item (\(all)) VALUES (\(places))"
  }()

  /// The SQL update of all columns except the key, which is the last parameter.
  static let update = update(ItemColumn.all.dropFirst())

  /// The SQL update of the state columns, with the key as the last parameter.
  static let updateState = update(ItemColumn.state)

  private static func update(_ columns: ArraySlice<ItemColumn>) -> String {
    let values = columns.map { "\($0.name) = ?" }.joined(separator: ", ")
    return "UPDATE item SET \(values) WHERE arrival_key = ?"
  }

  // MARK: Writing

  /// Binds the values of ``insert``.
  ///
  /// - Parameter change: The record's number in the change log.
  static func bindInsert(
    _ record: ItemRecord, change: Int64, to statement: SQLStatement
  ) throws {
    try bind(ItemColumn.all[...], of: record, change: change, to: statement)
  }

  /// Binds the values of ``update``.
  static func bindUpdate(
    _ record: ItemRecord, change: Int64, to statement: SQLStatement
  ) throws {
    try bind(ItemColumn.all.dropFirst(), of: record, change: change, to: statement)
    statement.bind(record.key)
  }

  /// Binds the values of ``updateState``.
  static func bindState(_ record: ItemRecord, change: Int64, to statement: SQLStatement) throws {
    try bind(ItemColumn.state, of: record, change: change, to: statement)
    statement.bind(record.key)
  }

  private static func bind(
    _ columns: ArraySlice<ItemColumn>, of record: ItemRecord, change: Int64,
    to statement: SQLStatement
  ) throws {
    let item = record.base
    let (base, shown, content) = (item.state, record.shownState, item.content)
    let fields = record.effective
    for column in columns {
      switch column {
      case .arrivalKey: statement.bind(record.key)
      case .generation: statement.bind(record.generation)
      case .announced: statement.bind(record.announced)
      case .announcedOccurrence: statement.bind(record.announcedOccurrence?.description)
      case .announcedStep: statement.bind(record.announcedStep)
      case .ringStep: statement.bind(record.ringStep)
      case .sequence: statement.bind(base.sequence)
      case .contentSequence: statement.bind(base.contentSequence)
      case .changed: statement.bind(base.changed)
      case .crossed: statement.bind(base.crossed)
      case .meaningSequence, .resolved, .repeats, .repeatCount:
        try bindRepeats(of: item, as: column, to: statement)
      case .baseRead, .baseAction, .baseSnoozedUntil, .baseKept, .baseCancelled, .baseApplied:
        try bind(base.registers, as: column, of: ItemColumn.base, to: statement)
      case .baseProvenance: statement.bind(try ProvenanceCoding.encode(base.registers))
      case .read, .action, .snoozedUntil, .kept, .cancelled, .applied:
        try bind(shown.registers, as: column, of: ItemColumn.shown, to: statement)
      case .provenance:
        statement.bind(
          try record.shown.map {
            try ProvenanceCoding.encode($0.registers) ?? ProvenanceCoding.untouched
          })
      case .pending: statement.bind(record.pendingCount)
      case .pendingDelete: statement.bind(record.isPendingDelete)
      case .placement: statement.bind(record.placement.rawValue)
      case .placementUntil: statement.bind(record.placementUntil)
      case .due: statement.bind(record.due)
      case .trayFrom: statement.bind(record.trayFrom)
      case .trayUntil: statement.bind(record.trayUntil)
      case .occurrence: statement.bind(record.occurrence?.label.description)
      case .occurred: statement.bind(record.occurrence?.time)
      case .nextOccurrence: statement.bind(record.nextOccurrence)
      case .ownDeliverAt: statement.bind(record.own?.schedule?.time)
      case .ownTrigger:
        statement.bind(try record.own?.schedule?.trigger.map { try JSON.encode($0) })
      case .ownArrival: statement.bind(record.own?.arrival)
      case .ownOperation: statement.bind(record.own?.operation.bytes)
      case .app: statement.bind(fields.app)
      case .groupName: statement.bind(fields.group)
      case .priority: statement.bind(fields.priority.rawValue)
      case .tags: statement.bind(TagText.encode(fields.tags))
      case .published:
        statement.bind(try record.published(besides: fields).map { try JSON.encode($0) })
      case .changeNumber: statement.bind(change)
      case .id: statement.bind(item.id)
      case .shortNumber: statement.bind(item.shortNumber)
      case .created: statement.bind(item.created)
      case .arrival: statement.bind(item.arrival)
      case .appNotificationId: statement.bind(content.appNotificationID)
      case .expiration: statement.bind(content.expiration)
      case .displayTime: statement.bind(content.displayTimeToLive?.milliseconds)
      case .deliverAt: statement.bind(content.deliverAt)
      case .deliveryTrigger: statement.bind(try content.trigger.map { try JSON.encode($0) })
      case .clickUrl, .title, .subtitle, .body, .raw:
        bindText(of: content, as: column, to: statement)
      case .extras:
        statement.bind(content.extras.isEmpty ? nil : try JSON.encode(content.extras))
      }
    }
  }

  /// Binds the value of a column for a text as it was published.
  private static func bindText(
    of content: Content, as column: ItemColumn, to statement: SQLStatement
  ) {
    if column == .clickUrl { statement.bind(content.clickURL) }
    if column == .title { statement.bind(content.visual?.title) }
    if column == .subtitle { statement.bind(content.visual?.subtitle) }
    if column == .body { statement.bind(content.visual?.body) }
    if column == .raw { statement.bind(content.raw) }
  }

  /// Binds the value of a column for repeats and resolutions.
  private static func bindRepeats(
    of item: UserNotification, as column: ItemColumn, to statement: SQLStatement
  ) throws {
    if column == .meaningSequence { statement.bind(item.state.meaning) }
    if column == .resolved { statement.bind(item.state.resolved) }
    if column == .repeats { statement.bind(try item.repeats.map { try JSON.encode($0) }) }
    if column == .repeatCount { statement.bind(item.repeats?.count ?? 0) }
  }

  /// Binds the value of a column of a register.
  private static func bind(
    _ registers: ItemRegisters, as column: ItemColumn, of all: [RegisterColumns<ItemColumn>],
    to statement: SQLStatement
  ) throws {
    for (register, columns) in zip(ItemRegister.all, all) {
      if columns.value == column {
        let value = register.value(registers)
        switch register.form {
        case .words, .flag: statement.bind(Int(value.code))
        case .document: statement.bind(try value.documentText)
        }
      }
      if columns.until == column { statement.bind(register.value(registers).until) }
    }
  }

  // MARK: Reading

  /// Reads a record from a row of ``all``.
  static func record(_ row: SQLStatement) throws -> ItemRecord {
    let row = NamedRow<ItemColumn>(row)
    var base = ItemState(
      sequence: row.sequence(.sequence), contentSequence: row.sequence(.contentSequence),
      meaning: row.integerOrNil(.meaningSequence).map { SequenceNumber($0) },
      changed: row.time(.changed), crossed: row.timeOrNil(.crossed),
      resolved: row.timeOrNil(.resolved), registers: row.registers(ItemColumn.base))
    if let bytes = row.bytes(.baseProvenance) {
      ProvenanceCoding.decode(bytes, into: &base.registers)
    }
    var shown: ItemState?
    if let bytes = row.bytes(.provenance) {
      var state = base
      state.registers = row.registers(ItemColumn.shown)
      // The device's own crossing, before the store has answered.
      if case .crossing(let time)? = occurrence(row)?.label { state.crossed = time }
      ProvenanceCoding.decode(bytes, into: &state.registers)
      shown = state
    }
    let item = UserNotification(
      id: try row.id(.id), shortNumber: row.integer(.shortNumber), created: row.time(.created),
      arrival: row.time(.arrival), content: try content(row), state: base,
      repeats: try row.textOrNil(.repeats).map { try JSON.decode($0) })
    return ItemRecord(
      key: ArrivalKey(rawValue: row.integer(.arrivalKey)), base: item,
      generation: row.integer(.generation), announced: row.sequence(.announced),
      announcedOccurrence: row.textOrNil(.announcedOccurrence).flatMap { Occurrence.Label($0) },
      announcedStep: row.count(.announcedStep), ringStep: row.count(.ringStep),
      own: try ownContent(row),
      shown: shown, occurrence: occurrence(row), nextOccurrence: row.timeOrNil(.nextOccurrence),
      pendingCount: row.count(.pending), isPendingDelete: row.bool(.pendingDelete),
      placement: Placement(rawValue: row.count(.placement)) ?? .gone,
      placementUntil: row.timeOrNil(.placementUntil), trayFrom: row.timeOrNil(.trayFrom),
      trayUntil: row.timeOrNil(.trayUntil), change: row.integer(.changeNumber))
  }

  private static func ownContent(_ row: NamedRow<ItemColumn>) throws -> OwnContent? {
    guard let operation: OperationID = try row.idOrNil(.ownOperation) else { return nil }
    let trigger: Trigger? = try row.textOrNil(.ownTrigger).map { try JSON.decode($0) }
    return OwnContent(
      schedule: trigger.map(Schedule.trigger)
        ?? row.timeOrNil(.ownDeliverAt).map { Schedule.once(at: $0) },
      arrival: row.time(.ownArrival), operation: operation)
  }

  private static func occurrence(_ row: NamedRow<ItemColumn>) -> Occurrence? {
    guard let time = row.timeOrNil(.occurred),
      let label = row.textOrNil(.occurrence).flatMap({ Occurrence.Label($0) })
    else { return nil }
    return Occurrence(label, at: time)
  }

  private static func content(_ row: NamedRow<ItemColumn>) throws -> Content {
    let published = try EffectiveFields(publishedIn: row)
    return Content(
      app: published.app, appNotificationID: row.textOrNil(.appNotificationId),
      group: published.group, priority: published.priority, tags: published.tags,
      visual: row.textOrNil(.title).map {
        VisualContent(title: $0, subtitle: row.textOrNil(.subtitle), body: row.textOrNil(.body))
      },
      raw: row.textOrNil(.raw), clickURL: row.textOrNil(.clickUrl),
      expiration: row.timeOrNil(.expiration),
      displayTimeToLive: row.integerOrNil(.displayTime).map { .milliseconds($0) },
      deliverAt: row.timeOrNil(.deliverAt),
      trigger: try row.textOrNil(.deliveryTrigger).map { try JSON.decode($0) },
      extras: try row.textOrNil(.extras).map { try JSON.decode($0) } ?? ContentExtras())
  }
}

extension NamedRow {
  /// Returns the values of all registers. An unknown value counts as the value at publication.
  func registers(_ all: [RegisterColumns<Column>]) -> ItemRegisters {
    var registers = ItemRegisters()
    for (register, columns) in zip(ItemRegister.all, all) {
      switch register.form {
      case .words, .flag:
        let value = CodedValue(
          code: UInt8(truncatingIfNeeded: integer(columns.value)), until: columns.until.map(time))
        _ = register.load(value, nil, nil, &registers)
      case .document:
        guard let text = textOrNil(columns.value), let value = CodedValue(documentText: text)
        else { continue }
        _ = register.load(value, nil, nil, &registers)
      }
    }
    return registers
  }
}

extension CodedValue {
  /// The document as JSON; nil for that of publication.
  fileprivate var documentText: String? {
    get throws {
      guard code > 0, let document else { return nil }
      return try JSON.encode(document)
    }
  }

  /// Decodes a document from JSON; nil for an unreadable one.
  init?(documentText text: String) {
    let document: AppliedEffect? = try? JSON.decode(text)
    guard let document else { return nil }
    self.init(document: document)
  }
}

extension Schedule {
  var time: Timestamp? { if case .once(let time) = self { time } else { nil } }

  fileprivate var trigger: Trigger? {
    if case .trigger(let trigger) = self { trigger } else { nil }
  }
}
