internal import Dispatch
internal import Glibc

/// How many files, connections among them, this process may have open.
public enum OpenFiles {
  /// What a serving process opens beside connections: database, log, sockets, event loops.
  public static let reserve = 128

  /// Raises the limit as far as the system lets this user, and tells where it is.
  public static func raiseLimit() -> Int {
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

  /// Opens the descriptors that libdispatch keeps for its timers, one for each clock.
  ///
  /// libdispatch opens each with the first timer of its clock, and ends the process when it cannot. A
  /// store without a free descriptor has to go on serving, so it opens them when it starts.
  public static func openTimers() async {
    let pause = DispatchTimeInterval.milliseconds(1)
    let queue = DispatchQueue(label: "bellhop.timers")
    await withCheckedContinuation { continuation in
      queue.asyncAfter(deadline: .now() + pause) { continuation.resume() }
    }
    await withCheckedContinuation { continuation in
      queue.asyncAfter(wallDeadline: .now() + pause) { continuation.resume() }
    }
    // The continuous clock, which goes on while the machine sleeps.
    try? await Task.sleep(for: .milliseconds(1))
  }

  /// With fewer connections a store is of no use: each device holds one open, each request takes
  /// one, and the first few clients would keep all others waiting.
  public static let connectionsMin = 64

  /// How many connections each of some listeners may have under a limit of open files.
  ///
  /// - Parameter wanted: as configured; it may be fewer than ``connectionsMin``.
  /// - Throws: ``ServerError/tooFewOpenFiles(limit:needed:)`` when the limit leaves fewer than
  ///   ``connectionsMin``.
  public static func connectionsMax(
    wanted: Int, listeners: Int, limit: Int
  ) throws(ServerError) -> Int {
    let listeners = max(1, listeners)
    let possible = min(wanted, (limit - reserve) / listeners)
    guard possible >= min(wanted, connectionsMin) else {
      throw .tooFewOpenFiles(limit: limit, needed: reserve + connectionsMin * listeners)
    }
    return possible
  }
}
