import BellhopCache
import BellhopModel
import BellhopSync

/// The time that a new client took to receive all items.
struct FirstSyncFigures {
  /// The time until the first rows arrived.
  var first: Duration
  var all: Duration
}

/// Measures a new device: all items come over HTTP from a real store into a new cache.
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
    let peers = bench.peers(Peers.firstSyncs, items: items)
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
      let figures = try await exchange(transport, cache)
      first.add(figures.first)
      total.add(figures.all.inSeconds)
      let count = try CacheReader(path: folder + "/cache.sqlite", account: Workspace.account)
        .totals()
      guard count.tray.count + count.handled.count == items else {
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

  /// Receives all items with the real engine.
  private func exchange(
    _ transport: HTTPTransport, _ cache: SQLiteCache
  ) async throws -> FirstSyncFigures {
    let engine = SyncEngine(
      EngineParts(
        cache: cache, transport: transport, policy: EnginePolicy(), clock: ContinuousClock(),
        localTime: { Workspace.now() }, random: { 0.5 },
        newLineage: { Workspace.identity().newLineage() }))
    let start = ContinuousClock().now
    let events = await engine.events()
    async let rows = Self.firstRows(events)
    let outcome = await engine.runOnce(within: .seconds(600))
    let all = ContinuousClock().now - start
    guard outcome == .upToDate, let first = await rows else {
      throw BenchError("the first synchronisation ended with \(outcome)")
    }
    return FirstSyncFigures(first: first - start, all: all)
  }

  private static func firstRows(_ events: AsyncStream<EngineEvent>) async -> ContinuousClock
    .Instant?
  {
    for await event in events {
      if case .dataChanged = event { return ContinuousClock().now }
    }
    return nil
  }
}
