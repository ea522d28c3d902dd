/// The complete plan of one run, as a value: everything else derives from it.
///
/// Each step has its own stream of random numbers, so that it has the same meaning when other steps
/// are left out. This makes a failing scenario shrinkable.
package struct Scenario: Hashable, Sendable {
  package var seed: UInt64
  package var deviceCount: Int
  /// The number of steps that the seed plans, before any is left out.
  package var operations: Int
  /// The number of store processes over one storage.
  package var processes: Int
  package var faults: Set<Fault>
  package var steps: [Step]

  /// One action of a user or a publisher, or one fault.
  package struct Step: Hashable, Sendable {
    /// The position in the seed's plan.
    package var index: Int
    package var kind: Kind
    /// The time since the previous step.
    package var wait: Duration
    /// The seed of the step's own stream of random numbers.
    var seed: UInt64
  }

  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case publish, replace, withdraw
    case handle, handleSeveral, handleMatching, undo
    case configure, expire, wait, quit
    case partition, crash, killAtWrite, fillDisk, setClock, copyHome, revoke, shortenToken
    case killStore, changeEpoch, backUp, restore, rollBack, setStoreClock, dropTombstones
    case failOver, failOverLosing

    /// The fault that the step causes; nil if it causes none.
    var fault: Fault? {
      switch self {
      case .publish, .replace, .withdraw, .handle, .handleSeveral, .handleMatching, .undo,
        .configure, .expire, .wait, .quit, .backUp:
        nil
      case .partition: .partition
      case .crash: .crash
      case .killAtWrite: .killedAtWrite
      case .fillDisk: .diskFull
      case .setClock: .deviceClock
      case .copyHome: .homeCopied
      case .revoke: .revoked
      case .shortenToken: .tokenExpired
      case .killStore: .storeKilled
      case .changeEpoch: .epochChanged
      case .restore: .backupRestored
      case .rollBack: .rolledBack
      case .setStoreClock: .storeClock
      case .dropTombstones: .tombstonesDropped
      case .failOver: .failover
      case .failOverLosing: .failoverLoses
      }
    }
  }

  /// Whether the clocks by which devices place their items may be set back.
  var mayClocksGoBack: Bool { faults.contains(.deviceClock) || faults.contains(.storeClock) }

  /// Creates the scenario of a seed.
  ///
  /// - Parameters:
  ///   - devices: The number of devices; nil lets the seed choose 3 to 5.
  ///   - processes: The number of store processes; nil lets the seed choose.
  package init(
    seed: UInt64, devices: Int? = nil, operations: Int = 200, processes: Int? = nil
  ) {
    self.seed = seed
    self.operations = operations
    self.processes = processes ?? Self.processes(ofSeed: seed)
    let random = SharedRandom(seed: seed)
    let chosenDevices = random.number(3...5)
    deviceCount = devices ?? chosenDevices
    // Some runs have few faults, to reach states that occur only in a calm run.
    let share = [0.2, 0.5, 0.8][random.number(0...2)]
    faults = Set(
      Fault.allCases.filter { !$0.needsProcesses }.filter { _ in random.chance(share) })
    if self.processes > 1 {
      // Drawn apart, so that the other faults are those of a run with one process.
      let drawn = SharedRandom(seed: seed &* 19 &+ 13)
      faults.formUnion(Fault.allCases.filter(\.needsProcesses).filter { _ in drawn.chance(0.6) })
    }
    steps = []
    for index in 0..<operations {
      let kind = Self.kind(faults, random)
      let wait =
        random.chance(0.75) ? random.milliseconds(1...800) : random.milliseconds(800...12_000)
      steps.append(Step(index: index, kind: kind, wait: wait, seed: random.word()))
    }
  }

  /// Returns the number of store processes in the run of a seed.
  ///
  /// A third of the seeds has several, and a sixth of those has three.
  private static func processes(ofSeed seed: UInt64) -> Int {
    guard seed % 3 == 2 else { return 1 }
    return seed % 18 == 5 ? 3 : 2
  }

  /// The relative frequency of each kind.
  private static let weights: [(Kind, Int)] = [
    (.publish, 220), (.replace, 110), (.withdraw, 15),
    (.handle, 360), (.handleSeveral, 30), (.handleMatching, 25), (.undo, 50),
    (.configure, 30), (.expire, 30), (.wait, 15), (.quit, 12),
    (.partition, 60), (.crash, 40), (.killAtWrite, 40), (.fillDisk, 20), (.setClock, 15),
    (.copyHome, 4), (.revoke, 10), (.shortenToken, 10),
    (.killStore, 20), (.changeEpoch, 8), (.backUp, 15), (.restore, 6), (.rollBack, 6),
    (.setStoreClock, 8), (.dropTombstones, 25),
    (.failOver, 15), (.failOverLosing, 12),
  ]

  private static func kind(_ faults: Set<Fault>, _ random: SharedRandom) -> Kind {
    let possible = weights.filter { kind, _ in kind.fault.map(faults.contains) ?? true }
    var place = random.number(0...(possible.reduce(0) { $0 + $1.1 } - 1))
    for (kind, weight) in possible {
      if place < weight { return kind }
      place -= weight
    }
    return .publish
  }

  /// Whether publications have triggers, and machines different time zones.
  var hasTriggers: Bool { seed % 4 == 1 }
  /// Whether devices arrive at a place and leave it, which triggers deliveries.
  var hasPlaces: Bool { seed % 8 == 1 }
  /// Whether devices publish, and handle what they publish before it is sent.
  var hasDevicePublications: Bool { hasTriggers || seed % 8 == 4 }
  /// Whether one device is registered for development, and some publications are for it alone.
  var hasDevelopment: Bool { seed % 8 == 7 }

  /// Returns the scenario without some faults and their steps.
  package func without(_ left: Set<Fault>) -> Scenario {
    var scenario = self
    scenario.faults.subtract(left)
    scenario.steps.removeAll { $0.kind.fault.map(left.contains) ?? false }
    return scenario
  }

  /// Returns the scenario with only these steps of the plan.
  package func only(_ indices: Set<Int>) -> Scenario {
    var scenario = self
    scenario.steps.removeAll { !indices.contains($0.index) }
    return scenario
  }

  /// The command-line arguments that repeat the run.
  package var arguments: String {
    var text = "--seed \(seed) --devices \(deviceCount) --operations \(operations)"
    if processes != Self.processes(ofSeed: seed) { text += " --processes \(processes)" }
    let whole = Scenario(
      seed: seed, devices: deviceCount, operations: operations, processes: processes)
    let left = whole.faults.subtracting(faults).map(\.rawValue).sorted()
    if !left.isEmpty { text += " --without " + left.joined(separator: ",") }
    let kept = Set(steps.map(\.index))
    if kept.count < whole.without(whole.faults.subtracting(faults)).steps.count {
      text += " --only " + (kept.isEmpty ? "none" : IndexList.text(kept))
    }
    return text
  }
}

/// A text form of numbers, such as `1,4-9`.
package enum IndexList {
  package static func text(_ indices: Set<Int>) -> String {
    var runs: [ClosedRange<Int>] = []
    for index in indices.sorted() {
      if let last = runs.last, last.upperBound + 1 == index {
        runs[runs.count - 1] = last.lowerBound...index
      } else {
        runs.append(index...index)
      }
    }
    return runs.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }.joined(separator: ",")
  }

  /// Parses the text form; nil for anything else.
  package static func parse(_ text: String) -> Set<Int>? {
    if text == "none" { return [] }
    var indices: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last,
        last < 1_000_000
      else { return nil }
      indices.formUnion(first...last)
    }
    return indices
  }
}
