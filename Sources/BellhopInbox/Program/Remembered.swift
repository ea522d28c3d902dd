/// Something of the screen that is kept for the next start.
public enum Remembered: Hashable, Sendable {
  /// The places of the rules between the panes.
  case splits(Splits)
  /// The orders of the lists.
  case orders(ListOrders)
  /// The views that the person saved, in the place of those kept before.
  case views([SavedView])
  /// Forget a view that the person saved.
  case removeView(named: String)
}
