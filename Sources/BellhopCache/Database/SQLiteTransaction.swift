import BellhopModel
import FoundationEssentials

/// One write transaction on the SQLite file, for the cache's rules.
///
/// Counters are summed up and written once, by ``finish()``.
final class SQLiteTransaction: CacheTransaction {
  let statement: Statements
  var state: SyncState
  private let stateAtStart: SyncState
  var counts = CountChanges()
  var noted: NotedChanges
  /// The number of entries that the change log keeps.
  let loggedChangesMax: Int64
  private var knownOutboxIsEmpty: Bool?
  /// The result of ``bulkEntries()``, until the outbox changes.
  var knownBulkEntries: [OutboxEntry]?

  init(
    _ statement: Statements, account: AccountName,
    loggedChangesMax: Int64 = LoggedChanges.entriesMax
  ) throws {
    self.statement = statement
    self.loggedChangesMax = loggedChangesMax
    guard let (found, state) = try Self.readState(statement) else {
      throw CacheError.corrupt(path: "", detail: "the state row is missing")
    }
    guard found == account else { throw CacheError.otherAccount(path: "", found: found) }
    self.state = state
    stateAtStart = state
    noted = NotedChanges(after: state.changeNumber)
  }

  /// Writes everything that was only collected until now. Call it last.
  func finish() throws {
    try logChanges(after: stateAtStart)
    if state != stateAtStart { try Self.write(state, statement) }
    try counts.write(statement)
  }

  // MARK: State

  static func readState(
    _ statement: Statements
  ) throws -> (account: AccountName, state: SyncState)? {
    try statement(
      """
      SELECT \(SyncColumn.list) FROM sync WHERE only = 1
      """
    ).first { row in
      let row = NamedRow<SyncColumn>(row)
      let firstSync = FirstSync(
        isInitial: row.bool(.isInitial), start: row.textOrNil(.startToken).map { DeltaToken($0) },
        startSequence: row.sequence(.startSequence),
        nextPage: row.textOrNil(.nextPage).map { PageCursor($0) },
        pagesAreIn: row.bool(.pagesAreIn))
      var state = SyncState(
        generation: row.integer(.generation), epoch: row.textOrNil(.epoch).map { Epoch($0) },
        token: row.textOrNil(.token).map { DeltaToken($0) }, sequence: row.sequence(.sequence),
        firstSync: row.bool(.isFirstSync) ? firstSync : nil, lineage: Lineage(row.text(.lineage)),
        nextNumber: row.integer(.nextNumber),
        author: try row.textOrNil(.author).map { try statement.author($0) },
        clockOffset: .milliseconds(row.integer(.clockOffset)))
      state.sweepBelow = row.integerOrNil(.sweepBelow).map(ArrivalKey.init(rawValue:))
      state.lookedAt = row.timeOrNil(.lookedAt)
      state.zoneMark = row.textOrNil(.zoneMark)
      state.form = row.integer(.form)
      state.changeLog = row.text(.changeLog)
      state.changeNumber = row.integer(.changeNumber)
      state.appliedThrough = row.sequence(.appliedThrough)
      state.overlayBelow = row.integerOrNil(.overlayBelow).map(ArrivalKey.init(rawValue:))
      return (AccountName(row.text(.account)), state)
    }
  }

  static func insert(
    _ state: SyncState, account: AccountName, _ statement: Statements
  ) throws {
    try statement(
      """
      INSERT INTO sync (only, account, generation, sequence, is_first_sync, is_initial,
        start_sequence, pages_are_in, lineage, next_number, clock_offset)
      VALUES (1, ?, ?, 0, 1, 1, 0, 0, ?, 1, 0)
      """
    ).bind(account.rawValue).bind(state.generation).bind(state.lineage.rawValue).run()
    try write(state, statement)
  }

