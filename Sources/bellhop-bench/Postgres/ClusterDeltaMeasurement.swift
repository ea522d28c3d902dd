#if BELLHOP_POSTGRES
import BellhopStore
import BellhopStorePostgres

/// Measures deltas of few changes among many items of one user in PostgreSQL.
struct ClusterDeltaMeasurement {
  let bench: Bench
  let cluster: BenchCluster
  /// The numbers of items of the users that were made, in ascending order.
  let sizes: [Int]

  func run() async throws {
    let measurement = DeltaMeasurement(bench: bench)
    var medians: [Int: [Int: Double]] = [:]
    for items in sizes {
      for changes in DeltaMeasurement.changes {
        let samples = try await cluster.withStore {
          (service: StoreService, _: PostgresBackend) async throws -> Samples in
          try await measurement.measure(
            service, userName: ItemFill.userName(items: items), changes: changes)
        }
        medians[changes, default: [:]][items] = samples.median
        bench.report.add(
          Line(
            what: "delta of \(changes), over PostgreSQL, ms", size: shortCount(items),
            ours: samples))
      }
    }
    guard let least = sizes.first, let most = sizes.last, least < most else { return }
    for changes in DeltaMeasurement.changes {
      guard let low = medians[changes]?[least], let high = medians[changes]?[most] else { continue }
      bench.report.add(
        Line(
          what:
            "delta of \(changes), over PostgreSQL: \(shortCount(most)) to \(shortCount(least)), "
            + "ratio",
          ours: Samples([high / low]), target: "≤ 1.2"))
    }
  }
}
#endif
