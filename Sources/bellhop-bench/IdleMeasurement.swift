import BellhopModel
import Glibc

/// What a client costs while nothing happens.
struct IdleMeasurement {
  let bench: Bench

  func run() async throws {
    let seconds = bench.isQuick ? 5 : 30
    let store = try await bench.workspace.storeCopy(items: bench.sizes[0], "idle")
    defer { Files.remove(store.path) }
    let server = try Server(bench.workspace, store: store)
    defer { server.stop() }
    let folder = try bench.workspace.scratch("idle-home")
    defer { Files.remove(folder) }
    let home = Home(root: folder)
    _ = try home.makeAccount(
      url: "http://127.0.0.1:\(server.port)", token: try store.tokens()[0], device: "desktop")
    let terminal = try Terminal(
      bench.workspace.bellhop, [],
      environment: Terminal.environment(home: home.root, adding: home.environment),
      readsScreen: true)
    defer { terminal.stop() }
    try terminal.wait(toShow: "live")
    // Threads that the start needed end by themselves after some seconds.
    terminal.settle(quiet: .seconds(bench.isQuick ? 3 : 12))
    let peers = PeerSet(
      Peers.idleLists, at: PeerPlace(workspace: bench.workspace, items: bench.sizes[0]),
      report: bench.report)
    defer { peers.stop() }

    let start = try [terminal.processID, server.processID].map(ProcessFigures.init(of:))
    peers.measure(())
    sleep(UInt32(seconds))
    let end = try [terminal.processID, server.processID].map(ProcessFigures.init(of:))
    peers.measure(())
    let perMinute = 60 / Double(seconds)
    func add(
      _ what: String, _ target: String, isClient: Bool,
      _ value: (ProcessFigures, ProcessFigures) -> Double
    ) {
      let index = isClient ? 0 : 1
      bench.report.add(
        Line(
          what: (isClient ? "idle client, " : "idle store, ") + what,
          ours: Samples([value(start[index], end[index]) * perMinute]), target: target),
        beside: isClient ? peers.columns { [value($0[0], $0[1]) * perMinute] } : [])
    }
    for isClient in [true, false] {
      add("wake-ups a minute", isClient ? "≤ 4" : "", isClient: isClient) {
        Double($1.wakeUps(since: $0))
      }
      add("CPU a minute, ms", isClient ? "0" : "", isClient: isClient) {
        $1.cpu.inMilliseconds - $0.cpu.inMilliseconds
      }
    }
  }
}
