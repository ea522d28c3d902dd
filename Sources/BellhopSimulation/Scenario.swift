/// What happens in one run, as a value: everything else follows from it.
///
/// Each step has a stream of chance of its own, so that a step means the same when others are left
/// out: that is what makes a failing scenario shrinkable.
package struct Scenario: Hashable, Sendable {
  package var seed: UInt64
  package var deviceCount: Int
  /// How many steps the seed plans, before any is left out.
  package var operations: Int
  package var faults: Set<Fault>
  package var steps: [Step]

  /// One thing that a person, a publisher or fate does.
  package struct Step: Hashable, Sendable {
    /// Its place in the plan of the seed.
    package var index: Int
    package var kind: Kind
    /// How long after the step before.
    package var wait: Duration
    /// Of its own stream of chance.
    var seed: UInt64
  }

  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case publish, replace, withdraw
    case handle, handleSeveral, handleMatching, undo
    case configure, expire, wait, quit
    case partition, crash, killAtWrite, fillDisk, setClock, copyHome, revoke, shortenToken
    case killStore, changeEpoch, backUp, restore, rollBack, setStoreClock, dropTombstones

    /// The fault that it is, if it is one.
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
      }
    }
  }

  /// The scenario of a seed.
  ///
  /// - Parameter devices: nil lets the seed choose 3 to 5.
  package init(seed: UInt64, devices: Int? = nil, operations: Int = 200) {
    self.seed = seed
    self.operations = operations
    let random = SharedRandom(seed: seed)
    let chosenDevices = random.number(3...5)
    deviceCount = devices ?? chosenDevices
    // Some runs have few faults, so that what only a calm run reaches is reached too.
    let share = [0.2, 0.5, 0.8][random.number(0...2)]
    faults = Set(Fault.allCases.filter { _ in random.chance(share) })
    steps = []
    for index in 0..<operations {
      let kind = Self.kind(faults, random)
      let wait =
        random.chance(0.75) ? random.milliseconds(1...800) : random.milliseconds(800...12_000)
      steps.append(Step(index: index, kind: kind, wait: wait, seed: random.word()))
    }
  }

  /// How often each kind is drawn.
  private static let weights: [(Kind, Int)] = [
    (.publish, 220), (.replace, 110), (.withdraw, 15),
    (.handle, 360), (.handleSeveral, 30), (.handleMatching, 25), (.undo, 50),
    (.configure, 30), (.expire, 30), (.wait, 15), (.quit, 12),
    (.partition, 60), (.crash, 40), (.killAtWrite, 40), (.fillDisk, 20), (.setClock, 15),
    (.copyHome, 4), (.revoke, 10), (.shortenToken, 10),
    (.killStore, 20), (.changeEpoch, 8), (.backUp, 15), (.restore, 6), (.rollBack, 6),
    (.setStoreClock, 8), (.dropTombstones, 25),
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

  /// The same without some faults: their steps do not happen.
  package func without(_ left: Set<Fault>) -> Scenario {
    var scenario = self
    scenario.faults.subtract(left)
    scenario.steps.removeAll { $0.kind.fault.map(left.contains) ?? false }
    return scenario
  }

  /// The same with only these steps of the plan.
  package func only(_ indices: Set<Int>) -> Scenario {
    var scenario = self
    scenario.steps.removeAll { !indices.contains($0.index) }
    return scenario
  }

  /// What to type to run it again.
  package var arguments: String {
    var text = "--seed \(seed) --devices \(deviceCount) --operations \(operations)"
    let whole = Scenario(seed: seed, devices: deviceCount, operations: operations)
    let left = whole.faults.subtracting(faults).map(\.rawValue).sorted()
    if !left.isEmpty { text += " --without " + left.joined(separator: ",") }
    let kept = Set(steps.map(\.index))
    if kept.count < whole.without(whole.faults.subtracting(faults)).steps.count {
      text += " --only " + (kept.isEmpty ? "none" : IndexList.text(kept))
    }
    return text
  }
}

/// Numbers as `1,4-9`.
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

  /// Nil for anything else.
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
