/// Where the bytes of files are, each under the hash of its content.
///
/// The shelf knows nothing of users and items; rows say which hashes are in use. All errors are
/// ``StoreError``, a full disk ``StoreError/storageFull``.
package protocol FileShelf: Sendable {
  /// Begins to take bytes in, under a name that nothing else has.
  func makeDraft(named name: String) async throws -> any FileDraft
  /// The bytes with this hash; nil when they are not there.
  func open(_ hash: FileHash) async throws -> (any ShelvedFile)?
  /// Removes the bytes, if they are there. Quick: it runs at a commit, before the next write.
  func remove(_ hash: FileHash) throws
  /// What is there, by the first two digits of the hash.
  func hashes(beginningWith prefix: String) async throws -> [FileHash]
  /// Removes what a crash left unfinished. To be called while nothing is being written.
  func removeDrafts() async throws
}

/// Bytes on their way to the shelf. Nothing of them stays unless they are placed.
package protocol FileDraft: AnyObject, Sendable {
  func write(_ bytes: [UInt8]) async throws
  /// Puts the bytes in their place, where they are on the disk when it returns.
  func place(as hash: FileHash) async throws
}

/// Bytes on the shelf, open for reading: they stay readable when they are removed meanwhile.
package protocol ShelvedFile: AnyObject, Sendable {
  var size: Int { get }
  /// At most `count` bytes from `offset` on; fewer only at the end.
  func read(at offset: Int, count: Int) async throws -> [UInt8]
}
