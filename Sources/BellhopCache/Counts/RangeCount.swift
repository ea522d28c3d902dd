import BellhopModel
import BellhopSearch

extension CacheReader {
  package func count(
    of list: CacheList, in keys: ClosedRange<ArrivalKey>, limit: Int
  ) throws(CacheError) -> Int {
    try searchConnection().read { statement in
      switch list.unsorted {
      case .search(let text): try CacheSearch(text, statement).count(keys, limit: limit)
      case .narrowed(let base, let filter):
        try NarrowedList(base, filter, statement).count(keys, limit: limit)
      case .tray, .handled, .history, .later:
        try NarrowedList(list.unsorted, ListFilter(), statement).count(keys, limit: limit)
      case .trayGroup(let group):
        try NarrowedList(.tray, ListFilter(group), statement).count(keys, limit: limit)
      // A list is sorted only once.
      case .sorted: 0
      }
    }
  }

  package func count(
    of list: CacheList, above position: ListPosition, limit: Int
  ) throws(CacheError) -> Int {
    if case .trayGroup(let group) = list {
      return try searchConnection().read { statement in
        try statement.members(of: group, above: position, limit: limit)
      }
    }
    guard case .sorted(let base, _) = list else {
      return try count(of: list, in: position.key.next...ArrivalKey(rawValue: .max), limit: limit)
    }
    var (whole, filter) = (base, ListFilter())
    if case .narrowed(let narrowed, let narrowing) = base {
      (whole, filter) = (narrowed, narrowing)
    }
    return try searchConnection().read { statement in
      try NarrowedList(whole, filter, statement).count(above: position, limit: limit)
    }
  }
}

extension MemoryCache {
  package func count(
    of list: CacheList, in keys: ClosedRange<ArrivalKey>, limit: Int
  ) throws(CacheError) -> Int {
    min(limit, try rows(of: list, .first, limit: .max).count { keys.contains($0.key) })
  }

  package func count(
    of list: CacheList, above position: ListPosition, limit: Int
  ) throws(CacheError) -> Int {
    let rows = try rows(of: list, .first, limit: .max)
    return min(
      limit, rows.count { $0.position(in: list).stands(above: position, in: list) })
  }
}

extension ArrivalKey {
  /// The next higher key.
  fileprivate var next: ArrivalKey {
    ArrivalKey(rawValue: rawValue == .max ? .max : rawValue + 1)
  }
}

extension ListFilter {
  /// Creates the filter that the items of a group pass.
  init(_ group: TrayGroup) {
    self.init(terms: [
      Term(.app([NamePattern(group.app)])), Term(.group([NamePattern(group.name)])),
    ])
  }
}
