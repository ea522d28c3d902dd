import BellhopModel
import BellhopSearch

extension CacheReader {
  public func count(
    of list: CacheList, in keys: ClosedRange<ArrivalKey>, limit: Int
  ) throws(CacheError) -> Int {
    try searchConnection().read { statement in
      switch list {
      case .search(let text): try CacheSearch(text, statement).count(keys, limit: limit)
      case .narrowed(let base, let filter):
        try NarrowedList(base, filter, statement).count(keys, limit: limit)
      case .tray, .history, .everything, .later:
        try NarrowedList(list, ListFilter(), statement).count(keys, limit: limit)
      case .trayGroup(let group):
        try NarrowedList(.tray, ListFilter(group), statement).count(keys, limit: limit)
      }
    }
  }
}

extension MemoryCache {
  public func count(
    of list: CacheList, in keys: ClosedRange<ArrivalKey>, limit: Int
  ) throws(CacheError) -> Int {
    min(limit, try rows(of: list, .first, limit: .max).count { keys.contains($0.key) })
  }
}

extension ListFilter {
  /// The filter that the items of a group pass.
  init(_ group: TrayGroup) {
    self.init(terms: [
      Term(.app([NamePattern(group.app)])), Term(.group([NamePattern(group.name)])),
    ])
  }
}
