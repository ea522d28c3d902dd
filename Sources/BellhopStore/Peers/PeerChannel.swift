/// A channel between the store processes that use the same database.
///
/// Close a channel before releasing it.
package protocol PeerChannel: Sendable {
  /// Connects, and delivers what the other processes send until ``close()``. Called once.
  ///
  /// - Parameter handler: It is called on any thread, in order, and returns immediately.
  func begin(_ handler: @escaping @Sendable (PeerEvent) -> Void)

  /// Sends a message to the other processes, at once or a few milliseconds later.
  ///
  /// It never waits and never fails. Messages that wait together may become one. If too many wait,
  /// the others receive ``PeerEvent/mayHaveLost`` in their place.
  func send(_ message: PeerMessage)

  /// Connects again, because messages did not arrive or the database has moved to another host.
  func reconnect()

  /// Sends what waits, if that is possible at once, and disconnects.
  func close() async
}

/// An event of a channel between store processes.
package enum PeerEvent: Hashable, Sendable {
  case message(PeerMessage)
  /// Messages may have been lost, as while the channel was not connected.
  ///
  /// A channel that has just connected begins with it.
  case mayHaveLost
}
