internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func awaitedResponse(_ item: NotificationID, of user: UserID) throws -> AwaitedResponse? {
    try first(
      "SELECT \(ResponseColumn.list) FROM awaited_response WHERE user = ? AND item = ?",
      [user.rawValue, item.blob], AwaitedResponse.init(row:))
  }

  func put(_ response: AwaitedResponse, of user: UserID) throws {
    let answer = response.answer
    try run(
      """
      INSERT OR REPLACE INTO awaited_response (user, \(ResponseColumn.list))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        user.rawValue, response.item.blob, response.token.blob,
        response.contentSequence.rawValue, response.expires.milliseconds, answer?.action,
        answer?.text, answer?.at.milliseconds, response.isSuperseded,
      ])
  }

  func removeAwaitedResponses(endedBefore time: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM awaited_response WHERE (user, item) IN (
        SELECT user, item FROM awaited_response WHERE expires < ? ORDER BY expires LIMIT ?)
      """, [time.milliseconds, limit])
  }
}

private enum ResponseColumn: Int, TableColumn {
  case item, token, contentSequence, expires, action, text, answered, isSuperseded
}

extension AwaitedResponse {
  fileprivate init(row: Row) throws {
    let row = NamedRow<ResponseColumn>(row)
    self.init(
      item: try row.id(.item), token: try row.id(.token),
      contentSequence: SequenceNumber(row[.contentSequence]), expires: row.time(.expires),
      isSuperseded: row[.isSuperseded])
    if let action: String = row[.action], let at = row.optionalTime(.answered) {
      answer = Answer(action: action, text: row[.text], at: at)
    }
  }
}
