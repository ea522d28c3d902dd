package import BellhopModel

extension CacheReading {
  /// Returns the number of items of a list that pass a filter, if that is cheap to determine.
  ///
  /// It is cheap if the counters contain the number, or if the list has at most `limit` items to
  /// check. Returns nil otherwise, and for filters with words.
  ///
  /// The cost depends on the number of apps and on `limit`, not on how much is kept.
  package func count(
    of filter: ListFilter, in list: CacheList, scanning limit: Int
  ) throws(CacheError) -> Int? {
    guard filter.words.isEmpty, let all = try totals().count(of: list)?.count else { return nil }
    if filter.isEmpty { return all }
    if let counted = CountedFilter(filter) {
      return counted.count(try apps(), in: list)
    }
    return all <= limit ? try countByScanning(at: list, passing: filter) : nil
  }
}

extension CacheReader {
  package func countByScanning(
    at list: CacheList, passing filter: ListFilter
  ) throws(CacheError) -> Int {
    let condition = FilterSQL(filter)
    return try readList { statement in
      let passing = try statement.once(
        """
        SELECT count(*) FROM item
        WHERE \(list.condition) AND \(condition.text)
        """)
      return try condition.bind(to: passing).first { $0.count(0) } ?? 0
    }
  }
}

extension MemoryCache {
  package func countByScanning(
    at list: CacheList, passing filter: ListFilter
  ) throws(CacheError) -> Int {
    try rows(of: .narrowed(list, ListFilter(terms: filter.terms)), .first, limit: .max).count
  }
}

/// A filter whose number of passing items follows from the counters of the apps.
private struct CountedFilter {
  private var apps: [ListFilter.Term] = []
  /// Whether only unread items pass, or only read ones; nil if both pass.
  private var isUnread: Bool?

  /// Returns nil for a filter with terms that the counters do not cover.
  init?(_ filter: ListFilter) {
    for term in filter.terms {
      switch term.test {
      case .app: apps.append(term)
      case .state([.unread]) where !term.isNegated && isUnread == nil: isUnread = true
      case .state([.read]) where !term.isNegated && isUnread == nil: isUnread = false
      case .group, .tag, .state, .priority, .arrivedSince, .arrivedBefore: return nil
      }
    }
  }

  func count(_ summaries: [AppSummary], in list: CacheList) -> Int {
    summaries.reduce(0) { sum, summary in
      guard apps.allSatisfy({ Self.holds($0, summary.app) }),
        let count = summary.totals.count(of: list)
      else { return sum }
      switch isUnread {
      case true?: return sum + count.unread
      case false?: return sum + count.count - count.unread
      case nil: return sum + count.count
      }
    }
  }

  private static func holds(_ term: ListFilter.Term, _ app: String) -> Bool {
    guard case .app(let patterns) = term.test else { return false }
    return patterns.contains { $0.matches(app) } != term.isNegated
  }
}
