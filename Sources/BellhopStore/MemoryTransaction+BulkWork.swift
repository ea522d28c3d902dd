internal import BellhopModel

extension MemoryTransaction {
  func bulkWork(_ id: OperationID, of user: UserID) -> BulkWork? {
    partition(user).bulkWorks[id]
  }

  func bulkWorks(limit: Int) -> [(user: UserID, work: BulkWork)] {
    let all = state.partitions.flatMap { user, partition in
      partition.bulkWorks.values.map { (user: user, work: $0) }
    }
    return Array(
      all.sorted {
        ($0.work.begun, $0.work.operation.id) < ($1.work.begun, $1.work.operation.id)
      }.prefix(limit))
  }

  func put(_ work: BulkWork, of user: UserID) {
    set(\.bulkWorks[work.operation.id], of: user, to: work)
  }

  func removeBulkWork(_ id: OperationID, of user: UserID) {
    set(\.bulkWorks[id], of: user, to: nil)
  }
}
