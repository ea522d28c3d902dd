package import BellhopModel

/// Names one file in a link, and lets whoever knows it read the file: 128 random bits.
package struct FileID: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  /// What the path of every file begins with.
  package static let pathPrefix = "/file/"

  /// The file that an attachment names; nil for a link to anywhere else.
  package init?(url: String) {
    guard url.hasPrefix(Self.pathPrefix) else { return nil }
    rawValue = String(url.dropFirst(Self.pathPrefix.count))
  }

  /// Where the store serves the file.
  package var path: String { Self.pathPrefix + rawValue }
}

/// SHA-256 of a file's bytes in hexadecimal digits: the name under which they are kept, once for all
/// files with these bytes. It is told to nobody.
package struct FileHash: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

/// A file that a publisher uploaded, as the store knows it.
package struct StoredFile: Hashable, Sendable, Identifiable {
  package let id: FileID
  package let user: UserID
  package let hash: FileHash
  /// With what it was uploaded.
  package let token: AccessTokenID
  /// For which app; nil while neither the token nor a publication says it.
  package var app: String?
  /// Without separators and control characters; never empty.
  package let name: String
  /// What its first bytes are.
  package let type: String
  /// In bytes.
  package let size: Int
  package let created: Timestamp
  package var expires: Timestamp
  /// The item that has it; nil until a publication names it.
  package var item: NotificationID?

  package init(
    id: FileID, user: UserID, hash: FileHash, token: AccessTokenID, app: String?, name: String,
    type: String, size: Int, created: Timestamp, expires: Timestamp, item: NotificationID? = nil
  ) {
    self.id = id
    self.user = user
    self.hash = hash
    self.token = token
    self.app = app
    self.name = name
    self.type = type
    self.size = size
    self.created = created
    self.expires = expires
    self.item = item
  }

  /// A file counts as at least so much, so that many tiny ones are bounded too.
  package static let chargeMin = 4096
  /// What it takes of the limits.
  package var charge: Int { Self.charge(size) }

  static func charge(_ size: Int) -> Int { max(size, chargeMin) }
}

/// What files need of a backend, for reading.
package protocol FileReading: AnyObject {
  /// Of any user.
  func file(_ id: FileID) throws -> StoredFile?
  /// What the user's files take of the limits: those of one app, or all.
  func fileCharge(of user: UserID) throws -> Int
  /// - Parameter app: nil for uploads of which it is not known yet.
  func fileCharge(ofApp app: String?, of user: UserID) throws -> Int
  /// The bytes that the user's files that came with one token count in the limits.
  func fileCharge(of user: UserID, token: AccessTokenID) throws -> Int
  /// Files whose time is over, of any user.
  func expiredFiles(by now: Timestamp, limit: Int) throws -> [StoredFile]
  /// Whether any user's file has these bytes.
  func isInUse(_ hash: FileHash) throws -> Bool
  /// Hashes of removed files, whose bytes may have to go.
  func looseHashes(limit: Int) throws -> [FileHash]
}

/// What files need of a backend.
package protocol FileRecords: AnyObject {
  func insert(_ file: StoredFile) throws
  /// Stores the file's new app, item and end.
  func update(_ file: StoredFile) throws
  /// Removes the file; its hash is among the loose ones then, as after the removal of its user.
  func removeFile(_ id: FileID, of user: UserID) throws
  func forgetLoose(_ hash: FileHash) throws
}
