package import BellhopModel

/// A row that protects a blob from removal until a file's row names it.
///
/// Several processes may place and remove blobs of one shelf at the same time. An upload inserts a
/// hold before it places its blob, and removes it in the transaction that inserts the file's row.
/// While the row exists, no process removes the blob. A sweep removes holds that uploads left
/// behind.
package struct BlobHold: Hashable, Sendable, Identifiable {
  package let id: UniqueID<BlobHold>
  package var hash: FileHash
  /// The time from which a sweep may remove it.
  package var ends: Timestamp

  package init(id: UniqueID<BlobHold>, hash: FileHash, ends: Timestamp) {
    self.id = id
    self.hash = hash
    self.ends = ends
  }

  /// The life of a hold: far longer than placing a blob takes.
  package static let life = Duration.seconds(600)
}

/// Read access to the holds of blobs. Part of ``StoreReading``.
package protocol BlobHoldReading: AnyObject {
  /// Whether a hold protects the blob, also one that has ended.
  func isHeld(_ hash: FileHash) throws -> Bool
  /// Returns holds that ended by `now`.
  func endedHolds(by now: Timestamp, limit: Int) throws -> [BlobHold]
}

/// Write access to the holds of blobs. Part of ``StoreTransaction``.
///
/// The rows belong to no user; see ``WriteScope``. A storage that one process serves alone has
/// none, and does not implement these methods.
package protocol BlobHoldRecords: BlobHoldReading {
  func insert(_ hold: BlobHold) throws
  /// Removes a hold, unless another transaction has removed it.
  ///
  /// - Returns: whether it existed.
  func removeHold(_ id: UniqueID<BlobHold>) throws -> Bool
  /// Adds a hash to those of removed files; see ``FileReading/orphanedHashes(limit:)``.
  func noteOrphan(_ hash: FileHash) throws
}

/// Defaults for a storage that one process serves alone.
extension BlobHoldRecords {
  package func isHeld(_ hash: FileHash) throws -> Bool { throw StoreError.notShared }
  package func endedHolds(by now: Timestamp, limit: Int) throws -> [BlobHold] {
    throw StoreError.notShared
  }
  package func insert(_ hold: BlobHold) throws { throw StoreError.notShared }
  package func removeHold(_ id: UniqueID<BlobHold>) throws -> Bool { throw StoreError.notShared }
  package func noteOrphan(_ hash: FileHash) throws { throw StoreError.notShared }
}
