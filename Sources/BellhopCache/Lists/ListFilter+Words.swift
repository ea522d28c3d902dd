package import BellhopModel
import BellhopSearch

extension ListFilter {
  /// Returns whether an item in `placement` meets every term and contains the words.
  ///
  /// The result is the same as for ``CacheList/narrowed(_:_:)``.
  package func passes(_ item: UserNotification, in placement: Placement) -> Bool {
    guard matches(item, in: placement) else { return false }
    let query = SearchQuery(words)
    return query.isEmpty || query.matches(SearchText(item.effectiveContent).fields)
  }
}
