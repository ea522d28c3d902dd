#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// Publications under an idempotency key.
extension PostgresTransaction {
  func publication(
    _ key: String, of token: AccessTokenID, user: UserID
  ) throws -> PublicationRecord? {
    try first(
      """
      SELECT token, key, body_hash, item, short_number, created, arrival, expiration, sequence,
        outcome, at
      FROM publication WHERE user_id = $1 AND token = $2 AND key = $3
      """, [.user(user), .id(token), .text(key)]
    ) { row in
      PublicationRecord(
        key: IdempotencyKey(
          token: try row.id("token"), key: try row.text("key"),
          bodyHash: try row.bytes("body_hash")),
        id: try row.id("item"), shortNumber: try row.value("short_number"),
        created: try row.time("created"), arrival: try row.time("arrival"),
        expiration: try row.timeIfAny("expiration"), sequence: try row.sequence("sequence"),
        outcome: try row.name("outcome"), at: try row.time("at"))
    }
  }

  /// Numbers the records of a token, so that those beyond `count` are found without counting.
  func insert(_ record: PublicationRecord, keeping count: Int, of user: UserID) throws {
    try write(
      """
      WITH place AS (
        SELECT coalesce(max(ordinal), 0) + 1 AS ordinal FROM publication
        WHERE user_id = $1 AND token = $2
      ), forgotten AS (
        DELETE FROM publication WHERE user_id = $1 AND token = $2 AND ordinal = ANY (ARRAY (
          SELECT ordinal FROM publication
          WHERE user_id = $1 AND token = $2 AND ordinal <= (SELECT ordinal - $13 FROM place)
          ORDER BY ordinal LIMIT $14))
      )
      INSERT INTO publication (user_id, token, key, body_hash, item, short_number, created, arrival,
        expiration, sequence, outcome, at, ordinal)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, ordinal FROM place
      """,
      [
        .user(user), .id(record.key.token), .text(record.key.key), .bytes(record.key.bodyHash),
        .id(record.id), .integer(record.shortNumber), .time(record.created),
        .time(record.arrival), .time(record.expiration), .sequence(record.sequence),
        .text(record.outcome.rawValue), .time(record.at), .count(count),
        .count(PublicationRecord.forgottenAtOnceMax),
      ])
  }

  func removePublications(before time: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM publication WHERE at < $1 AND ctid = ANY (ARRAY (
        SELECT ctid FROM publication WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED))
      """, [.time(time), .count(limit)])
  }
}
#endif
