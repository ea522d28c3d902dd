import TerminalReader

/// Measures the time from one screen to another: two real clients and a real store.
struct RelayMeasurement {
  let bench: Bench

  private static let quiet = Duration.milliseconds(60)

  func run() async throws {
    let store = try await bench.workspace.storeCopy(items: bench.sizes[0], "relay")
    defer { Files.remove(store.path) }
    let server = try Server(bench.workspace, store: store)
    defer { server.stop() }
    let tokens = try store.tokens()
    let folder = try bench.workspace.scratch("relay-homes")
    defer { Files.remove(folder) }
    let desktop = try client("desktop", tokens[0], server, folder)
    defer { desktop.stop() }
    let laptop = try client("laptop", tokens[1], server, folder)
    defer { laptop.stop() }
    let peers = bench.peers(Peers.relays, items: bench.sizes[0])
    defer { peers.stop() }
    let publisher = try LoopbackConnection(port: server.port)

    var disk = Samples()
    var arrivals: [Samples] = []
    var departures: [Samples] = []
    var serial = 0
    let count = bench.isQuick ? 8 : 30
    for _ in 0..<bench.rounds {
      disk.add(1000 / (try DiskPeer.rate(in: folder, for: .milliseconds(500))))
      var arrival = Samples()
      var departure = Samples()
      for _ in 0..<count {
        serial += 1
        let mark = Self.mark(serial)
        let request = try BenchRequests.publish(
          BenchRequests.sample(title: mark), token: tokens[tokens.count - 1])
        let start = ContinuousClock().now
        try publisher.ask(request, .http)
        arrival.add(try laptop.wait(toShow: mark, within: .seconds(10)) - start)
        try desktop.wait(toShow: mark, within: .seconds(10))
        settle(desktop, laptop)
        departure.add(try dismiss(desktop, on: laptop))
      }
      arrivals.append(arrival)
      departures.append(departure)
      peers.measure(count)
    }
    report(arrivals, departures, peers)
    bench.report.add(Line(what: "a disk sync there, one after the other, ms", ours: disk))
  }

  /// Dismisses the newest item on one screen, and waits until the other no longer shows it.
  ///
  /// The client writes the window's title, with the number of unread items, right after that frame.
  private func dismiss(_ desktop: Terminal, on laptop: Terminal) throws -> Duration {
    desktop.send("gg")
    settle(desktop, laptop)
    let title = laptop.screen?.title
    let start = ContinuousClock().now
    desktop.send("d")
    let seen = try laptop.wait(for: "another title", within: .seconds(10)) { $0.title != title }
    settle(desktop, laptop)
    return seen - start
  }

  private func settle(_ desktop: Terminal, _ laptop: Terminal) {
    laptop.settle(quiet: Self.quiet)
    desktop.settle(quiet: Self.quiet)
  }

  /// Starts a client, and returns after its first synchronisation, with the cursor off the newest
  /// item.
  private func client(
    _ name: String, _ token: String, _ server: Server, _ folder: String
  ) throws -> Terminal {
    let home = Home(root: folder + "/" + name)
    let terminal = try home.openScreen(
      of: bench.workspace, at: server, token: token, device: name)
    try terminal.wait(toShow: ItemMaker.newestMark)
    try terminal.wait(toShow: "live")
    terminal.settle(quiet: .milliseconds(1500))
    terminal.send("jj")
    terminal.settle(quiet: Self.quiet)
    return terminal
  }

  /// Returns a word that is not yet on the screen.
  private static func mark(_ serial: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return String(
      (0..<12).map { letters[(serial * 7 + $0 * (3 + serial / 26)) % letters.count] })
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
