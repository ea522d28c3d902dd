package import BellhopModel

/// The items to which a rule may be applied, counted before the user confirms it.
package struct RuleExtent: Hashable, Sendable {
  /// The number of delivered items that meet the condition.
  package var count: Int
  /// The newest content sequence that the user may have been shown.
  package var through: SequenceNumber
}

extension CacheReading {
  /// Returns the items to which a rule with the condition may be applied.
  ///
  /// Nil until base is complete: items that a first synchronisation has not brought yet would change
  /// without having been counted (SYNC-6). It takes as long as a preview of all items.
  package func extent(of condition: RuleCondition) throws(CacheError) -> RuleExtent? {
    let state = try syncState()
    guard state.isWhole else { return nil }
    let preview = try preview(condition, after: [], since: .distantPast, samples: 0)
    return RuleExtent(count: preview.matched, through: state.sequence)
  }
}
