internal import BellhopModel

/// The items of the last days that a rule would have acted on.
package struct RulePreview: Hashable, Sendable {
  /// The number of items that meet the condition.
  package var matched = 0
  /// The number of items that were compared with the condition.
  package var examined = 0
  /// The days from the oldest of these items to the newest, rounded up; 0 without items.
  package var days = 0
  /// The newest items on which the rule would have acted.
  package var samples: [CachedRow] = []
  /// The number of the ``matched`` items that an earlier rule keeps from the rule, because it stops.
  package var stopped = 0
  /// Whether all items were compared.
  package var isComplete = false

  package init() {}

  /// The number of items between two reports of a preview, which take a few milliseconds.
  package static let examinedPerReport = 1_000
}

/// A preview while items are compared, the newest first.
struct RulePreviewTally {
  private(set) var preview = RulePreview()
  private let condition: RuleCondition
  private let earlier: RuleSet
  private let samplesMax: Int
  private var newest: Timestamp?

  init(_ condition: RuleCondition, after earlier: [Rule], samples: Int) {
    self.condition = condition
    self.earlier = RuleSet(earlier)
    samplesMax = samples
  }

  /// The parts of the visual content that the comparison needs.
  var searchedParts: Set<RuleCondition.Part> {
    earlier.rules.reduce(condition.searchedParts) { parts, rule in
      parts.union(rule.definition.condition.searchedParts)
    }
  }

  /// Whether a report is due.
  var isReportDue: Bool { preview.examined.isMultiple(of: RulePreview.examinedPerReport) }

  /// Counts an item that arrived at this instant.
  mutating func count(arrivedAt arrival: Timestamp) {
    preview.examined += 1
    let span = (newest ?? arrival).duration(since: arrival).milliseconds
    newest = newest ?? arrival
    preview.days = max(1, Int((span + Self.dayMilliseconds - 1) / Self.dayMilliseconds))
  }

  /// Compares the content of the item that was counted last.
  ///
  /// - Returns: Whether the item is to be added to the samples.
  mutating func compare(_ content: Content) -> Bool {
    switch earlier.reach(of: condition, for: content) {
    case .noMatch: return false
    case .stopped:
      preview.matched += 1
      preview.stopped += 1
      return false
    case .acts:
      preview.matched += 1
      return preview.samples.count < samplesMax
    }
  }

  mutating func add(_ sample: CachedRow) { preview.samples.append(sample) }

  /// The preview after the last item.
  var completed: RulePreview {
    var preview = preview
    preview.isComplete = true
    return preview
  }

  private static let dayMilliseconds: Int64 = 86_400_000
}
