package import BellhopModel
import BellhopSearch

extension ListFilter {
  /// Whether every term holds for an item that belongs to `placement`, and its texts contain the
  /// words; the same as ``CacheList/narrowed(_:_:)``.
  package func passes(_ item: UserNotification, in placement: Placement) -> Bool {
    guard matches(item, in: placement) else { return false }
    let query = SearchQuery(words)
    return query.isEmpty || query.matches(SearchText(item.content).fields)
  }
}
