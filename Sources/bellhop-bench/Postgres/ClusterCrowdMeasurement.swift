#if BELLHOP_POSTGRES
import BellhopStore
import BellhopStorePostgres
import Glibc

/// Measures ten thousand idle signal streams over three processes, and their return after one dies.
struct ClusterCrowdMeasurement {
  let bench: Bench
  let cluster: BenchCluster

  private static let processes = 3
  private static let returnMax = Duration.seconds(180)

  func run() async throws {
    let wanted = bench.isQuick ? 999 : CrowdMeasurement.devices
    let devices = Crowd.makeRoom(for: wanted)
    if devices < wanted {
      bench.report.note("the limit of open files allows \(devices) connections only")
    }
    let tokens = try await cluster.withStore {
      (service: StoreService, _: PostgresBackend) async throws -> [String] in
      try await CrowdMeasurement.makeUsers(service, devices: devices)
    }
    let folder = try bench.workspace.scratch("cluster-crowd")
    defer { Files.remove(folder) }
    // Two processes must have room for all. Other settings are the defaults.
    let room = devices + CrowdMeasurement.otherConnections
    let servers = try cluster.serve(
      bench.workspace, processes: Self.processes, in: folder,
      settings: "[server]\nconnections-max = \(room)\n")
    defer { for server in servers { server.stop() } }
    try measure(servers, tokens: tokens)
  }

  private func measure(_ servers: [Server], tokens: [String]) throws {
    let crowd = ReturningCrowd(tokens: tokens)
    let clock = ContinuousClock()
    let arrival = try timed { try crowd.arrive(at: servers.map(\.port)) }
    // Resources that the processes needed only for the connects are released by now.
    sleep(2)
    let storeBefore = try servers.cpu()
    let databaseBefore = try cluster.cpu()
    let watched = clock.now
    usleep(bench.isQuick ? 5_000_000 : 30_000_000)
    let minutes = (clock.now - watched).inSeconds / 60
    let storeCPU = try servers.cpu() - storeBefore
    let databaseCPU = try cluster.cpu() - databaseBefore
    let resident = try servers.map { try ProcessFigures(of: $0.processID).resident }
    let broken = crowd.countBroken()
    guard broken == 0 else { throw BenchError("\(broken) streams have ended") }

    let death = clock.now
    try end(servers[servers.count - 1].processID)
    let rest = Array(servers.dropLast())
    let returned = try crowd.returnAll(
      to: rest.map(\.port), since: death, within: Self.returnMax)
    let afterwards = try rest.map { try ProcessFigures(of: $0.processID).residentGreatest }

    func add(_ what: String, _ values: [Double], _ target: String = "") {
      bench.report.add(
        Line(
          what: "\(what), \(cluster.label)", size: shortCount(tokens.count), ours: Samples(values),
          target: target))
    }
    add("idle streams, 3 processes: each one's MB", resident)
    add("idle streams: CPU a minute, all processes, ms", [storeCPU.inMilliseconds / minutes])
    add("idle streams: CPU a minute, database, ms", [databaseCPU.inMilliseconds / minutes])
    add("idle streams: all connected, s", [arrival.inSeconds])
    add("streams of a process that died", [Double(returned.broken)])
    add("all streams back after the death, s", [returned.time], "≤ 60 s")
    add("refused attempts to return", [Double(returned.refusals)], "0")
    add("the others' greatest MB afterwards", afterwards)
  }

  /// Kills a process, and returns once the kernel has closed its connections.
  private func end(_ process: Int32) throws {
    kill(process, SIGKILL)
    for _ in 0..<5000 {
      if kill(process, 0) != 0 { return }
      usleep(1000)
    }
    throw BenchError("a killed process does not end")
  }
}
#endif
