package import BellhopModel

/// The reads of what was published in the last days, for rules and for reports.
///
/// They read every delivered item since an instant, whatever became of it, and so take longer than other
/// reads. Errors are ``CacheError``; ``CacheReading/interruptSearch()`` ends a read, which then throws
/// ``CacheError/interrupted``.
package protocol PublicationReading: Sendable {
  /// Returns which items a rule with the condition would have acted on.
  ///
  /// - Parameters:
  ///   - earlier: The rules that act before it. Those that are disabled are left out.
  ///   - since: The arrival from which items count.
  ///   - samples: The most items in ``RulePreview/samples``.
  ///   - report: Receives what is known after every ``RulePreview/examinedPerReport`` items, on the
  ///     thread that reads. It must not search or preview with the same reader.
  func preview(
    _ condition: RuleCondition, after earlier: [Rule], since: Timestamp, samples: Int,
    report: (RulePreview) -> Void
  ) throws(CacheError) -> RulePreview

  /// Returns the number of items since an instant that meet each condition, whatever rules do with them.
  ///
  /// It is ``RulePreview/matched`` of a preview without earlier rules, for all conditions in one read.
  func matches(of conditions: [RuleCondition], since: Timestamp) throws(CacheError) -> [Int]

  /// Returns how many notifications came since an instant, by group and by repeated title.
  ///
  /// - Parameter limit: The most lines, of which those with the most notifications come first.
  func noise(since: Timestamp, limit: Int) throws(CacheError) -> NoiseReport
}

extension PublicationReading {
  /// Returns which items a rule with the condition would have acted on, without reports meanwhile.
  package func preview(
    _ condition: RuleCondition, after earlier: [Rule], since: Timestamp, samples: Int
  ) throws(CacheError) -> RulePreview {
    try preview(condition, after: earlier, since: since, samples: samples) { _ in }
  }
}
