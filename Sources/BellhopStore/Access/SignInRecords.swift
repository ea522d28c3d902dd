internal import BellhopModel

/// To which sign-in an access token belongs that no secret stands for.
package struct SignInRecord: Hashable, Sendable {
  package var token: AccessTokenID
  package var issuer: String
  package var subject: String
  package var client: String
  package var session: String?

  package init(
    token: AccessTokenID, issuer: String, subject: String, client: String, session: String?
  ) {
    self.token = token
    self.issuer = issuer
    self.subject = subject
    self.client = client
    self.session = session
  }

  /// Whether both are sign-ins of one person through one program.
  func hasSameHolder(as other: SignInRecord) -> Bool {
    issuer == other.issuer && subject == other.subject && client == other.client
  }
}

/// A person as an issuer names them.
package struct ExternalSubject: Hashable, Sendable {
  package var issuer: String
  package var subject: String

  package init(issuer: String, subject: String) {
    self.issuer = issuer
    self.subject = subject
  }
}

/// What is remembered of people who sign in through an identity provider.
package protocol SignInReading: AnyObject {
  /// The user that the subject is.
  func user(of subject: ExternalSubject) throws -> UserID?
  /// The user's subject at the issuer.
  func subject(of user: UserID, at issuer: String) throws -> String?
  /// In the order of their tokens.
  func signIns(of user: UserID) throws -> [SignInRecord]
}

/// The same, in a transaction.
package protocol SignInRecords: SignInReading {
  /// Makes the subject the user. Neither the subject nor the user's place at the issuer is taken.
  func insert(_ subject: ExternalSubject, of user: UserID) throws
  func removeSubject(of user: UserID, at issuer: String) throws
  func insert(_ record: SignInRecord, of user: UserID) throws
  /// Forgets a sign-in and its access token.
  func removeSignIn(_ token: AccessTokenID, of user: UserID) throws
}
