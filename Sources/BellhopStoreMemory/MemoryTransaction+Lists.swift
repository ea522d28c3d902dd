internal import BellhopModel
internal import BellhopStore

extension MemoryTransaction {
  func list(_ query: PageQuery, of user: UserID, until deadline: WorkDeadline) -> ListRows {
    let partition = partition(user)
    let scanMax = query.search == nil ? query.scanMax : query.textScanMax
    var fill = ListFill(query.limit, scanMax: scanMax, until: deadline)
    for (place, id) in partition.places(query) {
      if fill.isFull { return fill.rows(isLast: false) }
      fill.noteExamined(place, partition.listed(id, query))
    }
    return fill.rows(isLast: true)
  }

  func hasMovedItems(of user: UserID) -> Bool {
    partition(user).rows.values.contains { row in
      if case .live(let item) = row { item.state.applied.value.app != nil } else { false }
    }
  }

  func count(_ query: PageQuery, of user: UserID, until deadline: WorkDeadline) -> Int? {
    let partition = partition(user)
    let keys = partition.keys(query)
    if query.filter != nil, keys.count > query.scanMax { return nil }
    if query.search != nil, keys.count > query.textScanMax { return nil }
    var count = 0
    for key in keys {
      if deadline.hasPassed { return nil }
      if partition.listed(key.id, query) != nil { count += 1 }
    }
    return count
  }
}

extension MemoryPartition {
  /// Returns the item if it is live and belongs to the list.
  fileprivate func listed(_ id: NotificationID, _ query: PageQuery) -> UserNotification? {
    guard let item = live(id) else { return nil }
    if let time = leaves[id], time <= query.now { return nil }
    guard query.reader.receives(item.content) else { return nil }
    if let filter = query.filter {
      if item.content.trigger == nil {
        guard filter.matches(item) else { return nil }
      } else if query.triggered == .leftOut {
        return nil
      }
    }
    return query.finds(item) ? item : nil
  }

  /// Returns the rows to examine, in the order of the list.
  fileprivate func places(_ query: PageQuery) -> [(ListPlace, NotificationID)] {
    switch query.index {
    case .arrival:
      var keys = keys(query)
      if case .arrival(let place)? = query.after {
        keys = keys.filter { query.isAscending ? $0 > place : $0 < place }
      }
      return (query.isAscending ? keys : keys.reversed()).map { (.arrival($0), $0.id) }
    case .number: return places(rows.values.map { ($0.shortNumber, $0.id) }, query)
    case .sequence: return places(bySequence.map { ($0.rawValue, $1) }, query)
    }
  }

  /// Returns the keys that a walk by arrival examines, for the whole list.
  fileprivate func keys(_ query: PageQuery) -> [ArrivalKey] {
    let range = query.filter?.arrivalRange
    let app = query.app
    return byArrival.filter { key in
      key.arrival >= range?.from ?? key.arrival && key.arrival <= range?.through ?? key.arrival
        && (app == nil || live(key.id)?.content.app == app)
    }
  }

  /// Returns the places in number order. Tombstones are included: they occupy places in these
  /// orders.
  private func places(
    _ rows: [(number: Int64, id: NotificationID)], _ query: PageQuery
  ) -> [(ListPlace, NotificationID)] {
    var rows = rows.sorted {
      query.isAscending ? $0.number < $1.number : $0.number > $1.number
    }
    if case .number(let place)? = query.after {
      rows = rows.filter { query.isAscending ? $0.number > place : $0.number < place }
    }
    return rows.map { (.number($0.number), $0.id) }
  }
}
