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
      environment: Terminal.environment(home: home.root, adding: home.environment))
    defer { terminal.stop() }
    try terminal.wait(for: "live")
    // Threads that the start needed end by themselves after some seconds.
    terminal.settle(quiet: .seconds(bench.isQuick ? 3 : 12))
    let (peer, peerName) = idlePeer()
    defer { peer?.stop() }

    let clientStart = try ProcessFigures(of: terminal.processID)
    let serverStart = try ProcessFigures(of: server.processID)
    let peerStart = try peer.map { try ProcessFigures(of: $0.processID) }
    sleep(UInt32(seconds))
    let perMinute = 60 / Double(seconds)
    func add(
      _ what: String, _ start: ProcessFigures, _ process: Int32, _ targets: (String, String)
    ) throws {
      let end = try ProcessFigures(of: process)
      let peerEnd = try peer.map { try ProcessFigures(of: $0.processID) }
      func line(
        _ unit: String, _ target: String,
        _ value: (ProcessFigures, ProcessFigures) -> Double
      ) {
        var line = Line(
          what: "\(what), \(unit)", ours: Samples([value(start, end) * perMinute]), target: target)
        if process == terminal.processID, let peerStart, let peerEnd {
          line.peer = .measured(
            name: peerName, Samples([value(peerStart, peerEnd) * perMinute]))
        }
        bench.report.add(line)
      }
      line("wake-ups a minute", targets.0) { Double($1.wakeUps(since: $0)) }
      line("CPU a minute, ms", targets.1) { $1.cpu.inMilliseconds - $0.cpu.inMilliseconds }
    }
    try add("idle client", clientStart, terminal.processID, ("≤ 4", "0"))
    try add("idle store", serverStart, server.processID, ("", ""))
  }

  /// A mail reader that shows its list, when it is installed.
  private func idlePeer() -> (Terminal?, String) {
    let (subjects, _) = ScreenPeers(bench: bench).subjects(items: bench.sizes[0])
    guard let subject = subjects.first,
      let terminal = try? Terminal(
        subject.path, subject.arguments,
        environment: Terminal.environment(home: subject.folder), directory: subject.folder)
    else { return (nil, "") }
    terminal.settle(quiet: .seconds(1))
    return (terminal, subject.name)
  }
}
