package import BellhopCache
package import BellhopInbox
package import BellhopModel

/// Says what a whole list is: how many items for the question before it is changed, and which
/// operations change it.
///
/// Off the thread of the keys: a list that is narrowed is looked through.
package struct BulkReader {
  let cache: any CacheReading

  package init(cache: any CacheReading) { self.cache = cache }

  private func list(_ query: ListQuery) -> WholeList {
    WholeList(CacheList(query), of: cache, namedMax: BulkOrder.namedMax)
  }

  /// How much the list is, and what of it the person can have been shown.
  package func extent(_ query: ListQuery) throws(CacheError) -> SelectionExtent.Part {
    let extent = try list(query).extent()
    return SelectionExtent.Part(
      account: cache.account, count: extent.items.count, unread: extent.items.unread,
      bound: extent.bound)
  }

  /// The operations that carry the order out, never more than it has ids for.
  package func operations(of order: BulkOrder) throws(CacheError) -> [BellhopModel.Operation] {
    try list(order.query).operations(
      order.mutation, bound: order.bound, ids: order.operations)
  }
}
