#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresTransaction {
  func statistics(of user: UserID) throws -> UserStatistics {
    let content = try first(
      """
      SELECT count(*) FILTER (WHERE deleted IS NULL) AS items,
        count(*) FILTER (WHERE deleted IS NOT NULL) AS tombstones,
        coalesce(sum(coalesce(octet_length(title), 0) + coalesce(octet_length(subtitle), 0)
          + coalesce(octet_length(body), 0) + coalesce(octet_length(raw), 0)), 0)::bigint AS bytes
      FROM item WHERE user_id = $1
      """, [.user(user)]
    ) { row in
      let items: Int = try row.value("items")
      let tombstones: Int = try row.value("tombstones")
      let bytes: Int64 = try row.value("bytes")
      return (items: items, tombstones: tombstones, bytes: bytes)
    }
    return UserStatistics(
      items: content?.items ?? 0, tombstones: content?.tombstones ?? 0,
      bytes: content?.bytes ?? 0,
      devices: try number("SELECT count(*) FROM device WHERE user_id = $1", [.user(user)]),
      tokens: try number(
        "SELECT count(*) FROM access_token WHERE user_id = $1 AND revoked IS NULL",
        [.user(user)]))
  }
}
#endif
