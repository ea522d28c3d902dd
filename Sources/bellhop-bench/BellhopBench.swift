import ArgumentParser
import Glibc

/// Measures the real programs and prints one table.
@main
struct BellhopBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bellhop-bench",
    abstract: "Measure start, memory, scrolling, search, synchronisation and publishing.",
    discussion: """
      Build it, bellhop and bellhopd with -c release: it runs the programs beside it. The same run \
      measures these peers if they are installed: neomutt, newsboat, aerc, tig, notmuch, dovecot, \
      redis, mosquitto, PostgreSQL with pgbench, nats-server. Their servers listen only on this \
      machine and stop after the run. Each figure is the median of the rounds with its range; the \
      ratio is bellhop to peer.

      The first run with a million items takes some minutes to create its data, and some GB.

      Examples:
        bellhop-bench --quick
        bellhop-bench --sizes 10k,1M --only start,scroll
        bellhop-bench --only postgres --explain plans.md
      """)

  @Option(help: "Numbers of items, such as 10k,1M.") var sizes = "10k,100k,1M"
  @Option(help: "How many times to measure everything.") var rounds = 5
  @Option(
    help: """
      Only these parts: start, memory, scroll, search, apply, delta, relay, publish, sync, idle, \
      crowd, readers, postgres.
      """)
  var only: String?
  @Option(
    help: ArgumentHelp(
      "Write the plans of the statements over PostgreSQL, with a million items, to this file.",
      valueName: "file"))
  var explain: String?
  @Option(help: "The folder for the data (default: bellhop-bench in the cache directory).")
  var work: String?
  @Flag(help: "Use few items and rounds, to try it out.") var quick = false
  @Flag(help: "Items with only text and tags (default: a third has actions, a file or Markdown).")
  var plain = false

  func validate() throws {
    guard explain != nil, let only, try !Self.names(only).contains("postgres") else { return }
    throw ValidationError("--explain needs the part postgres. Nothing was measured.")
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let workspace = try Workspace(
      root: try work ?? Self.defaultWork(), plain ? .plain : .mixed)
    let leftovers = workspace.leftovers
    let interruption = Interruption { leftovers.clearAway() }
    let bench = Bench(
      workspace: workspace, sizes: quick ? [10_000] : try Self.counts(sizes),
      rounds: quick ? 2 : max(1, rounds), isQuick: quick,
      names: try only.map(Self.names) ?? Set(Bench.allNames), planPath: explain, report: Report(),
      interruption: interruption)
    defer {
      interruption.check()
      leftovers.clearAway()
    }
    bench.report.begin(
      "\(ProcessFigures.machine()); \(bench.rounds) rounds; \(Self.buildMode) build; "
        + "\(bench.workspace.kind) items")
    for part in bench.parts {
      do {
        try await part.run()
      } catch {
        interruption.check()
        bench.report.note("\(part.name): no figure: \(error)")
      }
    }
  }

  private static var buildMode: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  private static func defaultWork() throws -> String {
    if let cache = getenv("XDG_CACHE_HOME") { return String(cString: cache) + "/bellhop-bench" }
    guard let home = getenv("HOME") else {
      throw ValidationError("HOME is not set. Name a folder with --work.")
    }
    return String(cString: home) + "/.cache/bellhop-bench"
  }

  private static func counts(_ text: String) throws -> [Int] {
    let counts = text.split(separator: ",").compactMap { word -> Int? in
      switch word.last {
      case "k": Int(word.dropLast()).map { $0 * 1000 }
      case "M": Int(word.dropLast()).map { $0 * 1_000_000 }
      default: Int(word)  // open: Character?
      }
    }
    guard !counts.isEmpty, counts.allSatisfy({ (1000...10_000_000).contains($0) }) else {
      throw ValidationError("--sizes is not valid. Use numbers such as 10k,100k,1M.")
    }
    return counts.sorted()
  }

  private static func names(_ text: String) throws -> Set<String> {
    let names = text.split(separator: ",").map(String.init)
    for name in names where !Bench.allNames.contains(name) {
      throw ValidationError(
        "\(name) is not a valid --only. Use \(Bench.allNames.joined(separator: ", ")).")
    }
    return Set(names)
  }
}

/// The configuration of a run: measurements, data and number of rounds.
struct Bench {
  let workspace: Workspace
  /// The numbers of items, in ascending order.
  let sizes: [Int]
  let rounds: Int
  let isQuick: Bool
  let names: Set<String>
  /// The file for the plans of statements over PostgreSQL; nil for none.
  let planPath: String?
  let report: Report
  let interruption: Interruption

  static let allNames = [
    "start", "memory", "scroll", "search", "apply", "delta", "relay", "publish", "sync", "idle",
    "crowd", "readers", "postgres",
  ]

  func wants(_ name: String) -> Bool { names.contains(name) }
  func wantsOnly(_ name: String) -> Bool { names == [name] }

  /// Starts peers with this number of items.
  func peers<Work, Figures>(
    _ kinds: [PeerKind<Work, Figures>], items: Int
  ) -> PeerSet<Work, Figures> {
    PeerSet(kinds, at: PeerPlace(workspace: workspace, items: items), report: report)
  }

  /// A part of the table; if it fails, the others still run.
  struct Part {
    var name: String
    var run: () async throws -> Void
  }

  /// The selected parts, in the order of the table.
  var parts: [Part] {
    var parts: [Part] = []
    if !names.isDisjoint(with: ["start", "memory", "scroll", "search"]) {
      parts.append(Part(name: "screen") { try ScreenMeasurement(bench: self).run() })
    }
    if !names.isDisjoint(with: ["search", "apply"]) {
      parts.append(Part(name: "cache") { try CacheMeasurement(bench: self).run() })
    }
    let others: [(String, () async throws -> Void)] = [
      ("delta", { try await DeltaMeasurement(bench: self).run() }),
      ("relay", { try await RelayMeasurement(bench: self).run() }),
      ("publish", { try await PublishMeasurement(bench: self).run() }),
      ("sync", { try await FirstSyncMeasurement(bench: self).run() }),
      ("sync", { try await SyncingScreenMeasurement(bench: self).run() }),
      ("idle", { try await IdleMeasurement(bench: self).run() }),
      ("crowd", { try await CrowdMeasurement(bench: self).run() }),
      ("readers", { try await ReaderCrowdMeasurement(bench: self).run() }),
      ("postgres", { try await measurePostgres() }),
    ]
    for (name, run) in others where wants(name) { parts.append(Part(name: name, run: run)) }
    return parts
  }

  private func measurePostgres() async throws {
    #if BELLHOP_POSTGRES
      try await PostgresMeasurement(bench: self).run()
    #else
      report.note(
        "postgres: not measured, because this program was built without --traits PostgreSQL")
    #endif
  }
}
