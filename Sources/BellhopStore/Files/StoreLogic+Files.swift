internal import BellhopModel

/// The owner of an upload.
package struct FileOwner: Hashable, Sendable {
  package var user: UserID
  package var token: AccessTokenID
  /// The app, if the token is for one app only.
  package var app: String?
  /// An additional limit for all files uploaded with this token, besides the limits of its user and
  /// app.
  package var share: Share?

  /// A part of the space for a user's files.
  package struct Share: Hashable, Sendable {
    package var bytesMax: Int
    /// The name of these files in a refusal: "attachments of …".
    package var name: String

    package init(bytesMax: Int, name: String) {
      self.bytesMax = bytesMax
      self.name = name
    }
  }

  package init(user: UserID, token: AccessTokenID, app: String?, share: Share? = nil) {
    self.user = user
    self.token = token
    self.app = app
    self.share = share
  }
}

/// A placed blob without a row yet.
struct ArrivedFile: Sendable {
  var hash: FileHash
  var name: String
  var type: String
  var size: Int
}

extension StoreLogic {
  /// Checks that there is enough space for a file.
  ///
  /// - Throws: ``StoreError/quotaReached(what:)``, ``StoreError/invalid(field:expectation:)``.
  func checkRoom(forFileOf size: Int, of owner: FileOwner, in state: any StoreReading) throws {
    guard size <= limits.attachmentBytesMax else {
      throw StoreError.invalid(
        field: "body", expectation: "at most \(limits.attachmentBytesMax) bytes")
    }
    let charge = StoredFile.charge(size)
    if let share = owner.share,
      try state.fileCharge(of: owner.user, token: owner.token) + charge > share.bytesMax
    {
      throw StoreError.quotaReached(what: "\(share.bytesMax) bytes of \(share.name)")
    }
    guard try state.fileCharge(of: owner.user) + charge <= limits.userAttachmentsBytesMax else {
      throw StoreError.quotaReached(what: "\(limits.userAttachmentsBytesMax) bytes of attachments")
    }
    // Files without an app yet share the space of one app.
    try checkRoom(forFilesOf: owner.app, charge: charge, of: owner.user, in: state)
  }

  private func checkRoom(
    forFilesOf app: String?, charge: Int, of user: UserID, in state: any StoreReading
  ) throws {
    guard try state.fileCharge(ofApp: app, of: user) + charge <= limits.appAttachmentsBytesMax
    else {
      throw StoreError.quotaReached(
        what: "\(limits.appAttachmentsBytesMax) bytes of attachments of one app")
    }
  }

  /// Records a file that no publication names yet.
  func add(
    _ file: ArrivedFile, of owner: FileOwner, in transaction: any StoreTransaction
  ) throws -> StoredFile {
    let now = now
    guard try transaction.user(owner.user) != nil else { throw StoreError.notFound(what: "user") }
    var owner = owner
    if let app = owner.app { owner.app = try self.app(named: app, of: owner.user, in: transaction) }
    try checkRoom(forFileOf: file.size, of: owner, in: transaction)
    let stored = StoredFile(
      id: FileID(Base64URL.encode(environment.randomBytes(16))), user: owner.user,
      hash: file.hash, token: owner.token, app: owner.app, name: file.name, type: file.type,
      size: file.size, created: now, expires: now.advanced(by: limits.uploadLife))
    try transaction.insert(stored)
    return stored
  }

  /// Returns a readable file, or throws ``StoreError/notFound(what:)`` if it or its item no longer
  /// exists.
  func file(_ id: FileID, in state: any StoreReading) throws -> StoredFile {
    guard let file = try state.file(id), file.expires > expiryNow else {
      throw StoreError.notFound(what: "file")
    }
    if let item = file.item, try liveItem(item, of: file.user, in: state) == nil {
      throw StoreError.notFound(what: "file")
    }
    return file
  }

  // MARK: - Publications

