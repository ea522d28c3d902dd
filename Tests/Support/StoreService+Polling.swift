import BellhopModel
package import BellhopStore

extension StoreService {
  /// Polls a user's items until all writers have ended, and returns the titles that it saw.
  ///
  /// The poller only asks for rows above the last sequence that it saw, so it never sees rows that
  /// become visible below it later.
  package func polledTitles(
    of user: UserID, every pause: Duration, until haveWritersEnded: () -> Bool
  ) async throws -> Set<String> {
    var titles: Set<String> = []
    var start = DeltaStart.beginning
    // A delta has all rows if it began after the writers had ended. A first synchronisation leaves
    // to it the rows written meanwhile.
    var isLast = false
    try await eventually(
      "the end of the writers", every: pause, last: "\(titles.count) rows"
    ) {
      if case .since = start { isLast = haveWritersEnded() }
      let page = try await delta(from: start, rows: 50, for: user)
      for case .item(let item) in page.changes {
        titles.insert(item.content.visual?.title ?? "")
      }
      switch page.end {
      case .complete(let token):
        start = .since(token)
        return isLast
      case .next(let token):
        start = .page(token)
        return false
      }
    }
    return titles
  }
}
