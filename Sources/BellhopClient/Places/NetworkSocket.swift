internal import CBellhopSystem
internal import Glibc

/// A socket to the kernel's network tables (rtnetlink(7)), used by one thread at a time.
final class NetworkSocket {
  private let network: OpaquePointer

  /// - Parameter hearsChanges: Whether the socket receives changes of the tables instead of reading
  ///   them.
  /// - Throws: ``ClientError`` with the system's reason.
  convenience init(hearsChanges: Bool) throws(ClientError) {
    try self.init(bellhop_network_open(hearsChanges ? 1 : 0))
  }

  /// Uses an open socket, and closes it at the end.
  ///
  /// - Throws: ``ClientError`` with the system's reason.
  convenience init(adopting descriptor: Int32) throws(ClientError) {
    try self.init(bellhop_network_adopt(descriptor))
  }

  private init(_ network: OpaquePointer?) throws(ClientError) {
    guard let network else { throw Self.failure }
    self.network = network
  }

  deinit { bellhop_network_close(network) }

  /// Reads the tables. Waits at most a second for each answer of the kernel.
  ///
  /// - Throws: ``ClientError`` with the system's reason.
  func readTables() throws(ClientError) -> NetworkTables {
    var tables = NetworkTables()
    // Neighbours last, because only those of the routes count.
    for table in [BELLHOP_NETWORK_DEVICE, BELLHOP_NETWORK_ROUTE, BELLHOP_NETWORK_NEIGHBOR] {
      guard bellhop_network_ask(network, table) == 0 else { throw Self.failure }
      var record = bellhop_network_record()
      var result = bellhop_network_next(network, &record)
      while result == 1 {
        tables.add(record)
        result = bellhop_network_next(network, &record)
      }
      guard result == 0 else { throw Self.failure }
    }
    return tables
  }

  /// Waits without a time limit for a change that may affect the gateways.
  ///
  /// - Returns: False if `end` was signalled, or if the socket can no longer be used.
  func waitForChange(of tables: NetworkTables, until end: EndPipe) -> Bool {
    var waiting = [
      pollfd(fd: bellhop_network_descriptor(network), events: Int16(POLLIN), revents: 0),
      pollfd(fd: end.readingEnd, events: 0, revents: 0),
    ]
    while true {
      guard poll(&waiting, 2, -1) >= 0 || errno == EINTR else { return false }
      guard waiting[1].revents == 0 else { return false }
      // All changes that have arrived: a burst of them is one.
      var isAffected = false
      var record = bellhop_network_record()
      var result = bellhop_network_next(network, &record)
      while result == 1 {
        isAffected = isAffected || tables.isAffected(by: record)
        result = bellhop_network_next(network, &record)
      }
      // ENOBUFS: the kernel had to drop changes.
      if result < 0 {
        guard errno == ENOBUFS else { return false }
        isAffected = true
      }
      if isAffected { return true }
    }
  }

  private static var failure: ClientError {
    ClientError(.inputOutput, "Cannot read the network tables: \(systemMessage(errno)).")
  }
}
