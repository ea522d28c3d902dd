internal import BellhopModel

/// The sign-in that an access token without a secret belongs to.
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

  /// Whether both are sign-ins of one user through one client.
  func hasSameHolder(as other: SignInRecord) -> Bool {
    issuer == other.issuer && subject == other.subject && client == other.client
  }
}

/// The identifier of a user at an issuer.
package struct ExternalSubject: Hashable, Sendable {
  package var issuer: String
  package var subject: String

  package init(issuer: String, subject: String) {
    self.issuer = issuer
    self.subject = subject
  }
}

/// Read access to sign-ins through identity providers.
package protocol SignInReading: AnyObject {
  /// Returns the user whom the subject belongs to.
  func user(of subject: ExternalSubject) throws -> UserID?
  /// Returns the user's subject at the issuer.
  func subject(of user: UserID, at issuer: String) throws -> String?
  /// Returns the user's sign-ins in the order of their tokens.
  func signIns(of user: UserID) throws -> [SignInRecord]
}

/// Read and write access to sign-ins, in a transaction.
package protocol SignInRecords: SignInReading {
  /// Assigns the subject to the user. The subject must be unassigned, and the user must have no
  /// other subject at the issuer.
  ///
  /// - Throws: ``StoreError/busy`` if another transaction has assigned the subject meanwhile.
  func insert(_ subject: ExternalSubject, of user: UserID) throws
  func removeSubject(of user: UserID, at issuer: String) throws
  func insert(_ record: SignInRecord, of user: UserID) throws
  /// Forgets a sign-in and its access token.
  func removeSignIn(_ token: AccessTokenID, of user: UserID) throws
}
