#if BELLHOP_POSTGRES
import BellhopCache
import BellhopModel
import BellhopTestSupport
import PostgresTestSupport
import Testing

extension ClusterTests {
  @Suite("A standby that lags behind")
  struct AsynchronousStandbyTests {
    private static let user = "alice"

    @Test("after a failover that loses commits, devices show what the store has, and nothing else")
    func lostCommits() async throws {
      let ports = try FreePorts.take(2)
      // The standby replicates through a relay, which can be cut.
      let relay = try TCPRelay(to: ports[0])
      defer { relay.end() }
      let nodes = try DatabaseNodes(
        .init(count: 2, isSynchronous: false, relays: [0: relay.port]), ports: ports)
      let options = StoreGroup.Options(count: 2, requiresStandby: false)
      try await ClusterScene.play(nodes: nodes, stores: options) { scene in
        try await scene.addUser(Self.user)
        let token = try await scene.stores.deviceToken(Self.user)
        let addresses = (0..<2).map { scene.stores.address($0) }
        let devices = [
          try await scene.device("desk", of: Self.user, at: addresses[0]),
          try await scene.device("phone", of: Self.user, at: addresses[1]),
        ]
        let publisher = try await scene.publisher("app", of: Self.user)
        try await scene.run(devices) {
          let kept = try await publish("kept", publisher, at: addresses[0])
          for device in devices {
            try await device.waitUntilEqual(to: addresses[1], token: token)
          }
          try await scene.nodes.waitForReplication()
          relay.isHeld = true
          _ = try await publish("lost", publisher, at: addresses[1])
          try await devices[0].perform(.dismiss, on: kept[0])
          for device in devices {
            try await device.waitUntilEqual(to: addresses[0], token: token)
          }
          let generations = try devices.map { try $0.cache.syncState().generation }
          let before = try devices[1].items()
          #expect(before.count == 20)
          #expect(before[kept[0]]?.userActionState == "dismissed")

          try await scene.nodes.killPrimary()
          relay.dropConnections()
          try await scene.nodes.promote()
          _ = try await publish("later", publisher, at: addresses[0])
          for device in devices {
            try await device.waitUntilEqual(to: addresses[1], token: token)
          }
          let after = try devices[1].items()
          let names = Set(after.values.map { $0.title.prefix { $0 != " " } })
          #expect(names == ["kept", "later"])
          #expect(after.count == 20)
          // The failover has lost its dismissal, too.
          #expect(after[kept[0]]?.userActionState == "noInteraction")
          let later = try devices.map { try $0.cache.syncState().generation }
          for (old, new) in zip(generations, later) {
            #expect(new > old, "the device has not read everything again")
          }
        }
      }
    }

    /// Publishes ten items, and returns their ids.
    private func publish(
      _ name: String, _ publisher: ClusterPublisher, at address: String
    ) async throws -> [String] {
      var ids: [String] = []
      for number in 1...10 {
        let id = try await publisher.publish(
          "\(name) \(number)", recognition: .idempotencyKey, at: address)
        ids.append(try ClusterError.require(id, "\(publisher.refusals)"))
      }
      return ids
    }
  }
}
#endif
