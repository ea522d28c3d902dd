import BellhopModel

/// Conditions over the column `placement`, for statements that are built when they run; those of
/// migrations stay as they were written.
extension Placement {
  /// The rows with this placement.
  var condition: String { "placement = \(rawValue)" }

  /// The rows of items that are not gone.
  static let isNotGone = "placement < \(Placement.gone.rawValue)"

  /// The rows of items with one of ``listed``, in the words of the indexes for sorted lists. SQLite
  /// uses those indexes only where a query says the same, and no other query does.
  static let isSorted =
    "placement > \(Placement.scheduled.rawValue) AND placement < \(Placement.gone.rawValue)"
}

extension [Placement] {
  /// The rows with one of these placements.
  var condition: String {
    "placement IN (\(map { String($0.rawValue) }.joined(separator: ", ")))"
  }
}
