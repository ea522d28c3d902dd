import BellhopModel
import BellhopStore
import BellhopStoreSQLite

/// A delta of few changes among many items, in the store itself.
struct DeltaMeasurement {
  let bench: Bench

  private static let repetitions = 40

  func run() async throws {
    var medians: [Int: [Int: Double]] = [:]
    for items in bench.sizes {
      for changes in [1, 100] {
        let samples = try await measure(items: items, changes: changes)
        medians[changes, default: [:]][items] = samples.median
        bench.report.add(
          Line(
            what: "delta of \(changes) change\(changes == 1 ? "" : "s"), ms",
            size: shortCount(items), ours: samples))
      }
    }
    guard let least = bench.sizes.first, let most = bench.sizes.last, least < most else { return }
    for changes in [1, 100] {
      guard let low = medians[changes]?[least], let high = medians[changes]?[most] else { continue }
      bench.report.add(
        Line(
          what: "delta of \(changes): \(shortCount(most)) to \(shortCount(least)), ratio",
          ours: Samples([high / low]), target: "≤ 1.2"))
    }
  }

  /// One value a round, each the median of several deltas.
  private func measure(items: Int, changes: Int) async throws -> Samples {
    let folder = try await bench.workspace.store(items: items)
    let backend = try SQLiteBackend(path: folder.database)
    let service = try await StoreService.open(
      .joining, on: backend, environment: StoreFolder.environment)
    do {
      let samples = try await measure(service, changes: changes)
      await service.close()
      return samples
    } catch {
      await service.close()
      throw error
    }
  }

  private func measure(_ service: StoreService, changes: Int) async throws -> Samples {
    let user = try await service.user(named: Workspace.userName).id
    let author = Author(kind: .device, id: "bench", name: "bench")
    let items = try await service.list(rows: changes, for: user).items
    var samples = Samples()
    for round in 0..<bench.rounds {
      let start = try await service.delta(from: .beginning, rows: 1, for: user)
      guard let token = start.started else { throw BenchError("the store gave no token") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for item in items {
          let isKept = !item.state.kept.value != (round % 2 == 1)
          group.addTask {
            _ = try await service.change(
              item.id, StateChange(kept: isKept), by: author, for: user)
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
