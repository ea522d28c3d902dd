internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func isHeld(_ hash: FileHash) -> Bool { state.holds.values.contains { $0.hash == hash } }

  func endedHolds(by now: Timestamp, limit: Int) -> [BlobHold] {
    let ended = state.holds.values.filter { $0.ends <= now }
    return Array(ended.sorted { ($0.ends, $0.id) < ($1.ends, $1.id) }.prefix(limit))
  }

  func insert(_ hold: BlobHold) { set(\.holds[hold.id], to: hold) }

  func removeHold(_ id: UniqueID<BlobHold>) -> Bool {
    guard state.holds[id] != nil else { return false }
    set(\.holds[id], to: nil)
    return true
  }

  func noteOrphan(_ hash: FileHash) {
    set(\.orphanedHashes, to: state.orphanedHashes.union([hash]))
  }
}
