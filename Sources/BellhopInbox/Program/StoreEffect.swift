/// A request to the stores.
public enum StoreEffect: Hashable, Sendable {
  case syncNow
  /// Checks the registration, then synchronises.
  case checkAndSync
  /// Publish a first notification to the account's own store.
  case publishSample
  /// Publish some items to try things on, which go away again.
  case publishTourItems
}
