internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  /// Removes all rows at once, whatever the limit, because this is fast in memory.
  func removeRows(of user: UserID, limit: Int) -> Int {
    noteAccess(user)
    guard let partition = state.partitions[user] else { return 0 }
    let kept = state.tokens.filter { $0.value.token.user != user }
    let grants = state.deviceGrants.filter { $0.value.decider != user }
    let count =
      partition.rowCount + state.tokens.count - kept.count + state.deviceGrants.count - grants.count
    guard count > 0 else { return 0 }
    var empty = MemoryPartition()
    empty.counters = partition.counters
    set(\.tokens, to: kept)
    set(\.deviceGrants, to: grants)
    set(\.orphanedHashes, to: state.orphanedHashes.union(partition.files.values.map(\.hash)))
    set(\.partitions[user], to: empty)
    return count
  }

  func removeUser(_ user: UserID) {
    noteAccess(user)
    set(\.users, to: state.users.filter { $0.id != user })
    set(\.partitions[user], to: nil)
  }
}

extension MemoryPartition {
  /// The number of rows of every kind.
  fileprivate var rowCount: Int {
    startSequences.count + rows.count + devices.count + publications.count + numbers.count
      + numbered.count + operations.count + bulkWorks.count + subjects.count + signIns.count
      + subscriptions.count + apps.count + aliases.count + profiles.count + files.count
      + rules.count + itemAliases.count
  }
}
