internal import BellhopModel

/// The results of copying attachments.
struct BlobCounts: Hashable, Sendable {
  var copied = 0
  var missing: [FileHash] = []
  var damaged: [FileHash] = []
}

/// A copy of attachments from one blob store to another.
struct BlobCopy: Sendable {
  let source: (any BlobStore)?
  let target: (any BlobStore)?
  /// The prefix of the names of drafts. It differs in each run, because the drafts of an interrupted
  /// run may still exist.
  let draftName: String

  init(
    from source: (any BlobStore)?, to target: (any BlobStore)?, _ environment: StoreEnvironment
  ) {
    self.source = source
    self.target = target
    draftName = Self.draftName(environment)
  }

  static func draftName(_ environment: StoreEnvironment) -> String {
    "copy-" + Base64URL.encode(environment.randomBytes(9))
  }

  /// Copies a blob unless the target has one of the same size.
  ///
  /// Its hash is checked before it is placed.
  func copy(_ hash: FileHash, _ counts: inout BlobCounts) async throws {
    guard let target, let blob = try await source?.open(hash) else {
      counts.missing.append(hash)
      return
    }
    if let known = try await target.open(hash), known.size == blob.size {
      counts.copied += 1
      return
    }
    let draft = try await target.makeDraft(named: "\(draftName)-\(hash.rawValue)")
    guard try await blob.readChunks({ try await draft.write($0) }) == hash else {
      counts.damaged.append(hash)
      return
    }
    try await draft.place(as: hash)
    counts.copied += 1
  }
}

extension StoredBlob {
  /// Passes the bytes to `body` in chunks, and returns their hash.
  func readChunks(_ body: ([UInt8]) async throws -> Void) async throws -> FileHash {
    // Bounds the memory for a blob, with few round trips.
    let chunkBytes = 256 * 1024
    var digest = FileDigest()
    var offset = 0
    while offset < size {
      try Task.checkCancellation()
      let bytes = try await read(at: offset, count: chunkBytes)
      if bytes.isEmpty { break }
      digest.update(bytes)
      try await body(bytes)
      offset += bytes.count
    }
    return digest.hash
  }
}
