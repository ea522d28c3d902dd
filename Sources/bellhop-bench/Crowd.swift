import Glibc

/// Many clients that are connected and wait.
struct CrowdWork {
  var connections: Int
  /// How long they are watched.
  var time: Duration
}

/// What a crowd costs its server.
struct CrowdFigures {
  /// Resident memory of the server with all of the crowd, in MB.
  var resident = 0.0
  /// What the crowd has added to it, in MB.
  var added = 0.0
  /// CPU time of the server while nothing happens, in ms a minute.
  var cpuPerMinute = 0.0
  /// How long it took to let them all in, in seconds.
  var arrival = 0.0
}

/// Lets a crowd in and watches its server.
struct Crowd {
  private(set) var figures = CrowdFigures()

  /// - Parameters:
  ///   - process: The server's.
  ///   - connect: Makes client `n`, which is answered when it is ready.
  /// - Throws: ``BenchError`` when one does not get in, or does not stay.
  init(_ work: CrowdWork, process: Int32, connect: (Int) throws -> Connection) throws {
    let clock = ContinuousClock()
    let before = try ProcessFigures(of: process).resident
    var clients: [Connection] = []
    clients.reserveCapacity(work.connections)
    let start = clock.now
    for index in 0..<work.connections {
      do {
        clients.append(try connect(index))
      } catch {
        throw BenchError("client \(index + 1) did not get in: \(error)")
      }
    }
    figures.arrival = (clock.now - start).inSeconds
    // What the arrivals needed ends by itself.
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
    guard gone == 0 else { throw BenchError("\(gone) clients were thrown out") }
  }

  /// Lets this process, and those that it starts, hold so many connections.
  ///
  /// - Returns: how many they can hold.
  static func makeRoom(for connections: Int) -> Int {
    // Files of the programs themselves.
    let others = 200
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return connections }
    let wanted = rlim_t(connections + others)
    if limit.rlim_cur < wanted {
      var higher = rlimit(rlim_cur: wanted, rlim_max: max(limit.rlim_max, wanted))
      if setrlimit(resource, &higher) != 0 {
        higher = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
        setrlimit(resource, &higher)
      }
      getrlimit(resource, &limit)
    }
    return min(connections, Int(limit.rlim_cur) - others)
  }
}
