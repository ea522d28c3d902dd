#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// Users of identity providers.
extension PostgresTransaction {
  /// Finds the user to whom the subject belongs.
  func user(of subject: ExternalSubject) throws -> UserID? {
    try first(
      "SELECT user_id FROM subject WHERE issuer = $1 AND subject = $2",
      [.text(subject.issuer), .text(subject.subject)]
    ) { try $0.user("user_id") }
  }

  func subject(of user: UserID, at issuer: String) throws -> String? {
    try first(
      "SELECT subject FROM subject WHERE user_id = $1 AND issuer = $2",
      [.user(user), .text(issuer)]
    ) { try $0.text("subject") }
  }

  func signIns(of user: UserID) throws -> [SignInRecord] {
    try all(
      """
      SELECT token, issuer, subject, client, session FROM sign_in
      WHERE user_id = $1 ORDER BY token
      """, [.user(user)]
    ) { row in
      SignInRecord(
        token: try row.id("token"), issuer: try row.text("issuer"),
        subject: try row.text("subject"), client: try row.text("client"),
        session: try row.textIfAny("session"))
    }
  }

  /// Waits for another transaction that assigns the same subject.
  func insert(_ subject: ExternalSubject, of user: UserID) throws {
    let added = try count(
      """
      INSERT INTO subject (user_id, issuer, subject) VALUES ($1, $2, $3)
      ON CONFLICT (issuer, subject) DO NOTHING
      """, [.user(user), .text(subject.issuer), .text(subject.subject)])
    guard added > 0 else { throw StoreError.busy }
  }

  func removeSubject(of user: UserID, at issuer: String) throws {
    try write(
      "DELETE FROM subject WHERE user_id = $1 AND issuer = $2", [.user(user), .text(issuer)])
  }

  func insert(_ record: SignInRecord, of user: UserID) throws {
    try write(
      """
      INSERT INTO sign_in (user_id, token, issuer, subject, client, session)
      VALUES ($1, $2, $3, $4, $5, $6)
      """,
      [
        .user(user), .id(record.token), .text(record.issuer), .text(record.subject),
        .text(record.client), .text(record.session),
      ])
  }

  func removeSignIn(_ token: AccessTokenID, of user: UserID) throws {
    noteAccess(user)
    let key: [PostgresValue] = [.user(user), .id(token)]
    try write("DELETE FROM sign_in WHERE user_id = $1 AND token = $2", key)
    try write("DELETE FROM access_token WHERE user_id = $1 AND id = $2", key)
  }
}
#endif
