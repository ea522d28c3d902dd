/// A blob store for attachments, keyed by the hash of their content.
///
/// It knows nothing of users and items; rows record which hashes are in use. Several processes may
/// use one at the same time. All errors are ``StoreError``, a full disk ``StoreError/storageFull``.
package protocol BlobStore: Sendable {
  /// Creates a draft under a unique name, to which bytes can be written.
  func makeDraft(named name: String) async throws -> any BlobDraft
  /// Opens the blob with this hash; returns nil if it does not exist.
  func open(_ hash: FileHash) async throws -> (any StoredBlob)?
  /// Returns the size of a blob; nil if it does not exist.
  func size(of hash: FileHash) async throws -> Int?
  /// Removes the blob if it exists. It must be fast: it runs at a commit, before the next write.
  func remove(_ hash: FileHash) throws
  /// Returns the stored hashes that begin with these two digits.
  func hashes(beginningWith prefix: String) async throws -> [FileHash]
  /// Removes the unfinished drafts of processes that have ended. Other processes may write drafts
  /// meanwhile.
  func removeDrafts() async throws
  /// Reclaims the space of unfinished drafts and removed blobs.
  ///
  /// Each sweep of a shared storage calls it, and several processes may sweep at the same time.
  func reclaimSpace() async throws
}

extension BlobStore {
  package func size(of hash: FileHash) async throws -> Int? { try await open(hash)?.size }

  package func reclaimSpace() async throws { try await removeDrafts() }

  /// Returns the hashes of files whose blob is missing or has another size.
  package func missing(
    among files: [(hash: FileHash, size: Int)]
  ) async throws -> Set<FileHash> {
    var missing: Set<FileHash> = []
    for file in files {
      let size = try await size(of: file.hash)
      if size != file.size { missing.insert(file.hash) }
    }
    return missing
  }
}

/// A blob that is being written. It is discarded unless it is placed.
package protocol BlobDraft: AnyObject, Sendable {
  func write(_ bytes: [UInt8]) async throws
  /// Moves the bytes to their place. They are on the disk when it returns.
  func place(as hash: FileHash) async throws
}

/// A blob open for reading. It stays readable if it is removed meanwhile.
package protocol StoredBlob: AnyObject, Sendable {
  var size: Int { get }
  /// Reads up to `count` bytes from `offset`; fewer only at the end.
  func read(at offset: Int, count: Int) async throws -> [UInt8]
}
