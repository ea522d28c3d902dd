internal import Glibc

/// How many files, connections among them, this process may have open.
package enum OpenFiles {
  /// The descriptors that a serving process opens beside connections: database, log, sockets, event
  /// loops.
  package static let reserve = 128

  /// A connection takes its socket, and the file of an attachment that it sends or receives.
  static let descriptorsPerConnection = 2

  /// Raises the limit as far as the system lets this user, and tells where it is.
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

  /// The limit at this moment; an administrator may change it for a running process.
  static var limit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Whether the limit leaves descriptors for another connection beside those that are open.
  ///
  /// The ``reserve`` is never used up by connections: SQLite reads and writes with it, and libdispatch
  /// ends the process when it cannot look at its own threads in `/proc`.
  static func hasRoom(for connections: Int) -> Bool {
    (connections + 1) * descriptorsPerConnection <= limit - reserve
  }

  /// With fewer connections a store is of no use: each device holds one open, each request takes
  /// one, and the first few clients would keep all others waiting.
  package static let connectionsMin = 64

  /// How many connections each of some listeners may have under a limit of open files.
  ///
  /// - Parameter wanted: as configured; it may be fewer than ``connectionsMin``.
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
