internal import BellhopModel

extension StoreLogic {
  /// Protects a blob before it is placed, in a transaction of the scope ``WriteScope/store``.
  ///
  /// Blobs are removed within transactions of that scope, so that none is removed between its hold
  /// and its row.
  func hold(_ hash: FileHash, in transaction: any StoreTransaction) throws -> BlobHold {
    let hold = BlobHold(id: newID(), hash: hash, ends: now.advanced(by: BlobHold.life))
    try transaction.insert(hold)
    return hold
  }

  /// Records a file that no publication names yet, and removes the hold of its blob.
  ///
  /// - Throws: ``StoreError/busy`` if a sweep has removed the hold; then the blob may be gone.
  func add(
    _ file: ArrivedFile, of owner: FileOwner, holding hold: BlobHold?,
    in transaction: any StoreTransaction
  ) throws -> StoredFile {
    if let hold, try !transaction.removeHold(hold.id) { throw StoreError.busy }
    return try add(file, of: owner, in: transaction)
  }

  /// Removes the hold of an upload that failed or ended too late. The next sweep removes its blob
  /// unless a file uses it.
  func abandon(_ hold: BlobHold, in transaction: any StoreTransaction) throws {
    if try transaction.removeHold(hold.id) { try transaction.noteOrphan(hold.hash) }
  }

  /// Removes some of the holds that uploads left behind.
  ///
  /// - Returns: whether more may remain.
  func abandonEndedHolds(in transaction: any StoreTransaction) throws -> Bool {
    let limit = limits.sweepItemsMax
    let ended = try transaction.endedHolds(by: expiryNow, limit: limit)
    for hold in ended { try abandon(hold, in: transaction) }
    return ended.count == limit
  }

  /// Returns the blobs that neither an upload nor a file needs, in a transaction of the scope
  /// ``WriteScope/store``.
  ///
  /// Holds are read before rows: a commit in between removes a hold and inserts a row at once.
  ///
  /// - Parameter isShared: whether the storage has holds.
  func unusedBlobs(
    among hashes: some Collection<FileHash>, isShared: Bool, in transaction: any StoreTransaction
  ) throws -> [FileHash] {
    try hashes.filter { hash in
      if isShared, try transaction.isHeld(hash) { return false }
      return try !transaction.isInUse(hash)
    }
  }
}
