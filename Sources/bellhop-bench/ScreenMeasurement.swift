/// Measures the real client's start, memory, scrolling and search, beside other list programs.
struct ScreenMeasurement {
  let bench: Bench

  /// The maximum number of items for peers, which need minutes for a million.
  private static let peerItemsMax = 100_000
  /// Frequent and rare words, whole phrases, and another script.
  private static let searches = [
    "disk", "certif", "backup fai", "备份", "quistaba", "nightly", "the of", "server rest",
    "memory lea", "failed", "lometo", "warning", "磁盘", "update",
  ]

  func run() throws {
    for items in bench.sizes {
      let own = ListPeer(try subject(items: items))
      let peerItems = min(items, Self.peerItemsMax)
      let peers = bench.peers(Peers.lists, items: peerItems)
      defer { peers.stop() }
      var rounds: [ScreenFigures] = []
      for _ in 0..<bench.rounds {
        rounds.append(try own.measure(plan))
        peers.measure(plan)
      }
      report(items, rounds, peers, peerItems < items ? " (\(shortCount(peerItems)))" : "")
    }
  }

  private func subject(items: Int) throws -> ScreenSubject {
    let home = try bench.workspace.home(items: items)
    return ScreenSubject(
      path: bench.workspace.bellhop, environment: home.environment, folder: home.root,
      approach: "2", searchKey: "/", quit: "Q")
  }

  private var plan: ScreenPlan {
    ScreenPlan(
      onlyStart: bench.wantsOnly("start"), lineKeys: bench.isQuick ? 20 : 100,
      pageKeys: bench.isQuick ? 20 : 60, searches: bench.isQuick ? ["disk"] : Self.searches)
  }

  private func report(
    _ items: Int, _ own: [ScreenFigures], _ peers: PeerSet<ScreenPlan, ScreenFigures>,
    _ label: String
  ) {
    func add(
      _ name: String, _ what: String, _ target: String, hasPeers: Bool = true,
      _ value: (ScreenFigures) -> Double
    ) {
      guard bench.wants(name) else { return }
      bench.report.add(
        Line(what: what, size: shortCount(items), ours: Samples(own.map(value)), target: target),
        beside: hasPeers ? peers.columns(label: label) { $0.map(value) } : [])
    }
    add("start", "start to first painted tray, ms", "≤ 50 ms, flat", \.start)
    add("start", "the same, after others ran for a while, ms", "", \.firstStart)
    if bench.wants("start") { reportOverviews(items, own, peers, label) }
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

  /// Adds the times until peers show an overview before their list, which is less than a tray.
  private func reportOverviews(
    _ items: Int, _ own: [ScreenFigures], _ peers: PeerSet<ScreenPlan, ScreenFigures>,
    _ label: String
  ) {
    let overviews = peers.columns(label: label) { $0.compactMap(\.overview) }
    for case .measured(let name, let samples) in overviews where !samples.isEmpty {
      bench.report.add(
        Line(
          what: "the same, where no list is shown first", size: shortCount(items),
          ours: Samples(own.map(\.start)), peer: .measured(name: name, samples)))
    }
  }
}
