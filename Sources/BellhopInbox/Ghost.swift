import BellhopModel

/// An item that was handled elsewhere while the cursor was on it.
///
/// It stays in the list until the cursor leaves it; only the key for "back to the tray" acts on it.
struct Ghost: Hashable, Sendable {
  /// The item, or the group that has no item left.
  var id: RowID
  /// The item as it is now, of a group the newest; nil when it is gone, or not known yet.
  var now: RowSummary?
  /// False until the reader was asked about this very item.
  var isResolved: Bool
}
