/// Start, memory, scrolling and search of the real client, beside other programs with long lists.
struct ScreenMeasurement {
  let bench: Bench

  /// Peers get no more than this: they need minutes for a million.
  private static let peerItemsMax = 100_000
  private static let searches = ["disk", "certif", "backup fai", "备份", "quistaba"]

  func run() throws {
    for items in bench.sizes {
      let own = try ownSubject(items: items)
      let peerItems = min(items, Self.peerItemsMax)
      let (peers, absent) = ScreenPeers(bench: bench).subjects(items: peerItems)
      var ownRounds: [ScreenFigures] = []
      var peerRounds: [[ScreenFigures]] = peers.map { _ in [] }
      for _ in 0..<bench.rounds {
        ownRounds.append(try session(own).run(onlyStart: bench.wantsOnly("start")))
        for (index, peer) in peers.enumerated() {
          peerRounds[index].append(
            try session(peer).run(onlyStart: bench.wantsOnly("start")))
        }
      }
      let label = peerItems < items ? " (\(shortCount(peerItems)))" : ""
      let measured = zip(peers, peerRounds).map { (name: $0.name + label, rounds: $1) }
      report(items, ownRounds, measured, absent)
    }
  }

  private func ownSubject(items: Int) throws -> ScreenSubject {
    let home = try bench.workspace.home(items: items)
    return ScreenSubject(
      name: "bellhop", path: bench.workspace.bellhop, environment: home.environment,
      folder: home.root, approach: "2", searchKey: "/", quit: "Q")
  }

  private func session(_ subject: ScreenSubject) -> ScreenSession {
    ScreenSession(
      subject: subject, lineKeys: bench.isQuick ? 20 : 100, pageKeys: bench.isQuick ? 20 : 60,
      searches: bench.isQuick ? ["disk"] : Self.searches)
  }

  private func report(
    _ items: Int, _ own: [ScreenFigures], _ peers: [(name: String, rounds: [ScreenFigures])],
    _ absent: [Line.Peer]
  ) {
    func add(
      _ name: String, _ what: String, _ target: String, hasPeers: Bool = true,
      _ value: (ScreenFigures) -> Double
    ) {
      guard bench.wants(name) else { return }
      var line = Line(
        what: what, size: shortCount(items), ours: Samples(own.map(value)), target: target)
      guard hasPeers, !(peers.isEmpty && absent.isEmpty) else { return bench.report.add(line) }
      for peer in peers {
        line.peer = .measured(name: peer.name, Samples(peer.rounds.map(value)))
        bench.report.add(line)
      }
      for peer in absent {
        line.peer = peer
        bench.report.add(line)
      }
    }
    add("start", "start to first painted tray, ms", "≤ 50 ms, flat", \.start)
    add("memory", "memory after the start, MB", "≤ 40 MB", \.residentAtStart)
    guard !bench.wantsOnly("start") else { return }
    add("memory", "memory after scrolling and search, MB", "≤ 40 MB", \.residentAfter)
    add("memory", "of it no file's, MB", "", \.anonymousAfter)
    add("memory", "memory, greatest, MB", "≤ 40 MB", hasPeers: false, \.residentGreatest)
    add("scroll", "key to last byte painted, p50, ms", "") { $0.keys.median }
    add("scroll", "key to last byte painted, p99, ms", "≤ 5 ms") { $0.keys.percentile(99) }
    add("scroll", "bytes a line scrolled", "≤ tig") { $0.bytesPerLine.median }
    add("scroll", "bytes a half page", "≤ tig") { $0.bytesPerPage.median }
    add("search", "search on the screen, a key, p50, ms", "", hasPeers: false) {
      $0.searches.median
    }
    add("search", "search on the screen, a key, p99, ms", "≤ 16 ms", hasPeers: false) {
      $0.searches.percentile(99)
    }
  }
}
