import Glibc

/// The size of a crowd of connected, idle clients, and the time to measure it.
struct CrowdWork {
  var connections: Int
  /// The time for which the server is measured.
  var time: Duration
}

/// The cost of a crowd to its server.
struct CrowdFigures {
  /// The resident memory of the server with the whole crowd, in MB.
  var resident = 0.0
  /// The resident memory that the crowd has added, in MB.
  var added = 0.0
  /// The CPU time of the idle server, in ms per minute.
  var cpuPerMinute = 0.0
  /// The time until all clients were connected, in seconds.
  var arrival = 0.0
}

/// Connects a crowd of clients and measures their server.
struct Crowd {
  private(set) var figures = CrowdFigures()

  /// Connects the clients and measures the server.
  ///
  /// - Parameters:
  ///   - process: The process id of the server.
  ///   - connect: Connects client `n`, and returns once it is ready.
  /// - Throws: ``BenchError`` if a client cannot connect, or is disconnected.
  init(_ work: CrowdWork, process: Int32, connect: (Int) throws -> LoopbackConnection) throws {
    let clock = ContinuousClock()
    let before = try ProcessFigures(of: process).resident
    var clients: [LoopbackConnection] = []
    clients.reserveCapacity(work.connections)
    let start = clock.now
    for index in 0..<work.connections {
      do {
        clients.append(try connect(index))
      } catch {
        throw BenchError("client \(index + 1) could not connect: \(error)")
      }
    }
    figures.arrival = (clock.now - start).inSeconds
    // Resources that the server needed only for the connects are released by now.
    sleep(2)
    let first = try ProcessFigures(of: process)
    let watched = clock.now
    usleep(UInt32(work.time.inMilliseconds * 1000))
    let last = try ProcessFigures(of: process)
    let minutes = (clock.now - watched).inSeconds / 60
    figures.cpuPerMinute = (last.cpu - first.cpu).inMilliseconds / minutes
    figures.resident = last.resident
    figures.added = last.resident - before
    let gone = clients.count { !$0.drain() }
    guard gone == 0 else { throw BenchError("\(gone) clients were disconnected") }
  }

  /// Raises the limit of open files for this process and its children.
  ///
  /// - Returns: The number of connections that the limit allows.
  static func makeRoom(for connections: Int) -> Int {
    // The files of the programs themselves.
    let others = 200
    // The store counts two for each connection: its socket, and a file that it may send.
    let descriptorsPerConnection = 2
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return connections }
    let wanted = rlim_t(connections * descriptorsPerConnection + others)
    if limit.rlim_cur < wanted {
      var higher = rlimit(rlim_cur: wanted, rlim_max: max(limit.rlim_max, wanted))
      if setrlimit(resource, &higher) != 0 {
        higher = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
        setrlimit(resource, &higher)
      }
      getrlimit(resource, &limit)
    }
    return min(connections, (Int(limit.rlim_cur) - others) / descriptorsPerConnection)
  }
}
