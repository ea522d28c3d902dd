#if BELLHOP_POSTGRES
import BellhopStorePostgres

/// Measures the time from one screen to another, whose clients use different processes of one store.
struct ClusterRelayMeasurement {
  let bench: Bench
  let cluster: BenchCluster
  /// The tokens of the devices of a user with items, and a publish token as the last.
  let tokens: [String]

  private static let processes = 2

  func run() throws {
    let folder = try bench.workspace.scratch("cluster-relay")
    defer { Files.remove(folder) }
    let servers = try cluster.serve(
      bench.workspace, processes: Self.processes, in: folder,
      settings: ServerSettings.withoutRateLimits)
    defer { for server in servers { server.stop() } }
    let screens = try ScreenPair(
      bench.workspace, servers: (desktop: servers[0], laptop: servers[1]), tokens: tokens,
      folder: folder)
    defer { screens.stop() }
    let publisher = try LoopbackConnection(port: servers[0].port)
    publisher.setPatience(.seconds(30))
    var commits = Samples()
    var halves = Samples()
    var slowest = Samples()
    for _ in 0..<bench.rounds {
      let commit = try cluster.commitTime(for: .milliseconds(500)).median
      var times = Samples()
      for _ in 0..<(bench.isQuick ? 8 : 100) {
        let mark = screens.newMark()
        let request = try BenchRequests.publish(
          BenchRequests.sample(title: mark), token: tokens[tokens.count - 1])
        try publisher.ask(request, .http)
        _ = try screens.waitForArrival(of: mark)
        times.add(try screens.dismiss())
      }
      commits.add(commit)
      halves.add(times.percentile(50) - commit)
      slowest.add(times.percentile(99) - commit)
    }
    func add(_ what: String, _ samples: Samples, _ target: String = "") {
      bench.report.add(
        Line(what: "\(what), \(cluster.label), ms", ours: samples, target: target))
    }
    add("dismissed on A to off B, 2 processes, p50", halves, "≤ 15 beyond a commit")
    add("dismissed on A to off B, 2 processes, p99", slowest, "≤ 50 beyond a commit")
    add("a commit, which was subtracted", commits)
  }
}
#endif
