#if BELLHOP_POSTGRES
import BellhopStorePostgres

/// Measures the store over PostgreSQL, first on a server alone, then with a synchronous standby.
struct PostgresMeasurement {
  let bench: Bench

  /// The number of items for the plans.
  private static let plannedItems = 1_000_000

  func run() async throws {
    for program in BenchCluster.programs where Files.program(program) == nil {
      bench.report.note("postgres: no figures, because \(program) is not installed")
      return
    }
    bench.report.note(
      "every server, also that of pgbench: \(BenchCluster.serverSettings.joined(separator: ", "))")
    for hasStandby in [false, true] {
      let cluster = try await BenchCluster(bench.workspace, hasStandby: hasStandby)
      defer { cluster.stop() }
      await part("publications") {
        try await ClusterPublishMeasurement(bench: bench, cluster: cluster).run()
      }
      await part("relay") {
        let fill = ItemFill(cluster: cluster, kind: bench.workspace.kind)
        let tokens = try await fill.make(items: bench.sizes[0])
        try ClusterRelayMeasurement(bench: bench, cluster: cluster, tokens: tokens).run()
      }
      if hasStandby {
        await part("streams") {
          try await ClusterCrowdMeasurement(bench: bench, cluster: cluster).run()
        }
      } else {
        try await measureItems(on: cluster)
      }
    }
  }

  /// Measures what depends on the number of items, and not on the standby.
  private func measureItems(on cluster: BenchCluster) async throws {
    var sizes = [DeltaMeasurement.itemsMin] + bench.sizes
    if bench.planPath != nil, !sizes.contains(Self.plannedItems) { sizes.append(Self.plannedItems) }
    let fill = ItemFill(cluster: cluster, kind: bench.workspace.kind)
    // The relay has made the first of the sizes.
    for items in sizes where items != bench.sizes[0] { try await fill.make(items: items) }
    let made = Set(sizes).sorted()
    await part("deltas") {
      try await ClusterDeltaMeasurement(bench: bench, cluster: cluster, sizes: made).run()
    }
    guard let planPath = bench.planPath else { return }
    await part("plans") {
      try await PlanPage(cluster: cluster, items: Self.plannedItems).write(to: planPath)
      bench.report.note("postgres: the plans are in \(planPath)")
    }
  }

  /// Runs a part; if it fails, the others still run.
  private func part(_ name: String, _ run: () async throws -> Void) async {
    do {
      try await run()
    } catch {
      bench.interruption.check()
      bench.report.note("postgres, \(name): no figure: \(error)")
    }
  }
}
#endif
