import BellhopModel
import BellhopWire

/// From one screen to the other: two real clients and a real store.
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
    let redis = try RedisPeer(bench.workspace)
    defer { redis?.stop() }
    let publisher = try Connection(port: server.port)

    var arrivals: [Samples] = []
    var departures: [Samples] = []
    var peers: [Samples] = []
    var serial = 0
    for _ in 0..<bench.rounds {
      var arrival = Samples()
      var departure = Samples()
      for _ in 0..<(bench.isQuick ? 8 : 30) {
        serial += 1
        let mark = Self.mark(serial)
        let request = try Requests.publish(
          Requests.sample(title: mark), token: tokens[tokens.count - 1])
        desktop.forget()
        laptop.forget()
        let start = ContinuousClock().now
        try publisher.ask(request, .http)
        arrival.add(try laptop.wait(for: mark, within: .seconds(10)) - start)
        try desktop.wait(for: mark, within: .seconds(10))
        settle(desktop, laptop)
        departure.add(try dismiss(desktop, on: laptop))
      }
      arrivals.append(arrival)
      departures.append(departure)
      if let redis { peers.append(try relay(redis)) }
    }
    report(arrivals, departures, peers)
  }

  /// Dismisses the newest item on one screen and waits until the other has painted it away: the
  /// window's title with the number of unread items is written right after that frame.
  private func dismiss(_ desktop: Terminal, on laptop: Terminal) throws -> Duration {
    desktop.send("gg")
    settle(desktop, laptop)
    desktop.forget()
    laptop.forget()
    let start = ContinuousClock().now
    desktop.send("d")
    let seen = try laptop.wait(for: "\u{1b}]2;bellhop (", within: .seconds(10))
    settle(desktop, laptop)
    return seen - start
  }

  private func settle(_ desktop: Terminal, _ laptop: Terminal) {
    laptop.settle(quiet: Self.quiet)
    desktop.settle(quiet: Self.quiet)
  }

  /// A client whose first synchronisation is over, with the cursor off the newest item.
  private func client(
    _ name: String, _ token: String, _ server: Server, _ folder: String
  ) throws -> Terminal {
    let home = Home(root: folder + "/" + name)
    _ = try home.makeAccount(
      url: "http://127.0.0.1:\(server.port)", token: token, device: name)
    let terminal = try Terminal(
      bench.workspace.bellhop, [],
      environment: Terminal.environment(home: home.root, adding: home.environment))
    try terminal.wait(for: ItemMaker.newestMark)
    try terminal.wait(for: "live")
    terminal.settle(quiet: .milliseconds(1500))
    terminal.send("jj")
    terminal.settle(quiet: Self.quiet)
    return terminal
  }

  /// A word that differs in every letter from those before it, so that a screen writes it whole.
  private static func mark(_ serial: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return String(
      (0..<12).map { letters[(serial * 7 + $0 * (3 + serial / 26)) % letters.count] })
  }

  /// The same way through Redis: an append, and a reader that waits for it. The reader gets it
  /// before the disk has it.
  private func relay(_ redis: RedisPeer) throws -> Samples {
    let body = try WireJSON.encode(PublishPayload(Requests.sample()))
    let wait = Requests.command(
      ["XREAD", "BLOCK", "10000", "STREAMS", "items", "$"].map { Array($0.utf8) })
    let writer = try Connection(port: redis.port)
    let reader = try Connection(port: redis.port)
    var samples = Samples()
    for _ in 0..<(bench.isQuick ? 8 : 30) {
      try reader.send(wait)
      // The reader's request must be there before the append.
      try writer.ask(Requests.command([Array("DBSIZE".utf8)]), .resp)
      let start = ContinuousClock().now
      try writer.send(Requests.append(body))
      try reader.receiveAnything()
      samples.add(ContinuousClock().now - start)
      while try !writer.receive(.resp) {}
    }
    return samples
  }

  private func report(_ arrivals: [Samples], _ departures: [Samples], _ peers: [Samples]) {
    func add(_ what: String, _ rounds: [Samples], _ percent: Double, _ target: String = "") {
      var line = Line(
        what: what, size: shortCount(bench.sizes[0]),
        ours: Samples(rounds.map { $0.percentile(percent) }), target: target)
      line.peer =
        peers.isEmpty
        ? .absent(name: "redis", reason: "not installed")
        : .measured(
          name: "redis XREAD", Samples(peers.map { $0.percentile(percent) }))
      bench.report.add(line)
    }
    add("published to visible, p50, ms", arrivals, 50)
    add("published to visible, p99, ms", arrivals, 99)
    let sync = "+ a disk sync"
    add("dismissed on A to off B's screen, p50, ms", departures, 50, "≤ 8 ms " + sync)
    add("dismissed on A to off B's screen, p99, ms", departures, 99, "≤ 25 ms " + sync)
  }
}
