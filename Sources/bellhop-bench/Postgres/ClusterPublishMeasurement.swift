#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStorePostgres

/// Measures publications over PostgreSQL with one, two and three processes, beside `pgbench`.
struct ClusterPublishMeasurement {
  let bench: Bench
  let cluster: BenchCluster

  private static let processCounts = [1, 2, 3]
  /// The most publications in a second that one user needs.
  private static let oneUserRateMax = 2000.0
  /// The share of the highest possible rate that the store must reach with one user.
  ///
  /// At that rate, each commit has one publication of each of ``oneUserConnections`` publishers.
  private static let oneUserShare = 0.6
  private static let oneUserConnections = 16
  private static let cores = 8.0

  /// A number of users and of connections, which are spread over the users and processes.
  private struct Shape: Hashable {
    var users: Int
    var connections: Int

    static let oneUser = Shape(
      users: 1, connections: ClusterPublishMeasurement.oneUserConnections)
    static let manyUsers = Shape(
      users: PublicationBench.usersMax, connections: PublicationBench.usersMax)

    var words: String { "\(users) user\(users == 1 ? "" : "s"), \(connections) connections" }
  }

  /// The figures of one shape with one number of processes.
  private struct Figures {
    var rate = Samples()
    /// The CPU time for each publication, in µs.
    var storeCPU = Samples()
    var databaseCPU = Samples()
    var peerRate = Samples()
    var peerCPU = Samples()
  }

  func run() async throws {
    let publications = try await PublicationBench(cluster)
    let script = publications.script
    bench.report.note(
      "pgbench repeats what the store sends for a publication: \(script.statementCount) statements "
        + "in \(script.batchCount) round trips")
    let folder = try bench.workspace.scratch("cluster-publish")
    defer { Files.remove(folder) }
    var commit = Samples()
    var runs = 0
    for processes in Self.processCounts {
      let servers = try cluster.serve(
        bench.workspace, processes: processes, in: folder,
        settings: ServerSettings.withoutRateLimits)
      defer { for server in servers { server.stop() } }
      var figures: [Shape: Figures] = [:]
      for _ in 0..<bench.rounds {
        commit.add(try cluster.commitTime(for: .milliseconds(500)).median)
        for shape in [Shape.oneUser, .manyUsers] {
          try measure(shape, servers, publications, into: &figures[shape, default: Figures()])
          try measurePeer(
            shape, publications, run: runs, into: &figures[shape, default: Figures()])
          runs += 1
        }
      }
      for shape in [Shape.oneUser, .manyUsers] {
        guard let figures = figures[shape] else { continue }
        report(figures, shape, processes: processes, commit: commit)
      }
    }
    bench.report.add(
      Line(what: "an UPDATE with its COMMIT, \(cluster.label), ms", ours: commit))
  }

  private var time: Duration { bench.isQuick ? .milliseconds(400) : .milliseconds(1500) }

  /// The duration of a run of `pgbench`, in whole seconds.
  ///
  /// Each of its connections first prepares its statements and plans them some times, which would take
  /// most of a short run. The connections of the store have done so before.
  private var peerSeconds: Int { bench.isQuick ? 1 : 8 }

  private func measure(
    _ shape: Shape, _ servers: [Server], _ publications: PublicationBench,
    into figures: inout Figures
  ) throws {
    let content = BenchRequests.sample()
    let requests = try publications.tokens.prefix(shape.users).map {
      try BenchRequests.publish(content, token: $0)
    }
    let load = Load(
      sources: (0..<shape.connections).map { index in
        Load.Source(
          port: servers[index % servers.count].port, request: requests[index % requests.count])
      }, framing: .http)
    let storeBefore = try servers.cpu()
    let databaseBefore = try cluster.cpu()
    let result = try load.run(for: time)
    let count = Double(max(1, result.answers))
    figures.rate.add(result.rate)
    figures.storeCPU.add((try servers.cpu() - storeBefore).inMilliseconds * 1000 / count)
    figures.databaseCPU.add(
      (try cluster.cpu() - databaseBefore).inMilliseconds * 1000 / count)
  }

  private func measurePeer(
    _ shape: Shape, _ publications: PublicationBench, run: Int, into figures: inout Figures
  ) throws {
    let pgbench = PgbenchRun(cluster: cluster, publications: publications)
    let result = try pgbench(
      users: shape.users, connections: shape.connections, seconds: peerSeconds, number: run)
    figures.peerRate.add(result.rate)
    figures.peerCPU.add(result.databaseCPU)
  }

  private func report(_ figures: Figures, _ shape: Shape, processes: Int, commit: Samples) {
    let many = processes == 1 ? "1 process" : "\(processes) processes"
    let start = "\(shape.words), \(many), \(cluster.label)"
    var target = "≥ 0.5 of pgbench"
    if shape == .oneUser {
      // Each commit has one publication of every connection. The commits of a user do not overlap.
      let possible =
        Self.oneUserShare * Double(Self.oneUserConnections) * 1000 / commit.median
      target = "≥ \(Report.number(min(Self.oneUserRateMax, possible)))"
    }
    func add(_ what: String, _ ours: Samples, _ peer: Samples? = nil, target: String = "") {
      var line = Line(what: "\(start): \(what)", ours: ours, target: target)
      line.peer = peer.map { .measured(name: "pgbench", $0) }
      bench.report.add(line)
    }
    add("publications a second", figures.rate, figures.peerRate, target: target)
    add("CPU each, store, µs", figures.storeCPU)
    add("CPU each, database, µs", figures.databaseCPU, figures.peerCPU)
    let eight = zip(figures.storeCPU.values, figures.databaseCPU.values).map {
      Self.cores * 1_000_000 / max(1, $0 + $1)
    }
    add("on eight cores by that, a second", Samples(eight))
  }
}
#endif
