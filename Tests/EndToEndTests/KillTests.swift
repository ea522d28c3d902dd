import BellhopTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

/// Tests with `kill -9` in a loop.
///
/// `BELLHOP_KILL_ROUNDS` sets the number of rounds; `BELLHOP_KILL_SEED` repeats the choices of a
/// run, though timing differs.
@Suite("Killed again and again", .realPrograms)
struct KillTests {
  private static func variable(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let rounds = Int(variable("BELLHOP_KILL_ROUNDS") ?? 20)

  private static func seed(_ what: String) -> UInt64 {
    let seed = variable("BELLHOP_KILL_SEED") ?? UInt64.random(in: 0...UInt64.max)
    print("\(what): \(rounds) rounds, BELLHOP_KILL_SEED=\(seed)")
    return seed
  }

  // MARK: - The store

  @Test("a store killed under load has everything it acknowledged, once, and its clients agree")
  func store() async throws {
    let seed = Self.seed("Killing the store")
    var random = SeededRandom(seed: seed)
    try await Scene.play { scene in
      let store = try await scene.store()
      let devices = [
        try await scene.device("desk", on: store), try await scene.device("phone", on: store),
      ]
      for device in devices { _ = try await scene.screen(on: device) }
      let publishers = try await (1...3).asyncMap { number in
        SteadyPublisher(
          name: "app\(number)", token: try await store.token(scope: "publish", "--any-app"))
      }
      let handler = SteadyDevice(
        name: "robot", token: try await store.token(scope: "device"), seed: seed)
      handler.register(store.port)
      var mirror = StoreMirror(token: try await store.token(scope: "device"))

      for round in 1...Self.rounds {
        let port = store.port
        let fuse = Fuse(Int.random(in: 1...60, using: &random)) { store.signal(SIGKILL) }
        await withTaskGroup(of: Void.self) { group in
          for publisher in publishers {
            group.addTask {
              await onThread {
                publisher.run(port) { id in
                  handler.handle(id)
                  fuse.burn()
                }
                // Also when it stopped because of a refusal, so that the others end.
                store.signal(SIGKILL)
              }
            }
          }
          group.addTask { await onThread { handler.run(port) { fuse.burn() } } }
        }
        try await store.crash()
        try await store.start()
        try mirror.pull(store.port)
        if round % max(1, Self.rounds / 100) == 0 || round == Self.rounds {
          Agreement.compare(mirror, publishers, handler, "round \(round) of seed \(seed)")
        }
        guard publishers.allSatisfy({ $0.refusals.isEmpty }), handler.refusals.isEmpty else {
          break
        }
      }
      let count = publishers.reduce(0) { $0 + $1.answered.count }
      print("\(count) publications and \(handler.answeredCount) operations were answered")
      #expect(try await store.administer(["check"]).exitCode == 0)
      try await Agreement.converge(devices, mirror, store)
    }
  }

  // MARK: - The client

  @Test("a client killed at any moment has everything that its commands confirmed, once")
  func client() async throws {
    let seed = Self.seed("Killing the client")
    var random = SeededRandom(seed: seed)
    try await Scene.play { scene in
      let store = try await scene.store()
      let publisher = try await store.publisher()
      let device = try await scene.device("desk", on: store)
      let other = try await scene.device("other", on: store)
      for number in 1...8 { try await publisher.publish("Item \(number)") }
      try await device.succeed("sync")
      var mirror = StoreMirror(token: try await store.token(scope: "device"))
      var registers = ClientRegisters(count: 8)
      var (confirmed, killed) = (0, 0)
      // The time that a command takes on this machine, limited so that one slow run does not affect
      // the rounds.
      let usual = min(
        .milliseconds(250),
        try await ContinuousClock().measure { try await device.succeed("read", "1") })
      registers.confirm(.init(number: 1, verb: "read"))

      for round in 1...Self.rounds {
        // The engine is a screen, or the first command that finds no other engine.
        let screen =
          Int.random(in: 0...1, using: &random) == 0 ? try await scene.screen(on: device) : nil
        if let screen {
          try await screen.wait(for: "a tray") {
            $0.contains("Item") || $0.contains("The tray is empty.")
          }
        }
        var running: [(child: Child, step: ClientRegisters.Step)] = []
        for number in (1...8).shuffled(using: &random).prefix(3) {
          let step = registers.step(number, &random)
          let child = try Child(
            Programs.bellhop, [step.verb, String(number)], environment: device.environment,
            directory: device.folder, folder: device.folder + "/output")
          scene.atEnd { await child.end() }
          running.append((child, step))
        }
        // The moments are random: some are before a command has begun, some after its end.
        let moments = running.map { _ in usual * Double.random(in: 0...5, using: &random) }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (child, moment) in zip(running.map(\.child), moments) {
            group.addTask {
              try await Task.sleep(for: moment)
              child.signal(SIGKILL)
            }
          }
          // The engine is killed with the first of them.
          try await group.next()
          try await screen?.kill(SIGKILL)
          try await group.waitForAll()
        }
        await screen?.end()
        for (child, step) in running {
          switch try await child.waitForEnd() {
          case .exited(0):
            registers.confirm(step)
            confirmed += 1
          case .signaled(SIGKILL):
            registers.doubt(step)
            killed += 1
          case let ending: Issue.record("round \(round): \(ending) \(child.errors)")
          }
        }
        if Int.random(in: 0...2, using: &random) == 0 { continue }
        try await device.succeed("sync")
        try mirror.pull(store.port)
        for complaint in registers.settle(mirror) {
          Issue.record("round \(round) of seed \(seed): \(complaint)")
        }
      }
      print("\(confirmed) commands confirmed, \(killed) killed before")
      try await device.succeed("sync")
      try mirror.pull(store.port)
      for complaint in registers.settle(mirror) { Issue.record("seed \(seed): \(complaint)") }
      #expect(mirror.items.count == 8)
      try await other.succeed("sync")
      try await Agreement.converge([device, other], mirror, store)
    }
  }
}
