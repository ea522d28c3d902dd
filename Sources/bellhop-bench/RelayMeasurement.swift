/// Measures the time from one screen to another: two real clients and a real store.
struct RelayMeasurement {
  let bench: Bench

  func run() async throws {
    let store = try await bench.workspace.storeCopy(items: bench.sizes[0], "relay")
    defer { Files.remove(store.path) }
    let server = try Server(bench.workspace, store: store)
    defer { server.stop() }
    let tokens = try store.tokens()
    let folder = try bench.workspace.scratch("relay-homes")
    defer { Files.remove(folder) }
    let screens = try ScreenPair(
      bench.workspace, servers: (server, server), tokens: tokens, folder: folder)
    defer { screens.stop() }
    let peers = bench.peers(Peers.relays, items: bench.sizes[0])
    defer { peers.stop() }
    let publisher = try LoopbackConnection(port: server.port)

    var disk = Samples()
    var arrivals: [Samples] = []
    var departures: [Samples] = []
    let count = bench.isQuick ? 8 : 30
    for _ in 0..<bench.rounds {
      disk.add(1000 / (try DiskPeer.rate(in: folder, for: .milliseconds(500))))
      var arrival = Samples()
      var departure = Samples()
      for _ in 0..<count {
        let mark = screens.newMark()
        let request = try BenchRequests.publish(
          BenchRequests.sample(title: mark), token: tokens[tokens.count - 1])
        let start = ContinuousClock().now
        try publisher.ask(request, .http)
        arrival.add(try screens.waitForArrival(of: mark) - start)
        departure.add(try screens.dismiss())
      }
      arrivals.append(arrival)
      departures.append(departure)
      peers.measure(count)
    }
    report(arrivals, departures, peers)
    bench.report.add(Line(what: "a disk sync there, one after the other, ms", ours: disk))
  }

  private func report(
    _ arrivals: [Samples], _ departures: [Samples], _ peers: PeerSet<Int, Samples>
  ) {
    func add(_ what: String, _ rounds: [Samples], _ percent: Double, _ target: String = "") {
      bench.report.add(
        Line(
          what: what, size: shortCount(bench.sizes[0]),
          ours: Samples(rounds.map { $0.percentile(percent) }), target: target),
        beside: peers.columns { $0.map { $0.percentile(percent) } })
    }
    add("published to visible, p50, ms", arrivals, 50)
    add("published to visible, p99, ms", arrivals, 99)
    let sync = "+ a disk sync"
    add("dismissed on A to off B's screen, p50, ms", departures, 50, "≤ 8 ms " + sync)
    add("dismissed on A to off B's screen, p99, ms", departures, 99, "≤ 25 ms " + sync)
  }
}
