public import BellhopModel

/// Whose cache it is, and what a fresh one needs from the composition root.
public struct CacheIdentity: Sendable {
  public var account: AccountName
  /// Makes the lineage of a fresh cache; unique in the world.
  public var newLineage: @Sendable () -> Lineage

  public init(account: AccountName, newLineage: @escaping @Sendable () -> Lineage) {
    self.account = account
    self.newLineage = newLineage
  }
}
