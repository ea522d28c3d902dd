import BellhopModel
import Glibc

/// Measures the cost of a client while nothing happens.
struct IdleMeasurement {
  let bench: Bench

  func run() async throws {
    let seconds = bench.isQuick ? 5 : 60
    let store = try await bench.workspace.storeCopy(items: bench.sizes[0], "idle")
    defer { Files.remove(store.path) }
    let server = try Server(bench.workspace, store: store)
    defer { server.stop() }
    let folder = try bench.workspace.scratch("idle-home")
    defer { Files.remove(folder) }
    let home = Home(root: folder)
    let terminal = try home.openScreen(
      of: bench.workspace, at: server, token: try store.tokens()[0], device: "desktop")
    defer { terminal.stop() }
    try terminal.wait(toShow: "live")
    // Threads that were needed only for the start end by themselves after some seconds.
    terminal.settle(quiet: .seconds(bench.isQuick ? 3 : 12))
    let peers = bench.peers(Peers.idleLists, items: bench.sizes[0])
    defer { peers.stop() }

    let start = try [terminal.processID, server.processID].map(ProcessFigures.init(of:))
    peers.measure(())
    let bursts = try Self.bursts(of: terminal.processID, for: .seconds(seconds))
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
    bench.report.add(
      Line(
        what: "idle client, wake-ups a minute", ours: Samples([Double(bursts) * perMinute]),
        target: "≤ 12 with the trait QuietExecutor"))
    for isClient in [true, false] {
      add("sleeps of its threads a minute", "", isClient: isClient) {
        Double($1.wakeUps(since: $0))
      }
      add("CPU a minute, ms", isClient ? "0" : "", isClient: isClient) {
        $1.cpu.inMilliseconds - $0.cpu.inMilliseconds
      }
    }
  }

  /// The time within which activity of a process's threads counts as one wake-up.
  ///
  /// One thread passes a signal on to the next.
  private static let burstGap = Duration.milliseconds(100)

  /// Returns the number of wake-ups of a process within a time.
  private static func bursts(of process: Int32, for time: Duration) throws -> Int {
    let clock = ContinuousClock()
    let end = clock.now + time
    var bursts = 0
    var lastSeen: ContinuousClock.Instant?
    var before = try ProcessFigures(of: process)
    while clock.now < end {
      usleep(20_000)
      let now = try ProcessFigures(of: process)
      if now.wakeUps(since: before) > 0 {
        if lastSeen.map({ clock.now - $0 > burstGap }) ?? true { bursts += 1 }
        lastSeen = clock.now
      }
      before = now
    }
    return bursts
  }
}
