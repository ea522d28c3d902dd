internal import BellhopModel
internal import BellhopSearch
internal import BellhopStore
internal import GRDB

/// Maintenance of the search index.
///
/// A publication writes nothing to the index. The index lacks the items with a sequence above
/// `search_progress` that have no row in `search_entry`; they are added later, many per
/// transaction. (In the transaction of each publication, the index would flush its pending data at
/// every savepoint of the group.) An item that leaves the store, or whose text changes, is removed
/// from the index immediately, while its text still exists. State changes do not affect the index.
///
/// The index stores no texts. Its rows are numbered by arrival, so that results come newest first
/// without sorting. Each row contains the user as a word, so that a search reads only that user's
/// rows.
extension SQLiteTransaction {
  /// The maximum number of items added in one transaction, and the maximum size of their texts. The
  /// size is in bytes of UTF-8; both limit the work to about 10 ms.
  private static let indexedMax = 128
  private static let indexedBytesMax = 256 * 1024

  private struct Candidate {
    var row: Int64
    var id: NotificationID
    var sequence: SequenceNumber
    var contentSequence: SequenceNumber
    var arrival: Timestamp
    var isWanted: Bool
  }

  /// Adds some items to the index.
  ///
  /// - Returns: whether more items are waiting.
  func indexSome() throws -> Bool {
    guard let (user, end, start) = try nextBehind() else { return false }
    let candidates = try all(
      """
      SELECT rowid, id, sequence, content_sequence, arrival, deleted IS NULL AND NOT EXISTS (
        SELECT 1 FROM search_entry e WHERE e.user = item.user AND e.id = item.id)
      FROM item INDEXED BY item_sequence WHERE user = ? AND sequence > ?
      ORDER BY sequence LIMIT \(Self.indexedMax)
      """, [user.rawValue, start.rawValue]
    ) { row in
      Candidate(
        row: row[0], id: try row.id(1), sequence: SequenceNumber(row[2]),
        contentSequence: SequenceNumber(row[3]), arrival: row.time(4), isWanted: row[5])
    }
    var progress = start
    var bytes = 0
    for candidate in candidates where bytes < Self.indexedBytesMax {
      if candidate.isWanted { bytes += try index(candidate, of: user) }
      progress = candidate.sequence
    }
    if progress == candidates.last?.sequence ?? start, candidates.count < Self.indexedMax {
      progress = end
    }
    try run(
      """
      INSERT INTO search_progress (user, sequence, turn)
      VALUES (?, ?, (SELECT coalesce(max(turn), 0) + 1 FROM search_progress))
      ON CONFLICT (user) DO UPDATE SET sequence = excluded.sequence, turn = excluded.turn
      """, [user.rawValue, progress.rawValue])
    if progress < end { return true }
    return try nextBehind() != nil
  }

  /// Returns a user with items that the index lacks, the user's sequence, and the sequence of the
  /// index.
  ///
  /// The user whose last turn was longest ago comes first, so that no user waits for one who
  /// publishes all the time.
  private func nextBehind() throws -> (UserID, end: SequenceNumber, start: SequenceNumber)? {
    try first(
      """
      SELECT user.id, user.sequence, coalesce(p.sequence, 0) AS start
      FROM user LEFT JOIN search_progress p ON p.user = user.id
      WHERE user.sequence > coalesce(p.sequence, 0) ORDER BY p.turn LIMIT 1
      """, []
    ) { (UserID(rawValue: $0[0]), SequenceNumber($0[1]), SequenceNumber($0[2])) }
  }

  /// Adds one item to the index, and returns the size of its text.
  private func index(_ candidate: Candidate, of user: UserID) throws -> Int {
    guard let text = try text(inRow: candidate.row) else { return 0 }
    let key = try freeKey(for: candidate.arrival)
    try run(
      "INSERT INTO search_entry (key, user, id, content_sequence) VALUES (?, ?, ?, ?)",
      [key, user.rawValue, candidate.id.blob, candidate.contentSequence.rawValue])
    try run(
      """
      INSERT INTO search_index (rowid, user, title, subtitle, body, app, group_name, tags)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, [key, SearchKey.word(of: user)] + text.columns)
    return text.fields.reduce(0) { $0 + $1.utf8.count }
  }

  /// Returns the next free key for the arrival.
  private func freeKey(for arrival: Timestamp) throws -> Int64 {
    let keys = SearchKey.range(of: arrival)
    let last =
      try first(
        "SELECT max(key) FROM search_entry WHERE key BETWEEN ? AND ?",
        [keys.lowerBound, keys.upperBound]
      ) { $0[0] as Int64? } ?? nil
    guard let last else { return keys.lowerBound }
    if last < keys.upperBound { return last + 1 }
    // There are more items in this millisecond than keys, so this one gets the highest key.
    let highest = try first("SELECT max(key) FROM search_entry", []) { $0[0] as Int64 }
    return (highest ?? last) + 1
  }

  /// Removes an item from the index, unless the indexed content has this sequence.
  func unindex(
    _ id: NotificationID, of user: UserID, unless contentSequence: SequenceNumber? = nil
  ) throws {
    let entry = try first(
      "SELECT key, content_sequence FROM search_entry WHERE user = ? AND id = ?",
      [user.rawValue, id.blob]
    ) { (key: $0[0] as Int64, contentSequence: SequenceNumber($0[1])) }
    guard let entry, entry.contentSequence != contentSequence else { return }
    let row = try first(
      "SELECT rowid FROM item WHERE user = ? AND id = ?", [user.rawValue, id.blob]
    ) { $0[0] as Int64 }
    if let row, let text = try text(inRow: row) {
      try run(
        """
        INSERT INTO search_index (
          search_index, rowid, user, title, subtitle, body, app, group_name, tags)
        VALUES ('delete', ?, ?, ?, ?, ?, ?, ?, ?)
        """, [entry.key, SearchKey.word(of: user)] + text.columns)
    }
    try run("DELETE FROM search_entry WHERE key = ?", [entry.key])
  }

  /// Removes some of a user's items from the index, and returns their number.
  func unindexSome(of user: UserID, limit: Int) throws -> Int {
    let ids: [NotificationID] = try all(
      "SELECT id FROM search_entry WHERE user = ? LIMIT ?", [user.rawValue, limit]
    ) { try $0.id(0) }
    for id in ids { try unindex(id, of: user) }
    return ids.count
  }

  private func text(inRow row: Int64) throws -> SearchText? {
    try item(inRow: row).map { SearchText($0.content) }
  }
}

/// The numbering of the index's rows: the arrival in milliseconds, then a number that distinguishes
/// items of the same millisecond.
enum SearchKey {
  /// The bits of that number. They suffice for two million items per millisecond; the remaining
  /// bits cover 139 years on either side of 2020.
  private static let tieBits: Int64 = 21
  private static let origin: Int64 = 1_577_836_800_000
  private static let farthest: Int64 = 1 << 42

  /// Returns all keys for an arrival.
  static func range(of arrival: Timestamp) -> ClosedRange<Int64> {
    let distance = max(
      -farthest, min(farthest - 1, max(arrival.milliseconds, 0) - origin))
    let first = distance << tieBits
    return first...first + (1 << tieBits) - 1
  }

  /// Returns the word that represents a user in the index.
  static func word(of user: UserID) -> String { "u\(user.rawValue)" }
}

extension SearchText {
  /// The texts in the order of the index's columns.
  fileprivate var columns: [(any DatabaseValueConvertible)?] {
    [title, subtitle, body, app, group, tags]
  }
}