  /// Finds the files that a publication attaches, and completes their descriptions in the content.
  /// Reads only.
  ///
  /// - Parameter live: the item that is replaced, which may keep its files.
  /// - Throws: ``StoreError/invalid(field:expectation:)`` for a file that the publisher may not
  ///   attach, whether or not it exists; ``StoreError/quotaReached(what:)``.
  func claimFiles(
    in content: inout Content, replacing live: NotificationID?, by publisher: AccessTokenID?,
    of user: UserID, at now: Timestamp, in state: any StoreReading
  ) throws -> [StoredFile] {
    guard var attachments = content.extras.attachments, !attachments.isEmpty else { return [] }
    let end = max(now, content.deliverAt ?? now).advanced(by: limits.attachmentsKeep)
    var files: [FileID: StoredFile] = [:]
    var charge = 0
    for place in attachments.indices {
      attachments[place].expires = nil
      guard let id = FileID(url: attachments[place].url) else { continue }
      guard var file = try state.file(id), file.user == user, file.expires > expiryNow,
        file.item.map({ $0 == live }) ?? (file.token == publisher)
      else {
        throw StoreError.invalid(
          field: "attachments.url",
          expectation:
            "a link, or the url of a file that was uploaded with the same token in the last "
            + "\(limits.uploadLife.wholeSeconds / 60) minutes and is not in another item")
      }
      if file.item == nil { file.expires = end }
      if file.app != content.app, files[id] == nil { charge += file.charge }
      file.app = content.app
      files[id] = file
      attachments[place] = file.attachment
    }
    if charge > 0 {
      try checkRoom(forFilesOf: content.app, charge: charge, of: user, in: state)
    }
    content.extras.attachments = attachments
    return files.values.sorted { $0.id < $1.id }
  }

  /// Assigns the files to an item.
  func bind(
    _ files: [StoredFile], to item: NotificationID, in transaction: any StoreTransaction
  ) throws {
    for var file in files {
      file.item = item
      try transaction.update(file)
    }
  }

  /// Removes the files of an item that is deleted, or that is replaced by one with other files.
  func removeFiles(
    of item: UserNotification, but kept: Set<FileID> = [], in transaction: any StoreTransaction,
    user: UserID
  ) throws {
    for attachment in item.content.extras.attachments ?? [] {
      guard let id = FileID(url: attachment.url), !kept.contains(id),
        let file = try transaction.file(id), file.user == user, file.item == item.id
      else { continue }
      try transaction.removeFile(id, of: user)
    }
  }

  /// Replaces the files of a repeated publication with those of the first one.
  ///
  /// Files uploaded for the repetition are different files. Once the item has changed, its files no
  /// longer match the first answer, and only links remain.
  func describeFiles(
    in content: inout Content, of record: PublicationRecord, user: UserID,
    in state: any StoreReading
  ) throws {
    guard let attachments = content.extras.attachments,
      attachments.contains(where: { FileID(url: $0.url) != nil })
    else { return }
    guard case .live(let item)? = try state.row(record.id, of: user),
      item.state.contentSequence == record.sequence
    else {
      content.extras.attachments = attachments.filter { FileID(url: $0.url) == nil }
      return
    }
    content.extras.attachments = item.content.extras.attachments
  }

  // MARK: - Retention

  /// Removes expired files; a file that a publication has named meanwhile stays.
  func expire(_ files: [StoredFile], in transaction: any StoreTransaction) throws -> Int {
    for user in Set(files.map(\.user)).sorted() { try transaction.lock(user) }
    let now = expiryNow
    var count = 0
    for known in files {
      guard let file = try transaction.file(known.id), file.expires <= now else { continue }
      try transaction.removeFile(file.id, of: file.user)
      count += 1
    }
    return count
  }
}

extension StoredFile {
  /// The file as an attachment of its item. It has its own expiration: an item without one, or a
  /// pinned item, stays longer.
  var attachment: ContentExtras.Attachment {
    ContentExtras.Attachment(name: name, url: id.path, type: type, size: size, expires: expires)
  }
}
