/// Something to be done outside, at once and without blocking the next message. Each kind of effect is
/// carried out in one place, and answered by messages of its own kind.
package enum Effect: Hashable, Sendable {
  /// Read the cache; ``CacheAnswer`` says what was found, and ``Message/readFailed(_:_:)`` that it
  /// cannot be read.
  case read(CacheRead)
  /// Read what may take its time; ``SlowAnswer`` follows.
  case slow(SlowRead)
  /// Append to the outbox, or take out of it; ``ChangeOutcome`` follows.
  case change(CacheChange)
  /// Reach beyond the store for an item; ``ItemOutcome`` follows.
  case item(ItemEffect)
  /// Work on the file of an attachment; ``AttachmentProgress`` follows.
  case attachment(AttachmentEffect)
  /// Ask about devices and activity; ``ActivityAnswer`` follows.
  case activity(ActivityEffect)
  case store(StoreEffect)
  /// Write down for the next start.
  case remember(Remembered)
  /// Work of the terminal, and of the loop that reads it; ``TerminalReport`` follows where it says so.
  case terminal(TerminalEffect)
}

/// Something of the screen that is kept for the next start.
package enum Remembered: Hashable, Sendable {
  /// The places of the rules between the panes.
  case splits(Splits)
  /// The orders of the lists.
  case orders(ListOrders)
  /// The views that the person saved, in the place of those kept before.
  case views([SavedView])
  /// Forget a view that the person saved.
  case removeView(named: String)
}

/// A request to the stores.
package enum StoreEffect: Hashable, Sendable {
  case syncNow
  /// Checks the registration, then synchronises.
  case checkAndSync
  /// Publish a first notification to the account's own store.
  case publishSample
  /// Publish some items to try things on, which go away again.
  case publishTourItems
}
