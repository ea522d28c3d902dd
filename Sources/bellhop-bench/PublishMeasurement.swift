import Glibc

/// The number of clients that publish, each waiting for its response, and the time.
struct PublishWork {
  var connections: Int
  var time: Duration
}

/// Measures durable publications per second over HTTP, beside the disk and other durable programs.
struct PublishMeasurement {
  let bench: Bench

  private static let connections = [1, 16, 64]

  func run() async throws {
    let time: Duration = bench.isQuick ? .milliseconds(400) : .milliseconds(1500)
    let store = try await bench.workspace.storeCopy(items: bench.sizes[0], "publish")
    defer { Files.remove(store.path) }
    let server = try Server(
      bench.workspace, store: store, settings: ServerSettings.withoutRateLimits)
    defer { server.stop() }
    let tokens = try store.tokens()
    let request = try BenchRequests.publish(
      BenchRequests.sample(), token: tokens[tokens.count - 1])
    let peers = bench.peers(Peers.publishers, items: bench.sizes[0])
    defer { peers.stop() }

    var disk = Samples()
    var ours: [Int: Samples] = [:]
    for _ in 0..<bench.rounds {
      disk.add(try DiskPeer.rate(in: bench.workspace.root, for: time))
      for count in Self.connections {
        let own = Load(
          port: server.port, framing: .http, request: request, connections: count)
        ours[count, default: Samples()].add(try own.run(for: time).rate)
        peers.measure(PublishWork(connections: count, time: time), as: count)
      }
    }
    for count in Self.connections {
      let many = count == 1 ? "1 connection" : "\(count) connections"
      var line = Line(
        what: "durable publications a second, \(many)", ours: ours[count] ?? Samples())
      if count == 1 {
        line.peer = .measured(name: "syncs of the disk", disk)
        line.target = "≥ 90 %"
        bench.report.add(line)
        line.target = ""
      }
      if count == 64 { line.target = "≥ 80 % of redis" }
      bench.report.add(line, beside: peers.columns(count) { $0 })
    }
  }
}

/// The disk as a peer: the number of small, sequential durable writes per second.
///
/// The file has its final size already, as a database's log has.
enum DiskPeer {
  static func rate(in folder: String, for time: Duration) throws -> Double {
    let path = folder + "/disk"
    let file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw BenchError("\(path) cannot be written") }
    defer {
      close(file)
      unlink(path)
    }
    let block = [UInt8](repeating: 7, count: 4096)
    let blocks = 1000
    for _ in 0..<blocks {
      guard write(file, block, block.count) == block.count else {
        throw BenchError("\(path) cannot be written")
      }
    }
    guard fsync(file) == 0 else { throw BenchError("\(path) cannot be written") }
    let clock = ContinuousClock()
    let start = clock.now
    var count = 0
    while clock.now - start < time {
      let place = off_t(count % blocks * block.count)
      guard pwrite(file, block, block.count, place) == block.count, fdatasync(file) == 0 else {
        throw BenchError("\(path) cannot be written")
      }
      count += 1
    }
    return Double(count) / (clock.now - start).inSeconds
  }
}