  private static func write(_ state: SyncState, _ statement: Statements) throws {
    let columns = SyncColumn.allCases.filter { $0 != .account }
    let update = try statement(
      "UPDATE sync SET " + columns.map { "\($0.name) = ?" }.joined(separator: ", "))
    let firstSync = state.firstSync ?? FirstSync(isInitial: false)
    for column in columns {
      switch column {
      case .account: break
      case .generation: update.bind(state.generation)
      case .epoch: update.bind(state.epoch?.rawValue)
      case .token: update.bind(state.token?.rawValue)
      case .sequence: update.bind(state.sequence)
      case .isFirstSync: update.bind(state.firstSync != nil)
      case .isInitial: update.bind(firstSync.isInitial)
      case .startToken: update.bind(firstSync.start?.rawValue)
      case .startSequence: update.bind(firstSync.startSequence)
      case .nextPage: update.bind(firstSync.nextPage?.rawValue)
      case .pagesAreIn: update.bind(firstSync.pagesAreIn)
      case .lineage: update.bind(state.lineage.rawValue)
      case .nextNumber: update.bind(state.nextNumber)
      case .author: update.bind(try state.author.map { try JSON.encode($0) })
      case .clockOffset: update.bind(state.clockOffset.milliseconds)
      case .sweepBelow: update.bind(state.sweepBelow?.rawValue)
      case .lookedAt: update.bind(state.lookedAt)
      case .zoneMark: update.bind(state.zoneMark)
      case .form: update.bind(state.form)
      case .changeLog: update.bind(state.changeLog)
      case .changeNumber: update.bind(state.changeNumber)
      case .appliedThrough: update.bind(state.appliedThrough)
      case .overlayBelow: update.bind(state.overlayBelow?.rawValue)
      }
    }
    try update.run()
  }

  // MARK: Tombstones

  func hasTombstone(_ id: NotificationID) throws -> Bool {
    try statement("SELECT 1 FROM tombstone WHERE id = ?").bind(id).first { _ in true } ?? false
  }

  func addTombstone(_ id: NotificationID) throws {
    try statement("INSERT OR IGNORE INTO tombstone (id) VALUES (?)").bind(id).run()
  }

  func removeTombstones() throws { try statement("DELETE FROM tombstone").run() }

  // MARK: Settings of apps

  func appSettings(of app: String) throws -> (settings: AppSettings, generation: Int64)? {
    try statement("SELECT settings, generation FROM app_settings WHERE app = ?").bind(app)
      .first { (try JSON.decode($0.text(0)), $0.integer(1)) }
  }

  func put(_ settings: AppSettings, generation: Int64) throws {
    try statement(
      "INSERT OR REPLACE INTO app_settings (app, settings, generation) VALUES (?, ?, ?)"
    ).bind(settings.app).bind(try JSON.encode(settings)).bind(generation).run()
  }

  func removeAppSettings(olderThan generation: Int64) throws {
    try statement("DELETE FROM app_settings WHERE generation < ?").bind(generation).run()
  }

  // MARK: Cached outbox state

  func isOutboxEmpty() throws -> Bool {
    if let knownOutboxIsEmpty { return knownOutboxIsEmpty }
    let isEmpty =
      try statement("SELECT 1 FROM outbox LIMIT 1").first { _ in false } ?? true
    knownOutboxIsEmpty = isEmpty
    return isEmpty
  }

  func outboxChanged() {
    knownOutboxIsEmpty = nil
    knownBulkEntries = nil
  }
}

/// The encoding of values as JSON text in a column.
enum JSON {
  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decode<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}

/// The columns of the single row of `sync`.
private enum SyncColumn: Int, TableColumn {
  case account, generation, epoch, token, sequence, isFirstSync, isInitial, startToken
  case startSequence, nextPage, pagesAreIn, lineage, nextNumber, author, clockOffset, sweepBelow
  case lookedAt, zoneMark, form, changeLog, changeNumber, appliedThrough, overlayBelow
}
