import BellhopModel
package import BellhopStore
import Synchronization

/// A shelf in memory, for tests.
package final class MemoryShelf: BlobStore {
  private let files = Mutex<[FileHash: [UInt8]]>([:])

  package init() {}

  package func makeDraft(named name: String) -> any BlobDraft { Draft(shelf: self) }

  package func open(_ hash: FileHash) -> (any StoredBlob)? {
    files.withLock { $0[hash] }.map(File.init)
  }

  package func remove(_ hash: FileHash) { files.withLock { $0[hash] = nil } }

  package func hashes(beginningWith prefix: String) -> [FileHash] {
    files.withLock { $0.keys.filter { $0.rawValue.hasPrefix(prefix) }.sorted() }
  }

  package func removeDrafts() {}

  private final class Draft: BlobDraft {
    let shelf: MemoryShelf
    private let bytes = Mutex<[UInt8]>([])

    init(shelf: MemoryShelf) { self.shelf = shelf }

    func write(_ bytes: [UInt8]) { self.bytes.withLock { $0 += bytes } }

    func place(as hash: FileHash) {
      let all = bytes.withLock { $0 }
      shelf.files.withLock { $0[hash] = all }
    }
  }

  private final class File: StoredBlob {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var size: Int { bytes.count }

    func read(at offset: Int, count: Int) -> [UInt8] {
      guard (0..<bytes.count).contains(offset) else { return [] }
      return Array(bytes[offset...].prefix(max(0, count)))
    }
  }
}
