package import BellhopModel

/// The identifier of a file in its link: 128 random bits. Any client that knows it can read the
/// file.
package struct FileID: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  /// The prefix of every file's path.
  package static let pathPrefix = "/file/"

  /// Creates the id of the file that an attachment names; nil for any other link.
  package init?(url: String) {
    guard url.hasPrefix(Self.pathPrefix) else { return nil }
    rawValue = String(url.dropFirst(Self.pathPrefix.count))
  }

  /// The path at which the store serves the file.
  package var path: String { Self.pathPrefix + rawValue }
}

/// The SHA-256 of a file's bytes in hexadecimal digits, under which they are stored.
///
/// Files with the same bytes share one blob. The hash is never revealed.
package struct FileHash: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

/// A file that a publisher uploaded, as the store records it.
package struct StoredFile: Hashable, Sendable, Identifiable {
  package let id: FileID
  package let user: UserID
  package let hash: FileHash
  /// The token that uploaded it.
  package let token: AccessTokenID
  /// The app it belongs to; nil while neither the token nor a publication names one.
  package var app: String?
  /// The name, without separators and control characters; never empty.
  package let name: String
  /// The media type, determined by its first bytes.
  package let type: String
  /// The size in bytes.
  package let size: Int
  package let created: Timestamp
  package var expires: Timestamp
  /// The item that it is attached to; nil until a publication names it.
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

  /// The minimum size that a file counts, so that many tiny files are bounded too.
  package static let chargeMin = 4096
  /// The size that the file counts towards the limits.
  package var charge: Int { Self.charge(size) }

  static func charge(_ size: Int) -> Int { max(size, chargeMin) }
}

/// Read access to the files of a backend.
package protocol FileReading: AnyObject {
  /// Returns the file, whichever user it belongs to.
  func file(_ id: FileID) throws -> StoredFile?
  /// Returns the size of all the user's files, as counted towards the limits.
  func fileCharge(of user: UserID) throws -> Int
  /// Returns the size of an app's files, as counted towards the limits.
  ///
  /// - Parameter app: nil for uploads whose app is not known yet.
  func fileCharge(ofApp app: String?, of user: UserID) throws -> Int
  /// Returns the size of the user's files uploaded with one token, as counted towards the limits.
  func fileCharge(of user: UserID, token: AccessTokenID) throws -> Int
  /// Returns expired files of any user.
  func expiredFiles(by now: Timestamp, limit: Int) throws -> [StoredFile]
  /// Whether a file of any user has these bytes.
  func isInUse(_ hash: FileHash) throws -> Bool
  /// Returns hashes of removed files whose blobs may have to be removed.
  func orphanedHashes(limit: Int) throws -> [FileHash]
}

/// Write access to the files of a backend.
package protocol FileRecords: AnyObject {
  func insert(_ file: StoredFile) throws
  /// Stores the file's new app, item and expiration.
  func update(_ file: StoredFile) throws
  /// Removes the file. Its hash is then orphaned, as after the removal of its user.
  func removeFile(_ id: FileID, of user: UserID) throws
  func forgetOrphan(_ hash: FileHash) throws
}
