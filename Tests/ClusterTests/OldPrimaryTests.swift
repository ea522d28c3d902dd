#if BELLHOP_POSTGRES
import BellhopTestSupport
import Testing

extension ClusterTests {
  @Suite("An old primary that is still up")
  struct OldPrimaryTests {
    @Test("commands and processes that start use the new primary, and not the first host")
    func start() async throws {
      let ports = try FreePorts.take(2)
      // The standby replicates through a relay. Once that ends, the primary stays one.
      let relay = try TCPRelay(to: ports[0])
      defer { relay.end() }
      let nodes = try DatabaseNodes(
        .init(count: 2, isSynchronous: false, relays: [0: relay.port]), ports: ports)
      let options = StoreGroup.Options(count: 1, requiresStandby: false)
      try await ClusterScene.play(nodes: nodes, stores: options) { scene in
        try await scene.addUser("alice")
        let publisher = try await scene.publisher("app", of: "alice")
        let address = scene.stores.address(0)
        try await publisher.publish("first 1", recognition: .idempotencyKey, at: address)
        try await scene.nodes.waitForReplication()
        try await scene.stores.kill(0)
        relay.end()
        try await scene.nodes.promote()

        try await scene.addUser("bob")
        #expect(try await users(on: 0, of: scene) == ["alice"])
        #expect(try await users(on: 1, of: scene) == ["alice", "bob"])

        try await scene.stores.restart(0)
        try await scene.stores.waitUntilReady(0)
        try await publisher.publish("later 1", recognition: .idempotencyKey, at: address)
        #expect(try await titles(on: 0, of: scene) == ["first 1"])
        #expect(try await titles(on: 1, of: scene) == ["first 1", "later 1"])
      }
    }

    private func users(on node: Int, of scene: ClusterScene) async throws -> [String] {
      try await scene.nodes.texts(
        "SELECT name AS v FROM bellhop.users ORDER BY name", on: node,
        database: DatabaseNodes.name)
    }

    private func titles(on node: Int, of scene: ClusterScene) async throws -> [String] {
      try await scene.nodes.texts(
        "SELECT title AS v FROM bellhop.item ORDER BY title", on: node,
        database: DatabaseNodes.name)
    }
  }
}
#endif
