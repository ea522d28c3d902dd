#if BELLHOP_POSTGRES
internal import BellhopStore

/// Random numbers that a transaction stores, which reveal whether it was committed.
///
/// A transaction of one user leaves them in the user's row, whose lock it holds until its end. Every
/// other one leaves them in a table, where no two transactions can insert the same mark.
struct CommitMark: Hashable, Sendable {
  /// The number of marks that a user's row keeps, each of another process.
  ///
  /// One process commits one transaction of a user at a time, and finds out an unknown outcome before
  /// it begins the next. So its last mark is enough, however often others commit meanwhile, unless that
  /// many other processes commit for the same user.
  static let keptMax = 16

  /// The number of the process, at the beginning of the mark.
  let process: UInt64
  let number: UInt64
  /// The user whose row has the mark; nil for the table.
  let user: UserID?

  var bytes: [UInt8] { Self.bytes(of: process) + Self.bytes(of: number) }

  static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
  }

  /// Returns the assignment that puts a mark before those of other processes, in an `UPDATE` of
  /// `users`.
  ///
  /// - Parameter mark: The placeholder of the mark.
  static func assignment(of mark: String) -> String {
    """
    marks = (array_prepend(\(mark), ARRAY(
        SELECT kept.mark FROM unnest(users.marks) WITH ORDINALITY AS kept (mark, place)
        WHERE substring(kept.mark FROM 1 FOR 8) <> substring(\(mark) FROM 1 FOR 8)
        ORDER BY kept.place)))[1:\(keptMax)]
    """
  }

  /// Inserts the mark into the table, and deletes some that are older than a day.
  func insert(on connection: PostgresConnection) throws {
    try connection.queue(
      """
      WITH old AS (
        DELETE FROM commit_mark WHERE mark = ANY (ARRAY(
          SELECT mark FROM commit_mark WHERE at < \(PostgresSchema.now) - 86400000
          ORDER BY at LIMIT 20 FOR UPDATE SKIP LOCKED)))
      INSERT INTO commit_mark (mark, at) VALUES ($1, \(PostgresSchema.now))
      """, .bytes(bytes))
  }

  /// Finds out whether the transaction was committed, and acknowledges it if so.
  ///
  /// The transaction has ended when this one has its lock or its mark. This one writes the same row, and so
  /// its `COMMIT` is acknowledged only when the standbys have both transactions. If the mark was missing in
  /// the table, this one inserts a void mark, so that the transaction cannot be committed later. A void mark
  /// is not taken for a commit if this runs again.
  ///
  /// - Returns: nil if the `COMMIT` of this transaction was not acknowledged either.
  func wasCommitted(on connection: PostgresConnection) throws -> Bool? {
    try connection.begin()
    let wasFound =
      if let user { try isFound(of: user, on: connection) } else { try isTaken(on: connection) }
    switch connection.commit() {
    case .committed: return wasFound
    case .notCommitted(let error): throw error
    case .unknown: return nil
    }
  }

  private func isFound(of user: UserID, on connection: PostgresConnection) throws -> Bool {
    try connection.queue(TransactionContext.lockUser, .user(user))
    let rows = try connection.run(
      "UPDATE users SET marks = marks WHERE id = $1 RETURNING $2 = ANY (marks) AS found",
      .user(user), .bytes(bytes))
    return rows.isEmpty ? false : try rows[0].value("found")
  }

  private func isTaken(on connection: PostgresConnection) throws -> Bool {
    try connection.run(
      """
      INSERT INTO commit_mark (mark, at, is_void) VALUES ($1, \(PostgresSchema.now), true)
      ON CONFLICT (mark) DO UPDATE SET at = excluded.at RETURNING NOT is_void AS found
      """, .bytes(bytes)
    ).first().value("found")
  }
}
#endif
