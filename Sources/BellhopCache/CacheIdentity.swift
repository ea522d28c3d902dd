public import BellhopModel

/// Whose cache it is, and what a cache needs from the composition root.
public struct CacheIdentity: Sendable {
  public var account: AccountName
  /// What the device's clocks show: arrivals in an app's quiet hours ring nowhere on it.
  public var wallClock: WallClock
  /// Makes the lineage of a fresh cache; unique in the world.
  public var newLineage: @Sendable () -> Lineage
  /// How many entries of the log of changes are kept for readers to catch up on, or a few more.
  package var loggedChangesMax = LoggedChanges.entriesMax

  public init(
    account: AccountName, wallClock: WallClock = .utc,
    newLineage: @escaping @Sendable () -> Lineage
  ) {
    self.account = account
    self.wallClock = wallClock
    self.newLineage = newLineage
  }
}
