#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresTransaction {
  func awaitedResponse(_ item: NotificationID, of user: UserID) throws -> AwaitedResponse? {
    try first(
      "SELECT \(ResponseColumn.list) FROM awaited_response WHERE user_id = $1 AND item = $2",
      [.user(user), .id(item)], AwaitedResponse.init(row:))
  }

  func put(_ response: AwaitedResponse, of user: UserID) throws {
    let answer = response.answer
    try write(
      """
      INSERT INTO awaited_response (user_id, \(ResponseColumn.list))
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (user_id, item) DO UPDATE SET
        token = excluded.token, content_sequence = excluded.content_sequence,
        expires = excluded.expires, action = excluded.action, text = excluded.text,
        answered = excluded.answered, is_superseded = excluded.is_superseded
      """,
      [
        .user(user), .id(response.item), .id(response.token),
        .sequence(response.contentSequence), .time(response.expires), .text(answer?.action),
        .text(answer?.text), .time(answer?.at), .flag(response.isSuperseded),
      ])
  }

  func removeAwaitedResponses(endedBefore time: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM awaited_response WHERE expires < $1 AND ctid = ANY (ARRAY(
        SELECT ctid FROM awaited_response WHERE expires < $1
        ORDER BY expires, item LIMIT $2 FOR UPDATE SKIP LOCKED))
      """, [.time(time), .count(limit)])
  }
}

private enum ResponseColumn: Int, TableColumn {
  case item, token, contentSequence, expires, action, text, answered, isSuperseded
}

extension AwaitedResponse {
  fileprivate init(row: PostgresRow) throws {
    self.init(
      item: try row.id("item"), token: try row.id("token"),
      contentSequence: try row.sequence("content_sequence"), expires: try row.time("expires"),
      isSuperseded: try row.value("is_superseded"))
    if let action = try row.textIfAny("action"), let at = try row.timeIfAny("answered") {
      answer = Answer(action: action, text: try row.textIfAny("text"), at: at)
    }
  }
}
#endif
