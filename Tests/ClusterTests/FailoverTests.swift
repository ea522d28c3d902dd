#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

extension ClusterTests {
  @Suite("Killed stores and servers")
  struct FailoverTests {
    private static let users = ["alice", "bob", "carol"]
    private static let publisherPause = Duration.milliseconds(250)
    private static let devicePause = Duration.milliseconds(400)

    /// The users' publishers and devices.
    private struct Load: Sendable {
      var publishers: [ClusterPublisher] = []
      var devices: [ClusterDevice] = []
      /// A token of each user, with which the test reads.
      var readers: [String: String] = [:]
    }

    @Test("nothing that a store has acknowledged is lost or doubled, and devices are equal")
    func failovers() async throws {
      let seed = ClusterOptions.seed
      print(
        """
        Killing stores every \(ClusterOptions.troublePause) for \(ClusterOptions.minutes) min, with \
        \(ClusterOptions.failovers) failovers: BELLHOP_CLUSTER_SEED=\(seed)
        """)
      let nodes = try DatabaseNodes(.init(), ports: FreePorts.take(3))
      try await ClusterScene.play(nodes: nodes, stores: .init()) { scene in
        let balancer = try await LoadBalancer(stores: scene.stores.ports, folder: scene.folder)
        do {
          let load = try await makeLoad(scene, at: balancer.address, seed: seed)
          try await scene.run(load.devices) {
            try await runTrouble(scene, load, at: balancer.address, seed: seed)
            try await judge(scene, load, at: balancer)
          }
        } catch {
          await balancer.end()
          throw error
        }
        await balancer.end()
      }
    }

    private func makeLoad(
      _ scene: ClusterScene, at address: String, seed: UInt64
    ) async throws -> Load {
      var load = Load()
      for (index, user) in Self.users.enumerated() {
        try await scene.addUser(user)
        load.readers[user] = try await scene.stores.deviceToken(user)
        load.publishers.append(try await scene.publisher("app\(index)", of: user))
        for name in ["desk", "phone"] {
          // Two devices with the same random numbers would give operations the same ids.
          load.devices.append(
            try await scene.device(
              "\(user)-\(name)", of: user, at: address,
              seed: seed &+ UInt64(load.devices.count)))
        }
      }
      return load
    }

    /// Publishes and handles while stores and the primary are killed.
    private func runTrouble(
      _ scene: ClusterScene, _ load: Load, at address: String, seed: UInt64
    ) async throws {
      let trouble = LoadSwitch(for: .seconds(60 * ClusterOptions.minutes))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for publisher in load.publishers {
          let devices = load.devices.filter { $0.user == publisher.user }
          let turns = Turns()
          group.addTask {
            try await publisher.run(while: trouble, at: address, pause: Self.publisherPause) { id in
              devices[turns.take() % devices.count].assign(id)
            }
          }
        }
        for device in load.devices {
          group.addTask { try await device.handle(while: trouble, pause: Self.devicePause) }
        }
        group.addTask { try await killStores(scene, while: trouble, seed: seed) }
        group.addTask { try await failOver(scene, while: trouble) }
        try await group.waitForAll()
      }
    }

    private func killStores(
      _ scene: ClusterScene, while trouble: LoadSwitch, seed: UInt64
    ) async throws {
      var random = SeededRandom(seed: seed)
      while trouble.isOn {
        try await nextTurn(after: ClusterOptions.troublePause)
        try await scene.stores.kill(Int.random(in: 0..<3, using: &random))
      }
    }

    /// Kills the primary, promotes a standby and brings the old primary back, at regular times.
    private func failOver(_ scene: ClusterScene, while trouble: LoadSwitch) async throws {
      let pause = Duration.seconds(60 * ClusterOptions.minutes) / (ClusterOptions.failovers + 1)
      for number in 0..<ClusterOptions.failovers {
        try await nextTurn(after: pause)
        let old = await scene.nodes.primary
        let start = ContinuousClock.now
        try await scene.nodes.killPrimary()
        try await scene.nodes.promote()
        let promoted = start.duration(to: .now)
        try await scene.nodes.rejoin(old)
        print("Failover \(number + 1): promoted after \(promoted)")
      }
    }

    /// Waits until the devices are equal to the store, and judges stores and devices by what was
    /// acknowledged.
    private func judge(
      _ scene: ClusterScene, _ load: Load, at balancer: LoadBalancer
    ) async throws {
      let start = ContinuousClock.now
      var verdict = ClusterVerdict()
      for user in Self.users {
        let token = try ClusterError.require(load.readers[user], "\(user) has no token")
        let devices = load.devices.filter { $0.user == user }
        for device in devices {
          try await device.waitUntilEqual(to: balancer.address, token: token)
          #expect(device.rejected.isEmpty, "\(device.name): \(device.rejected.prefix(5))")
        }
        let content = try await StoreContent.wait(balancer.address, token: token)
        for index in scene.stores.ports.indices {
          try await scene.stores.waitUntilReady(index)
          let other = try await StoreContent.wait(scene.stores.address(index), token: token)
          #expect(other == content, "store \(index + 1) has another state of \(user)")
        }
        verdict.judge(content, load.publishers.filter { $0.user == user }, devices)
      }
      for publisher in load.publishers {
        let statuses = publisher.statuses.sorted { $0.key < $1.key }
          .map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        print("\(publisher.name): answers by status: \(statuses)")
        #expect(publisher.refusals.isEmpty, "\(publisher.name): \(publisher.refusals.prefix(5))")
      }
      let kills = await scene.stores.killCount
      let restarts = await scene.stores.restartCount
      print(
        """
        Behind \(balancer.name): \(kills) stores killed, \(restarts) started again, \
        \(ClusterOptions.failovers) failovers; devices were equal after \
        \(start.duration(to: .now))
        """)
      verdict.report("Synchronous standby")
      #expect(verdict.acknowledged > 0 && verdict.operations > 0 && kills > 0)
    }
  }
}

/// Numbers from 0 on, each taken once.
private final class Turns: Sendable {
  private let next = Atomic<Int>(0)

  func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
}
#endif
