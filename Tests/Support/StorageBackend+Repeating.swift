package import BellhopModel
package import BellhopStore

extension StorageBackend {
  /// Stores a repeat of an item's content, as a publication does that collapses into the item.
  ///
  /// No reader of the store is notified of it.
  ///
  /// - Parameter change: Changes the item further before it is stored.
  @discardableResult
  package func storeRepeat(
    of id: NotificationID, user: UserID, at now: Timestamp,
    change: @escaping @Sendable (inout UserNotification) -> Void = { _ in }
  ) async throws -> UserNotification {
    try await write(
      in: .user(user),
      { transaction -> UserNotification in
        guard var counters = try transaction.counters(of: user),
          case .live(var item)? = try transaction.row(id, of: user)
        else { throw StoreError.notFound(what: "item") }
        counters.sequence = counters.sequence.next
        item.state.noteRepeat(counters.sequence, at: now)
        change(&item)
        try transaction.setCounters(counters, of: user)
        try transaction.put(item, leaves: nil, of: user)
        return item
      }, committed: { _ in })
  }
}
