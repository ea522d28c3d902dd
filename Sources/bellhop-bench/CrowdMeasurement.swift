import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopWire

/// Measures ten thousand devices with open signal connections while nothing happens.
struct CrowdMeasurement {
  let bench: Bench

  /// The number of devices in a whole run.
  static let devices = 1000 * devicesOfUser
  private static let devicesOfUser = 10
  /// The connections of a store beside those of the crowd.
  static let otherConnections = 100

  func run() async throws {
    let wanted = bench.isQuick ? 1000 : Self.devices
    let connections = Crowd.makeRoom(for: wanted)
    if connections < wanted {
      bench.report.note("the limit of open files allows \(connections) connections only")
    }
    let work = CrowdWork(connections: connections, time: .seconds(bench.isQuick ? 5 : 30))
    let store = StoreFolder(path: try bench.workspace.scratch("crowd"))
    defer { Files.remove(store.path) }
    let tokens = try await makeStore(store, devices: connections)
    // All settings except the number of connections are the defaults.
    let server = try Server(
      bench.workspace, store: store,
      settings: "[server]\nconnections-max = \(connections + Self.otherConnections)\n")
    defer { server.stop() }
    let ours = try Crowd(work, process: server.processID) { index in
      let connection = try LoopbackConnection(port: server.port)
      connection.setPatience(.seconds(10))
      try connection.ask(BenchRequests.signals(token: tokens[index]), .through("event: "))
      return connection
    }.figures
    server.stop()
    let peers = bench.peers(Peers.crowds, items: 0)
    defer { peers.stop() }
    peers.measure(work)
    func add(_ what: String, _ target: String, _ value: (CrowdFigures) -> Double) {
      bench.report.add(
        Line(
          what: what, size: shortCount(connections), ours: Samples([value(ours)]), target: target),
        beside: peers.columns { $0.map(value) })
    }
    add("idle signal connections, the store's MB", "≤ 300 MB", \.resident)
    add("of it for the connections", "", \.added)
    add("idle signal connections, CPU a minute, ms", "0", \.cpuPerMinute)
    add("all connections made, s", "", \.arrival)
  }

  /// Creates a store with a token for each device.
  private func makeStore(_ folder: StoreFolder, devices: Int) async throws -> [String] {
    let service = try await StoreService.open(
      .starting, on: SQLiteBackend(path: folder.database), environment: StoreFolder.environment)
    let tokens = try await Self.makeUsers(service, devices: devices)
    await service.close()
    return tokens
  }

  /// Creates users with some devices each, and returns the token of each device.
  static func makeUsers(_ service: StoreService, devices: Int) async throws -> [String] {
    // Concurrently, so that one sync makes many of them durable.
    try await withThrowingTaskGroup(of: [String].self) { group in
      for user in stride(from: 0, to: devices, by: Self.devicesOfUser) {
        group.addTask {
          let id = try await service.addUser(named: "crowd\(user)").id
          var tokens: [String] = []
          for device in user..<min(user + Self.devicesOfUser, devices) {
            let minted = try await service.mintToken(
              named: "device\(device)", scope: .device(nil), for: id)
            tokens.append(minted.secret.text)
          }
          return tokens
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }
}
