internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func matches(
    _ query: BulkQuery, of user: UserID, until deadline: WorkDeadline
  ) -> BulkMatches {
    let partition = partition(user)
    let end = query.below.map(partition.place(of:)) ?? partition.byArrival.count
    let (predicate, app) = (query.predicate, query.walkApp)
    var fill = BulkFill(query, until: deadline)
    // Only the rows that an index by app and arrival would examine.
    for key in partition.byArrival[..<end].reversed() {
      guard let item = partition.live(key.id),
        app.map({ $0 == item.content.app }) ?? true,
        predicate.arrivedBefore.map({ key.arrival < $0 }) ?? true,
        predicate.arrivedSince.map({ key.arrival >= $0 }) ?? true
      else { continue }
      if fill.isFull { return fill.matches(isLast: false) }
      let hasLeft = partition.leaves[key.id].map { $0 <= query.now } ?? false
      fill.noteExamined(key, isMatch: !hasLeft && query.mayInclude(item))
    }
    return fill.matches(isLast: true)
  }

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
