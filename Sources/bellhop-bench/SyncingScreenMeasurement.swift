import TerminalReader

/// Measures the real screen of a new device, in use during the first synchronisation.
struct SyncingScreenMeasurement {
  let bench: Bench

  private static let itemsMax = 100_000
  /// The repetition interval of a held key.
  private static let keyPause = Duration.milliseconds(33)

  func run() async throws {
    let items = min(Self.itemsMax, bench.sizes[bench.sizes.count - 1])
    let store = try await bench.workspace.storeCopy(items: items, "sync-screen")
    defer { Files.remove(store.path) }
    let server = try Server(bench.workspace, store: store)
    defer { server.stop() }
    let token = try store.tokens()[2]
    var painted = Samples()
    var live = Samples()
    var keys: [Samples] = []
    for _ in 0..<bench.rounds {
      let folder = try bench.workspace.scratch("sync-home")
      defer { Files.remove(folder) }
      let home = Home(root: folder)
      let terminal = try home.openScreen(
        of: bench.workspace, at: server, token: token, device: "extra")
      defer { terminal.stop() }
      let first = try terminal.wait(toShow: ItemMaker.newestMark)
      painted.add(first - terminal.started)
      let pressed = try scroll(terminal)
      keys.append(pressed)
      live.add((ContinuousClock().now - terminal.started).inSeconds)
    }
    let size = shortCount(items)
    func add(_ what: String, _ samples: Samples, _ target: String = "") {
      bench.report.add(Line(what: what, size: size, ours: samples, target: target))
    }
    add("first sync, start to first row painted, ms", painted, "≤ 100 ms")
    add("first sync, start to all live while scrolling, s", live)
    add("a key to its paint meanwhile, p50, ms", Samples(keys.map(\.median)))
    add("a key to its paint meanwhile, p99, ms", Samples(keys.map { $0.percentile(99) }))
    add("a key to its paint meanwhile, greatest, ms", Samples(keys.map(\.greatest)), "≤ 16 ms")
  }

  /// Moves the cursor down until the synchronisation is complete.
  private func scroll(_ terminal: Terminal) throws -> Samples {
    var keys = Samples()
    while let screen = terminal.screen, screen.lines.first?.contains("live") != true {
      let before = Self.cursorLine(screen)
      let sent = ContinuousClock().now
      terminal.send("j")
      let seen = try terminal.wait(for: "the cursor", within: .seconds(5)) {
        Self.cursorLine($0) != before
      }
      keys.add(seen - sent)
      terminal.settle(quiet: Self.keyPause, within: Self.keyPause)
    }
    guard !keys.isEmpty else { throw BenchError("the first synchronisation ended too soon") }
    return keys
  }

  /// Returns the row of the cursor and the text there: one of them changes when it moves.
  private static func cursorLine(_ screen: VTReader) -> [String] {
    screen.lines.enumerated().first { $1.hasPrefix("▌") }.map { ["\($0)", $1] } ?? []
  }
}
