internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func statistics(of user: UserID) -> UserStatistics {
    let partition = state.partitions[user] ?? MemoryPartition()
    var (items, tombstones, bytes) = (0, 0, Int64(0))
    for row in partition.rows.values {
      switch row {
      case .tombstone: tombstones += 1
      case .live(let item):
        items += 1
        let visual = item.content.visual
        let texts = [visual?.title, visual?.subtitle, visual?.body, item.content.raw]
        bytes += texts.reduce(0) { $0 + Int64($1?.utf8.count ?? 0) }
      }
    }
    return UserStatistics(
      items: items, tombstones: tombstones, bytes: bytes, devices: partition.devices.count,
      tokens: state.tokens.values.count { $0.token.user == user && $0.token.revoked == nil })
  }
}
