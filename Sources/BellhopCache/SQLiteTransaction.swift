import BellhopModel
import FoundationEssentials

/// The rules' view of the SQLite file, inside one write transaction.
///
/// Counters are summed up and written once, by ``finish()``.
final class SQLiteTransaction: CacheTransaction {
  let statement: Statements
  var state: SyncState
  private let stateAtStart: SyncState
  var counts = CountChanges()
  var noted: NotedChanges
  /// How many entries of the log of changes are kept.
  let loggedChangesMax: Int64
  private var knownOutboxIsEmpty: Bool?
  /// What ``bulkEntries()`` found, until the outbox changes.
  var knownBulkEntries: [OutboxEntry]?

  init(
    _ statement: Statements, account: AccountName,
    loggedChangesMax: Int64 = LoggedChanges.entriesMax
  ) throws {
    self.statement = statement
    self.loggedChangesMax = loggedChangesMax
    guard let (found, state) = try Self.readState(statement) else {
      throw CacheError.corrupt(path: "", detail: "the row of its state is missing")
    }
    guard found == account else { throw CacheError.otherAccount(path: "", found: found) }
    self.state = state
    stateAtStart = state
    noted = NotedChanges(after: state.changeNumber)
  }

  /// Writes what was only noted until now. To be called last.
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
      SELECT account, generation, epoch, token, sequence, is_first_sync, is_initial, start_token,
        start_sequence, next_page, pages_are_in, lineage, next_number, author, clock_offset,
        sweep_below, looked_at, change_log, change_number, applied_through, overlay_below
      FROM sync WHERE only = 1
      """
    ).first { row in
      let firstSync = FirstSync(
        isInitial: row.bool(6), start: row.textOrNil(7).map { DeltaToken($0) },
        startSequence: row.sequence(8), nextPage: row.textOrNil(9).map { PageCursor($0) },
        pagesAreIn: row.bool(10))
      var state = SyncState(
        generation: row.integer(1), epoch: row.textOrNil(2).map { Epoch($0) },
        token: row.textOrNil(3).map { DeltaToken($0) }, sequence: row.sequence(4),
        firstSync: row.bool(5) ? firstSync : nil, lineage: Lineage(row.text(11)),
        nextNumber: row.integer(12), author: try row.textOrNil(13).map { try statement.author($0) },
        clockOffset: .milliseconds(row.integer(14)))
      state.sweepBelow = row.integerOrNil(15).map(ArrivalKey.init(rawValue:))
      state.lookedAt = row.integerOrNil(16).map(Timestamp.init(milliseconds:))
      state.changeLog = row.text(17)
      state.changeNumber = row.integer(18)
      state.appliedThrough = row.sequence(19)
      state.overlayBelow = row.integerOrNil(20).map(ArrivalKey.init(rawValue:))
      return (AccountName(row.text(0)), state)
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
    let update = try statement(
      """
      UPDATE sync SET generation = ?, epoch = ?, token = ?, sequence = ?, is_first_sync = ?,
        is_initial = ?, start_token = ?, start_sequence = ?, next_page = ?, pages_are_in = ?,
        lineage = ?, next_number = ?, author = ?, clock_offset = ?, sweep_below = ?,
        looked_at = ?, change_log = ?, change_number = ?, applied_through = ?, overlay_below = ?
      """)
    let firstSync = state.firstSync ?? FirstSync(isInitial: false)
    update.bind(state.generation).bind(state.epoch?.rawValue).bind(state.token?.rawValue)
      .bind(state.sequence).bind(state.firstSync != nil).bind(firstSync.isInitial)
      .bind(firstSync.start?.rawValue).bind(firstSync.startSequence)
      .bind(firstSync.nextPage?.rawValue).bind(firstSync.pagesAreIn)
      .bind(state.lineage.rawValue).bind(state.nextNumber)
      .bind(try state.author.map { try JSON.encode($0) })
      .bind(state.clockOffset.milliseconds).bind(state.sweepBelow?.rawValue)
      .bind(state.lookedAt).bind(state.changeLog).bind(state.changeNumber)
      .bind(state.appliedThrough).bind(state.overlayBelow?.rawValue)
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

  // MARK: Outbox, remembered

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

/// Values as JSON text in a column.
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
