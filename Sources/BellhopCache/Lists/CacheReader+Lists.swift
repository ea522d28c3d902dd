import BellhopModel

extension CacheReader {
  package func rows(
    of list: CacheList, _ window: ListWindow, limit: Int
  ) throws(CacheError) -> [CachedRow] {
    switch list {
    case .tray, .handled, .history:
      try readList { try $0.placed(list.placements, window, limit: limit) }
    case .later: try readList { try $0.later(window, limit: limit) }
    case .trayGroup(let group):
      try readList { try $0.members(of: group, window, limit: limit) }
    case .sorted(.narrowed(let base, let filter), let order):
      try searchConnection().read { statement in
        try SortedList(.narrowed(base, filter), order, statement).rows(window, limit: limit)
      }
    case .sorted(let base, let order):
      try readList { try SortedList(base, order, $0).rows(window, limit: limit) }
    case .search(let text):
      try searchConnection().read { statement in
        try CacheSearch(text, statement).rows(window, limit: limit)
      }
    case .narrowed(let base, let filter):
      try searchConnection().read { statement in
        try NarrowedList(base, filter, statement).rows(window, limit: limit)
      }
    }
  }

  package func countAbove(
    _ position: ListPosition, in list: CacheList, limit: Int
  ) throws(CacheError) -> Int? {
    switch list {
    case .search, .narrowed, .sorted(.narrowed, _): nil
    case .tray, .handled, .history:
      try readList { try $0.countAbove(position, list.placements, limit: limit) }
    case .sorted(let base, let order):
      try readList { try SortedList(base, order, $0).countAbove(position, limit: limit) }
    case .trayGroup(let group):
      try readList { try $0.members(of: group, above: position, limit: limit) }
    case .later:
      try readList { statement in
        try statement(
          """
          SELECT count(*) FROM (SELECT 1 FROM item
            WHERE due IS NOT NULL AND (due, arrival_key) < (?, ?) LIMIT ?)
          """
        ).bind(position.due ?? .distantPast).bind(position.key).bind(limit)
          .first { $0.count(0) }
      }
    }
  }
}
