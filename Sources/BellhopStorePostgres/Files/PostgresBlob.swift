#if BELLHOP_POSTGRES
internal import BellhopStore
internal import Synchronization

/// A blob's hash as bytes.
struct BlobKey: Hashable, Sendable {
  let bytes: [UInt8]

  private static let count = 32

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates the key; nil if the text is not a valid hash.
  init?(_ hash: FileHash) {
    guard let bytes = Self.bytes(hash.rawValue), bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Reads pairs of lowercase hexadecimal digits; nil if the text has anything else.
  private static func bytes(_ text: String) -> [UInt8]? {
    var values: [UInt8] = []
    for digit in text.utf8 {
      switch digit {
      case 0x30...0x39: values.append(digit - 0x30)
      case 0x61...0x66: values.append(digit - 0x61 + 10)
      default: return nil  // open: UInt8
      }
    }
    guard values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// Returns the first key with the prefix, and the first one after all of those; nil for none.
  static func range(ofPrefix prefix: String) -> (start: [UInt8], end: [UInt8]?)? {
    guard let start = bytes(prefix) else { return nil }
    var end = start
    while let last = end.last {
      if last < 255 {
        end[end.count - 1] = last + 1
        return (start, end)
      }
      end.removeLast()
    }
    return (start, nil)
  }
}

/// A numbered piece of a blob.
struct BlobChunk: Sendable {
  var number: Int64
  var data: [UInt8]
}

/// An upload whose full chunks are in the database. The rest is in memory until it is placed.
final class PostgresBlobDraft: BlobDraft {
  private let shelf: PostgresBlobStore
  private let name: String
  private let state = Mutex(State())

  private struct State {
    /// The bytes that do not fill a chunk yet.
    var rest = BlobChunk(number: 0, data: [])
    var isPlaced = false

    /// Adds bytes, and takes the chunks that are full.
    mutating func add(_ bytes: [UInt8]) -> [BlobChunk] {
      rest.data += bytes
      var full: [BlobChunk] = []
      var start = 0
      while rest.data.count - start >= PostgresBlobStore.chunkBytes {
        let end = start + PostgresBlobStore.chunkBytes
        full.append(BlobChunk(number: rest.number, data: Array(rest.data[start..<end])))
        rest.number += 1
        start = end
      }
      if start > 0 { rest.data.removeFirst(start) }
      return full
    }
  }

  init(_ shelf: PostgresBlobStore, name: String) {
    self.shelf = shelf
    self.name = name
  }

  deinit {
    let hasRows = state.withLock { !$0.isPlaced && $0.rest.number > 0 }
    if hasRows { shelf.leftovers.add(draft: name, of: shelf) }
  }

  func write(_ bytes: [UInt8]) async throws {
    let chunks = state.withLock { $0.add(bytes) }
    for chunk in chunks { try await shelf.add(chunk, toDraft: name) }
  }

  func place(as hash: FileHash) async throws {
    guard let key = BlobKey(hash) else { throw StoreError.invalidHash }
    let rest = state.withLock { $0.rest }
    try await shelf.place(name, followedBy: rest, as: key)
    state.withLock { $0.isPlaced = true }
  }
}

/// A blob whose chunks are read as they are needed.
final class PostgresBlob: StoredBlob {
  let size: Int
  private let shelf: PostgresBlobStore
  private let key: BlobKey

  init(_ shelf: PostgresBlobStore, key: BlobKey, size: Int) {
    self.shelf = shelf
    self.key = key
    self.size = size
  }

  func read(at offset: Int, count: Int) async throws -> [UInt8] {
    guard (0..<size).contains(offset), count > 0 else { return [] }
    let wanted = min(count, size - offset)
    let key = key
    let found: [UInt8] = try await shelf.attempt { connection in
      let rows = try connection.run(
        """
        SELECT substring(
          data FROM (greatest($2 - number * $4, 0) + 1)::integer
          FOR (least($2 + $3 - number * $4, $4) - greatest($2 - number * $4, 0))::integer
        ) AS data
        FROM blob_chunk
        WHERE hash = $1 AND number BETWEEN $2 / $4 AND ($2 + $3 - 1) / $4 ORDER BY number
        """, .bytes(key.bytes), .integer(Int64(offset)), .integer(Int64(wanted)),
        .integer(Int64(PostgresBlobStore.chunkBytes)))
      var bytes: [UInt8] = []
      for row in rows { bytes += try row.value("data", as: [UInt8].self) }
      return bytes
    }
    guard found.count == wanted else {
      throw StoreError.unavailable(
        reason: "an attachment was removed while it was read, or its bytes are incomplete")
    }
    return found
  }
}
#endif
