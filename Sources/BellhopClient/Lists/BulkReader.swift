package import BellhopCache
package import BellhopInbox
package import BellhopModel

/// A reader of whole lists before a bulk change.
///
/// Determines the number of items for the confirmation, and the operations of the change. Runs off
/// the thread that handles keys, because a narrowed list must be searched.
package struct BulkReader {
  let cache: any CacheReading

  package init(cache: any CacheReading) { self.cache = cache }

  private func list(_ query: ListQuery) -> WholeList {
    WholeList(CacheList(query), of: cache, namedMax: BulkOrder.namedMax)
  }

  /// Returns the size of the list, and the bound of the items that the user can have seen.
  package func extent(_ query: ListQuery) throws(CacheError) -> SelectionExtent.Part {
    let extent = try list(query).extent()
    return SelectionExtent.Part(
      account: cache.account, count: extent.items.count, unread: extent.items.unread,
      bound: extent.bound)
  }

  /// Returns the operations that carry out the order, never more than it has ids for.
  package func operations(of order: BulkOrder) throws(CacheError) -> [BellhopModel.Operation] {
    try list(order.query).operations(
      order.mutation, bound: order.bound, ids: order.operations)
  }
}
