package import BellhopModel

/// A run of a process that writes to a cache: it takes back only deletes that it made itself.
package struct OutboxOwner: StringIdentifier {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  /// Any process that never holds an operation back.
  package static let unnamed = OutboxOwner("")
}

/// Whose cache it is, and what a cache needs from the composition root.
package struct CacheIdentity: Sendable {
  package var account: AccountName
  /// What the device's clocks show: arrivals in an app's quiet hours ring nowhere on it.
  package var wallClock: WallClock
  /// Makes the lineage of a fresh cache; unique in the world.
  package var newLineage: @Sendable () -> Lineage
  /// The run of the process that opens the cache; unique on this machine where deletes are held.
  package var owner: OutboxOwner
  /// How many entries of the log of changes are kept for readers to catch up on, or a few more.
  package var loggedChangesMax = LoggedChanges.entriesMax

  package init(
    account: AccountName, wallClock: WallClock = .utc, owner: OutboxOwner = .unnamed,
    newLineage: @escaping @Sendable () -> Lineage
  ) {
    self.account = account
    self.wallClock = wallClock
    self.owner = owner
    self.newLineage = newLineage
  }
}
