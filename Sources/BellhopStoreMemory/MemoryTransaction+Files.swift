internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  private var allFiles: [StoredFile] { state.partitions.values.flatMap(\.files.values) }

  func file(_ id: FileID) -> StoredFile? {
    for partition in state.partitions.values {
      if let file = partition.files[id] { return file }
    }
    return nil
  }

  func fileCharge(of user: UserID) -> Int {
    partition(user).files.values.reduce(0) { $0 + $1.charge }
  }

  func fileCharge(ofApp app: String?, of user: UserID) -> Int {
    partition(user).files.values.reduce(0) { $0 + ($1.app == app ? $1.charge : 0) }
  }

  func fileCharge(of user: UserID, token: AccessTokenID) -> Int {
    partition(user).files.values.reduce(0) { $0 + ($1.token == token ? $1.charge : 0) }
  }

  func expiredFiles(by now: Timestamp, limit: Int) -> [StoredFile] {
    let expired = allFiles.filter { $0.expires <= now }
    return Array(expired.sorted { ($0.expires, $0.id) < ($1.expires, $1.id) }.prefix(limit))
  }

  func isInUse(_ hash: FileHash) -> Bool { allFiles.contains { $0.hash == hash } }

  func orphanedHashes(limit: Int) -> [FileHash] {
    Array(state.orphanedHashes.sorted().prefix(limit))
  }

  func insert(_ file: StoredFile) { set(\.files[file.id], of: file.user, to: file) }

  func update(_ file: StoredFile) { set(\.files[file.id], of: file.user, to: file) }

  func removeFile(_ id: FileID, of user: UserID) {
    guard let file = partition(user).files[id] else { return }
    set(\.files[id], of: user, to: nil)
    set(\.orphanedHashes, to: state.orphanedHashes.union([file.hash]))
  }

  func forgetOrphan(_ hash: FileHash) {
    set(\.orphanedHashes, to: state.orphanedHashes.subtracting([hash]))
  }
}
