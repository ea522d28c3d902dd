import BellhopCache
import BellhopModel

/// Measures changes to a large cache beside raw SQLite, and filling and using the search index.
struct CacheMeasurement {
  let bench: Bench

  private static let chunks = 8
  /// The maximum number of items for peers, which need many minutes for a million.
  private static let peerItemsMax = 100_000
  private static let words = ["d", "di", "disk", "backup f", "certificate exp", "备份", "the of"]

  func run() throws {
    for items in bench.sizes {
      let account = try bench.workspace.home(items: items)
      let source = account.root + "/state/bellhop/accounts/\(Workspace.account)/cache.sqlite"
      if bench.wants("search") { try search(source, items) }
      if bench.wants("apply") { try apply(source, items) }
    }
  }

  // MARK: Search

  private func search(_ path: String, _ items: Int) throws {
    let reader = try CacheReader(path: path, account: Workspace.account)
    let peerItems = min(items, Self.peerItemsMax)
    let peers = bench.peers(Peers.searches, items: peerItems)
    defer { peers.stop() }
    var medians = Samples()
    var worst = Samples()
    for _ in 0..<bench.rounds {
      var times = Samples()
      for word in Self.words {
        times.add(
          try timed {
            _ = try reader.rows(of: .search(word), .first, limit: 80)
          })
      }
      medians.add(times.median)
      worst.add(times.greatest)
      peers.measure(Self.words)
    }
    let size = shortCount(items)
    let label = peerItems < items ? " (\(shortCount(peerItems)))" : ""
    bench.report.add(
      Line(what: "search in the cache, 80 rows, p50, ms", size: size, ours: medians),
      beside: peers.columns(label: label) { $0.map(\.median) })
    bench.report.add(
      Line(
        what: "search in the cache, slowest, ms", size: size, ours: worst, target: "≤ 16 ms"),
      beside: peers.columns(label: label) { $0.map(\.greatest) })
  }

  // MARK: Apply

  private func apply(_ source: String, _ items: Int) throws {
    let folder = try bench.workspace.scratch("apply")
    defer { Files.remove(folder) }
    try Files.copy(source, to: folder + "/own.sqlite")
    try Files.copy(source, to: folder + "/raw.sqlite")
    let cache = try SQLiteCache(path: folder + "/own.sqlite", identity: Workspace.identity())
    let raw = try RawUpserts(
      path: folder + "/raw.sqlite", rows: Self.chunks * ChangeChunk.changesMax)
    let state = try cache.syncState()
    guard let token = state.token else { throw BenchError("the cache has no token") }
    let maker = ItemMaker(
      bench.workspace.kind, end: Workspace.now(),
      adding: bench.rounds * Self.chunks * ChangeChunk.changesMax, to: items)
    let device = Author(kind: .device, id: "other", name: "work-laptop")
    var own = Samples()
    var peer = Samples()
    var states = Samples()
    var longest = Samples()
    var next = items
    for _ in 0..<bench.rounds {
      let chunks = (0..<Self.chunks).map { _ -> ChangeChunk in
        let range = next..<(next + ChangeChunk.changesMax)
        next = range.upperBound
        return ChangeChunk(
          request: .delta(since: token), generation: state.generation,
          changes: range.map { .item(maker.notification($0, device: device)) }, end: nil)
      }
      own.add(try rate(chunks, cache, &longest))
      peer.add(try raw.rate())
      let registers = chunks.map { Self.statesOnly($0, device) }
      states.add(try rate(registers, cache, &longest))
    }
    let size = shortCount(items)
    bench.report.add(
      Line(
        what: "new items applied a second", size: size, ours: own,
        peer: .measured(name: "raw SQLite", peer), target: "≥ 50 %"))
    bench.report.add(
      Line(
        what: "changed states applied a second", size: size, ours: states,
        peer: .measured(name: "raw SQLite", peer), target: "≥ 50 %"))
    bench.report.add(
      Line(
        what: "longest write of 250 rows, ms", size: size, ours: Samples([longest.greatest]),
        target: "≤ 16 ms"))
    let waiting = bench.rounds * Self.chunks * ChangeChunk.changesMax
    let drained = try timed { while try cache.drainIndexQueue(limit: 100) {} }
    bench.report.add(
      Line(
        what: "items indexed for search a second", size: size,
        ours: Samples([Double(waiting) / drained.inSeconds]), target: "≥ 10,000"))
  }

  private func rate(
    _ chunks: [ChangeChunk], _ cache: SQLiteCache, _ longest: inout Samples
  ) throws -> Double {
    var total = Duration.zero
    for chunk in chunks {
      let duration = try timed {
        let outcome = try cache.apply(chunk, now: Workspace.now())
        guard outcome.changed.count == chunk.changes.count else {
          throw BenchError("a chunk was not applied")
        }
      }
      longest.add(duration)
      total += duration
    }
    return Double(chunks.reduce(0) { $0 + $1.changes.count }) / total.inSeconds
  }

  /// Returns the same items, dismissed on another device.
  private static func statesOnly(_ chunk: ChangeChunk, _ device: Author) -> ChangeChunk {
    var chunk = chunk
    chunk.changes = chunk.changes.map { change in
      guard case .item(var item) = change else { return change }
      let provenance = RegisterChange(
        at: Workspace.now(), by: device, operation: OperationID(high: 1, low: item.id.low))
      item.state.userActionState = item.state.userActionState.setting(
        .activated, change: provenance)
      item.state.sequence = SequenceNumber(item.state.sequence.rawValue + 10_000_000)
      return .state(item.id, item.state)
    }
    return chunk
  }
}
