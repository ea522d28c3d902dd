internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func user(of subject: ExternalSubject) throws -> UserID? {
    try first(
      "SELECT user FROM subject WHERE issuer = ? AND subject = ?",
      [subject.issuer, subject.subject]
    ) { UserID(rawValue: $0[0]) }
  }

  func subject(of user: UserID, at issuer: String) throws -> String? {
    try first(
      "SELECT subject FROM subject WHERE user = ? AND issuer = ?", [user.rawValue, issuer]
    ) { $0[0] }
  }

  func signIns(of user: UserID) throws -> [SignInRecord] {
    try all(
      "SELECT token, issuer, subject, client, session FROM sign_in WHERE user = ? ORDER BY token",
      [user.rawValue]
    ) { row in
      SignInRecord(
        token: try row.id(0), issuer: row[1], subject: row[2], client: row[3], session: row[4])
    }
  }

  func insert(_ subject: ExternalSubject, of user: UserID) throws {
    try run(
      "INSERT INTO subject (user, issuer, subject) VALUES (?, ?, ?)",
      [user.rawValue, subject.issuer, subject.subject])
  }

  func removeSubject(of user: UserID, at issuer: String) throws {
    try run("DELETE FROM subject WHERE user = ? AND issuer = ?", [user.rawValue, issuer])
  }

  func insert(_ record: SignInRecord, of user: UserID) throws {
    try run(
      """
      INSERT INTO sign_in (user, token, issuer, subject, client, session)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        user.rawValue, record.token.blob, record.issuer, record.subject, record.client,
        record.session,
      ])
  }

  func removeSignIn(_ token: AccessTokenID, of user: UserID) throws {
    noteAccess(user)
    for (table, column) in [("sign_in", "token"), ("access_token", "id")] {
      try run(
        "DELETE FROM \(table) WHERE user = ? AND \(column) = ?", [user.rawValue, token.blob])
    }
  }
}

extension Schema {
  /// Users who sign in through an identity provider.
  static let signIns = """
    CREATE TABLE subject (
      user INTEGER NOT NULL REFERENCES user(id),
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      PRIMARY KEY (user, issuer)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX subject_of ON subject (issuer, subject);

    CREATE TABLE sign_in (
      user INTEGER NOT NULL REFERENCES user(id),
      token BLOB NOT NULL,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      client TEXT NOT NULL,
      session TEXT,
      PRIMARY KEY (user, token)
    ) WITHOUT ROWID;
    """
}
