import BellhopCache
import BellhopModel
import BellhopSync

/// How long it took a new client to get all there is.
struct FirstSyncFigures {
  /// Until the first rows were there.
  var first: Duration
  var all: Duration
}

/// A new device: everything comes over HTTP from a real store into a fresh cache.
struct FirstSyncMeasurement {
  let bench: Bench

  private static let itemsMax = 100_000

  func run() async throws {
    let items = min(Self.itemsMax, bench.sizes[bench.sizes.count - 1])
    let store = try await bench.workspace.storeCopy(items: items, "sync")
    defer { Files.remove(store.path) }
    let server = try Server(bench.workspace, store: store)
    defer { server.stop() }
    let token = try store.tokens()[2]
    let peers = PeerSet(
      Peers.firstSyncs, at: PeerPlace(workspace: bench.workspace, items: items),
      report: bench.report)
    defer { peers.stop() }
    var first = Samples()
    var total = Samples()
    var indexed = Samples()
    for _ in 0..<bench.rounds {
      let folder = try bench.workspace.scratch("sync-cache")
      defer { Files.remove(folder) }
      let transport = try HTTPTransport(
        HTTPTransport.Configuration(
          url: "http://127.0.0.1:\(server.port)", device: DeviceID("extra"), deviceName: "extra"),
        localTime: { Workspace.now() }, token: { token })
      let cache = try SQLiteCache(
        path: folder + "/cache.sqlite", identity: Workspace.identity())
      let start = ContinuousClock().now
      var isFirst = true
      while try cache.syncState().firstSync != nil {
        try await pull(transport, cache) {
          if isFirst { first.add(ContinuousClock().now - start) }
          isFirst = false
        }
      }
      total.add((ContinuousClock().now - start).inSeconds)
      let count = try CacheReader(path: folder + "/cache.sqlite", account: Workspace.account)
        .totals()
      guard count.tray.count + count.history.count == items else {
        throw BenchError("the first synchronisation brought \(count)")
      }
      indexed.add(try timed { while try cache.drainIndexQueue(limit: 100) {} }.inSeconds)
      await transport.shutdown()
      peers.measure(())
    }
    let size = shortCount(items)
    bench.report.add(
      Line(what: "first sync, first rows kept, ms", size: size, ours: first, target: "≤ 100 ms"),
      beside: peers.columns { $0.map(\.first.inMilliseconds) })
    bench.report.add(
      Line(what: "first sync, everything, s", size: size, ours: total, target: "≤ 5 s"),
      beside: peers.columns { $0.map(\.all.inSeconds) })
    bench.report.add(
      Line(what: "search index caught up after it, s", size: size, ours: indexed, target: "≤ 10 s"))
  }

  /// One request and what it brought, as the engine does it.
  private func pull(
    _ transport: HTTPTransport, _ cache: SQLiteCache, applied: () -> Void
  ) async throws {
    let state = try cache.syncState()
    let request: ChangeChunk.Request
    if let sync = state.firstSync, !sync.pagesAreIn {
      request = .page(sync.nextPage)
    } else if let token = state.token {
      request = .delta(since: token)
    } else {
      throw BenchError("the cache does not know what to ask for")
    }
    let answer = try await transport.pull(request)
    let chunks = ChangeChunk.chunks(
      of: answer.changes, request: request, generation: state.generation, end: answer.end)
    for chunk in chunks {
      _ = try cache.apply(chunk, now: Workspace.now())
      applied()
    }
  }
}
