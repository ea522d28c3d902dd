import BellhopTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

/// Failing disks, and power cuts that lose unsynced data.
///
/// `BELLHOP_DISK_ROUNDS` sets the number of rounds; `BELLHOP_DISK_SEED` repeats a run as far as its
/// choices go.
@Suite("On a failing disk", .realPrograms)
struct DiskTests {
  private static func variable(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let rounds = Int(variable("BELLHOP_DISK_ROUNDS") ?? 12)

  private static func seed(_ what: String) -> UInt64 {
    let seed = variable("BELLHOP_DISK_SEED") ?? UInt64.random(in: 0...UInt64.max)
    print("\(what): \(rounds) rounds, BELLHOP_DISK_SEED=\(seed)")
    return seed
  }

  // MARK: - The store

  /// The progress of a round.
  private final class Round: Sendable {
    private struct State {
      var answersLeft: Int
      var refusalsLeft = 40
      var strange: [String] = []
    }

    private let state: Mutex<State>

    init(answers: Int) { state = Mutex(State(answersLeft: answers)) }

    var isOver: Bool { state.withLock { $0.answersLeft <= 0 || $0.refusalsLeft <= 0 } }
    /// Refusals that a failing disk does not explain.
    var strange: [String] { state.withLock { $0.strange } }

    func answered() { state.withLock { $0.answersLeft -= 1 } }

    /// Records a refusal; returns whether it was expected.
    func refused(_ answer: StoreLine.Answer) -> Bool {
      let words = String(decoding: answer.body, as: UTF8.self)
      let isExpected =
        answer.status == 507 && words.contains("disk is full")
        || answer.status == 503 && words.contains("storage failed")
      state.withLock { state in
        state.refusalsLeft -= 1
        if !isExpected { state.strange.append("\(answer.status) \(words)") }
      }
      return true
    }
  }

  /// Applies load until `round` is over, or the store is gone.
  private static func load(
    _ store: StoreProcess, _ publishers: [SteadyPublisher], _ handler: SteadyDevice, _ round: Round
  ) async {
    let port = store.port
    await withTaskGroup(of: Void.self) { group in
      for publisher in publishers {
        group.addTask {
          await onThread {
            publisher.run(port, while: { !round.isOver }, refused: round.refused) { id in
              handler.handle(id)
              round.answered()
            }
          }
        }
      }
      group.addTask {
        await onThread {
          handler.run(port, while: { !round.isOver }, refused: round.refused) { round.answered() }
        }
      }
    }
  }

  @Test("a store on a failing disk loses nothing it acknowledged, and recovers with the disk")
  func store() async throws {
    let seed = Self.seed("The store's disk")
    var random = SeededRandom(seed: seed)
    try await Scene.play { scene in
      let disk = try FaultyDisk(folder: scene.folder + "/store/data", forgets: true)
      let store = try await scene.store(fault: .disk(disk))
      let publishers = try await (1...3).asyncMap { number in
        SteadyPublisher(
          name: "app\(number)", token: try await store.token(scope: "publish", "--any-app"))
      }
      let handler = SteadyDevice(
        name: "robot", token: try await store.token(scope: "device"), seed: seed)
      handler.register(store.port)
      let device = try await scene.device("desk", on: store)
      var mirror = StoreMirror(token: try await store.token(scope: "device"))
      var (failures, lost) = (0, 0)

      for number in 1...Self.rounds {
        let trouble = DiskTrouble.any(upTo: 150, &random)
        let place = "round \(number) of seed \(seed): \(trouble)"
        try disk.fail(
          trouble.operations, with: trouble.code, from: trouble.first, count: trouble.count)
        let round = Round(answers: Int.random(in: 20...200, using: &random))
        await Self.load(store, publishers, handler, round)
        #expect(round.strange.isEmpty, "\(place): \(round.strange)")
        failures += try disk.failures
        if let survival = trouble.cut {
          try await store.crash()
          lost += try disk.losePower(survival, &random)
        }
        try disk.heal()
        if trouble.cut != nil { try await store.start() }
        // Without a restart if the disk only failed.
        let healed = Round(answers: 12)
        await Self.load(store, publishers, handler, healed)
        #expect(healed.strange.isEmpty, "\(place): \(healed.strange)")
        try mirror.pull(store.port)
        Agreement.compare(mirror, publishers, handler, place)
        guard publishers.allSatisfy({ $0.refusals.isEmpty }), handler.refusals.isEmpty else {
          break
        }
      }
      let count = publishers.reduce(0) { $0 + $1.answered.count }
      print("\(count) publications, \(handler.answeredCount) operations were answered")
      print("\(failures) operations of the disk failed, \(lost) writes were forgotten")
      #expect(try await store.administer(["check"]).exitCode == 0)
      try await Agreement.converge([device], mirror, store)
    }
  }

  // MARK: - The client

  @Test("a client on a failing disk keeps what its commands confirmed, and reports what failed")
  func client() async throws {
    let seed = Self.seed("The client's disk")
    var random = SeededRandom(seed: seed)
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let disk = try FaultyDisk(folder: scene.folder + "/desk/state", forgets: true)
      let device = try await scene.device("desk", on: store, fault: .disk(disk))
      for number in 1...8 { try await publisher.publish("Item \(number)") }
      try await device.succeed("sync")
      var mirror = StoreMirror(token: try await store.token(scope: "device"))
      var registers = ClientRegisters(count: 8)
      var (confirmed, refused, lost) = (0, 0, 0)

      for round in 1...Self.rounds {
        let screen =
          Int.random(in: 0...2, using: &random) == 0 ? try await scene.screen(on: device) : nil
        if let screen { try await screen.wait(for: "all sent") }
        let trouble = DiskTrouble.any(upTo: 40, &random)
        let place = "round \(round) of seed \(seed): \(trouble)"
        try disk.fail(
          trouble.operations, with: trouble.code, from: trouble.first, count: trouble.count)
        try await publisher.publish("Round \(round)")
        var isMended = false
        for number in (1...8).shuffled(using: &random).prefix(3) {
          let step = registers.step(number, &random)
          let outcome = try await device.bellhop(step.verb, String(number))
          // SQLite reports a failed read as damage, and a check on a failing disk confirms it.
          if trouble.operations == .reads { isMended = isMended || outcome.isAboutDamage }
          switch outcome.exitCode {
          case 0:
            registers.confirm(step)
            confirmed += 1
          // 128 and SIGKILL: the power was cut.
          case 74, 137:
            registers.doubt(step)
            refused += 1
            let isExplained =
              outcome.exitCode == 137
              || outcome.errors.contains("disk") && outcome.errors.contains("cache")
            #expect(isExplained, "\(place): \(outcome.errors)")
          case 65 where isMended, 66 where isMended:
            registers.doubt(step)
            refused += 1
          default:
            Issue.record("\(place): exit code \(outcome.exitCode) \(outcome.errors)")
            registers.doubt(step)
          }
        }
        if let survival = trouble.cut {
          try await screen?.kill(SIGKILL)
          lost += try disk.losePower(survival, &random)
        }
        try disk.heal()
        if let screen, trouble.cut == nil {
          // The screen, which was the engine throughout, still works.
          try await screen.type("R")
          try await screen.wait(for: "all sent")
          try await screen.wait(for: "Round \(round)")
        }
        await screen?.end()
        try await device.succeed("sync")
        try mirror.pull(store.port)
        for complaint in registers.settle(mirror) { Issue.record("\(place): \(complaint)") }
      }
      print("\(confirmed) commands confirmed, \(refused) not, \(lost) writes were forgotten")
      try await Agreement.converge([device], mirror, store)
      let integrity = try await scene.sqlite("PRAGMA integrity_check", on: try device.cacheFile())
      #expect(integrity == "ok")
    }
  }
}

extension Outcome {
  /// Whether the output reports a damaged cache, and the fate of the unsent operations.
  fileprivate var isAboutDamage: Bool {
    errors.contains("damaged") && (errors.contains("rescued") || errors.contains("are safe"))
  }
}
