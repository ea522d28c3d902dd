import BellhopCache
import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopSync

/// The number of changed items, and of requests for them.
struct DeltaWork {
  var changes: Int
  var repetitions: Int
}

/// Measures a delta of few changes among many items: in the store itself, and at a client.
struct DeltaMeasurement {
  let bench: Bench

  private static let repetitions = 40
  /// The numbers of changes of the deltas.
  static let changes = [1, 100]
  /// The number of items with which the larger sizes are compared.
  static let itemsMin = 1000
  /// The maximum number of items for peers.
  private static let peerItemsMax = 100_000

  func run() async throws {
    let sizes = bench.sizes[0] > Self.itemsMin ? [Self.itemsMin] + bench.sizes : bench.sizes
    var medians: [Int: [Int: Double]] = [:]
    for items in sizes {
      for changes in Self.changes {
        let samples = try await measure(items: items, changes: changes)
        medians[changes, default: [:]][items] = samples.median
        bench.report.add(
          Line(
            what: "delta of \(changes), in the store, ms", size: shortCount(items), ours: samples))
      }
      try await measureOverHTTP(items: items)
    }
    guard let least = sizes.first, let most = sizes.last, least < most else { return }
    for changes in Self.changes {
      guard let low = medians[changes]?[least], let high = medians[changes]?[most] else { continue }
      bench.report.add(
        Line(
          what: "delta of \(changes): \(shortCount(most)) to \(shortCount(least)), ratio",
          ours: Samples([high / low]), target: "≤ 1.2"))
    }
  }

  // MARK: At a client

  private func measureOverHTTP(items: Int) async throws {
    let store = try await bench.workspace.store(items: items)
    let server = try Server(bench.workspace, store: store)
    defer { server.stop() }
    let tokens = try store.tokens()
    let transport = try HTTPTransport(
      HTTPTransport.Configuration(
        url: "http://127.0.0.1:\(server.port)", device: DeviceID("extra"), deviceName: "extra"),
      localTime: { Workspace.now() }, token: { tokens[2] })
    let peerItems = min(items, Self.peerItemsMax)
    let peers = bench.peers(Peers.deltas, items: peerItems)
    defer { peers.stop() }
    let page = try await transport.pull(.page(nil))
    guard case .page(_, let start, _) = page.end else {
      throw BenchError("the store sent no first page")
    }
    let ids = page.changes.compactMap { change -> NotificationID? in
      if case .item(let item) = change { item.id } else { nil }
    }
    let writer = try LoopbackConnection(port: server.port)
    var token = start
    var ours: [Int: Samples] = [:]
    for round in 0..<bench.rounds {
      for changes in Self.changes {
        for id in ids.prefix(changes) {
          // Always a different value, even in the first round of any run.
          for isPinned in [round % 2 == 1, round % 2 == 0] {
            try writer.ask(BenchRequests.pin(id, isPinned, token: tokens[0]), .http)
          }
        }
        var times = Samples()
        var end = token
        for _ in 0..<Self.repetitions {
          let duration = try await elapsed {
            let answer = try await transport.pull(.delta(since: token))
            guard case .delta(let next, _, _) = answer.end, answer.changes.count == changes else {
              throw BenchError("\(answer.changes.count) changes instead of \(changes)")
            }
            end = next
          }
          times.add(duration)
        }
        token = end
        ours[changes, default: Samples()].add(times.median)
        peers.measure(
          DeltaWork(changes: changes, repetitions: Self.repetitions), as: changes)
      }
    }
    await transport.shutdown()
    let label = peerItems < items ? " (\(shortCount(peerItems)))" : ""
    for changes in Self.changes {
      bench.report.add(
        Line(
          what: "delta of \(changes), by a client, ms", size: shortCount(items),
          ours: ours[changes] ?? Samples()),
        beside: peers.columns(changes, label: label) { $0.map(\.median) })
    }
  }

  // MARK: In the store

  /// Returns one value per round, each the median of several deltas.
  private func measure(items: Int, changes: Int) async throws -> Samples {
    let folder = try await bench.workspace.store(items: items)
    let backend = try SQLiteBackend(path: folder.database)
    let service = try await StoreService.open(
      .joining, on: backend, environment: StoreFolder.environment)
    do {
      let samples = try await measure(service, userName: Workspace.userName, changes: changes)
      await service.close()
      return samples
    } catch {
      await service.close()
      throw error
    }
  }

  /// Returns one value per round, each the median of several deltas of a user.
  func measure(
    _ service: StoreService, userName: String, changes: Int
  ) async throws -> Samples {
    let user = try await service.user(named: userName).id
    let author = Author(kind: .device, id: "bench", name: "bench")
    let items = try await service.list(rows: changes, for: user).items
    var samples = Samples()
    for round in 0..<bench.rounds {
      let start = try await service.delta(from: .beginning, rows: 1, for: user)
      guard let token = start.started else { throw BenchError("the store gave no token") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for item in items {
          let isPinned = !item.state.pinned.value != (round % 2 == 1)
          group.addTask {
            _ = try await service.change(
              item.id, StateChange(pinned: isPinned), by: author, for: user)
          }
        }
        try await group.waitForAll()
      }
      var times = Samples()
      for _ in 0..<Self.repetitions {
        let duration = try await elapsed {
          let page = try await service.delta(from: .since(token), rows: 1000, for: user)
          guard page.changes.count == changes else {
            throw BenchError("\(page.changes.count) changes instead of \(changes)")
          }
        }
        times.add(duration)
      }
      samples.add(times.median)
    }
    return samples
  }
}
