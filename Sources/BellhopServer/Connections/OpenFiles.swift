internal import Glibc

/// The limit of open files, which include connections, of this process.
package enum OpenFiles {
  /// The number of descriptors that a serving process uses besides connections.
  ///
  /// They are for the database, the log, sockets and event loops.
  package static let reserve = 128

  /// The descriptors of a connection: its socket, and an attachment's file during a transfer.
  static let descriptorsPerConnection = 2

  /// Raises the limit as far as the system permits, and returns it.
  package static func raiseLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    if limit.rlim_cur < limit.rlim_max {
      let hard = limit.rlim_max
      limit.rlim_cur = hard
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 {
        _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// The current limit. An administrator may change it for a running process.
  static var limit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Whether the limit allows one more connection in addition to the open ones.
  ///
  /// Connections never use the ``reserve``: SQLite reads and writes with it, and libdispatch ends
  /// the process when it cannot read its own threads in `/proc`.
  static func hasRoom(for connections: Int) -> Bool {
    (connections + 1) * descriptorsPerConnection <= limit - reserve
  }

  /// The minimum number of connections that a store needs.
  ///
  /// Each device keeps one open and each request takes one. With fewer, the first few clients would
  /// block all others.
  package static let connectionsMin = 64

  /// Returns the number of connections that each listener may have under a limit of open files.
  ///
  /// - Parameter wanted: The configured number, which may be below ``connectionsMin``.
  /// - Throws: ``ServerError/tooFewOpenFiles(limit:needed:)`` when the limit leaves fewer than
  ///   ``connectionsMin``.
  package static func connectionsMax(
    wanted: Int, listeners: Int, limit: Int
  ) throws(ServerError) -> Int {
    let listeners = max(1, listeners)
    let possible = min(wanted, (limit - reserve) / descriptorsPerConnection / listeners)
    guard possible >= min(wanted, connectionsMin) else {
      throw .tooFewOpenFiles(
        limit: limit,
        needed: reserve + connectionsMin * descriptorsPerConnection * listeners)
    }
    return possible
  }
}
