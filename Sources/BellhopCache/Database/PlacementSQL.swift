import BellhopModel

/// SQL conditions over the column `placement`, for statements that are built at run time.
///
/// The conditions in migrations stay as they were written.
extension Placement {
  /// The condition for rows with this placement.
  var condition: String { "placement = \(rawValue)" }

  /// The condition for rows of items that are not gone.
  static let isNotGone = "placement < \(Placement.gone.rawValue)"

  /// The condition for rows of ``listed`` items, worded as in the indexes for sorted lists.
  ///
  /// SQLite uses those indexes only if a query contains the same condition, and no other query
  /// does.
  static let isSorted =
    "placement > \(Placement.scheduled.rawValue) AND placement < \(Placement.gone.rawValue)"
}

extension [Placement] {
  /// The condition for rows with one of these placements.
  var condition: String {
    "placement IN (\(map { String($0.rawValue) }.joined(separator: ", ")))"
  }
}
