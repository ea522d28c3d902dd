/// An effect outside of the state, performed at once without blocking the next message.
///
/// Each kind of effect is performed in one place, and answered by messages of its own kind.
package enum Effect: Hashable, Sendable {
  /// Reads the cache; answered by ``CacheAnswer``, or by ``Message/readFailed(_:_:)`` on failure.
  case read(CacheRead)
  /// Reads what may take long; answered by ``SlowAnswer``.
  case slow(SlowRead)
  /// Appends to the outbox, or removes from it; answered by ``ChangeOutcome``.
  case change(CacheChange)
  /// Reaches beyond the store for an item; answered by ``ItemOutcome``.
  case item(ItemEffect)
  /// Works on the file of an attachment; answered by ``AttachmentProgress``.
  case attachment(AttachmentEffect)
  /// Requests devices or activity; answered by ``ActivityAnswer``.
  case activity(ActivityEffect)
  case store(StoreEffect)
  /// Saves a value for the next start.
  case remember(SavedScreenValue)
  /// Affects the terminal and the loop that reads it; may be answered by ``TerminalReport``.
  case terminal(TerminalEffect)
}

/// A value of the screen that is saved for the next start.
package enum SavedScreenValue: Hashable, Sendable {
  /// The positions of the rules between the panes.
  case splits(Splits)
  /// The orders of the lists.
  case orders(ListOrders)
  /// The user's saved views, which replace the previous ones.
  case views([SavedView])
  /// Removes a view that the user saved.
  case removeView(named: String)
}

/// A request to the stores.
package enum StoreEffect: Hashable, Sendable {
  case syncNow
  /// Checks the registration, then synchronises.
  case checkAndSync
  /// Publishes a first notification to the account's own store.
  case publishSample
  /// Publishes some temporary items for the tour.
  case publishTourItems
}
