#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import Testing

extension ClusterTests {
  /// Two versions that serve one database, as during an upgrade.
  @Suite("A neighbouring version")
  struct NeighbourVersionTests {
    /// A migration of a later version, which only adds.
    ///
    /// - Parameter isRequired: Whether programs must know it.
    private static func migration(isRequired: Bool) -> String {
      """
      ALTER TABLE bellhop.item ADD COLUMN later bigint;
      ALTER TABLE bellhop.users ADD COLUMN later bigint NOT NULL DEFAULT 7;
      CREATE TABLE bellhop.later (user_id bigint PRIMARY KEY, note text);
      ALTER TABLE bellhop.later OWNER TO \(DatabaseNodes.name);
      INSERT INTO bellhop.schema_migration (number, name, program_min, applied)
        SELECT max(number) + 1, 'later', \(isRequired ? "max(number) + 1" : "max(program_min)"), 0
        FROM bellhop.schema_migration;
      """
    }

    @Test("a running store and one that starts go on with the tables of the next version")
    func laterTables() async throws {
      try await play(programs: [:]) { scene, publisher, token in
        try await publisher.publish("before 1", recognition: .idempotencyKey, at: address(scene, 0))
        try await scene.nodes.execute(
          Self.migration(isRequired: false), database: DatabaseNodes.name)
        try await expectWork(scene, publisher, token: token)
        try await scene.stores.restart(1)
        try await scene.stores.waitUntilReady(1)
        try await expectWork(scene, publisher, token: token)
        #expect(await scene.stores.isRunning(0))
      }
    }

    @Test("a store refuses to start if a program must know the next version")
    func requiredVersion() async throws {
      try await play(programs: [:]) { scene, publisher, token in
        try await scene.nodes.execute(
          Self.migration(isRequired: true), database: DatabaseNodes.name)
        try await scene.stores.restart(1)
        let log = try await scene.stores.waitForEnd(1)
        #expect(!log.contains("Fatal error"), "\(log)")
        #expect(log.contains("newer"), "\(log)")
      }
    }

    @Test(
      "the previous release and this one serve the same database",
      .enabled(
        if: ClusterOptions.previousProgram != nil, "BELLHOP_CLUSTER_PREVIOUS names no program"))
    func previousRelease() async throws {
      let previous = try #require(ClusterOptions.previousProgram)
      try await play(programs: [1: previous]) { scene, publisher, token in
        for _ in 0..<3 { try await expectWork(scene, publisher, token: token) }
      }
    }

    private func address(_ scene: ClusterScene, _ index: Int) -> String {
      scene.stores.address(index)
    }

    /// Publishes at both stores, and checks that both have everything.
    private func expectWork(
      _ scene: ClusterScene, _ publisher: ClusterPublisher, token: String
    ) async throws {
      for index in 0..<2 {
        let number = publisher.acknowledged.count + 1
        let id = try await publisher.publish(
          "work \(number)", recognition: .idempotencyKey, at: address(scene, index))
        #expect(id != nil, "\(publisher.refusals)")
      }
      for index in 0..<2 {
        let content = try await StoreContent.wait(address(scene, index), token: token)
        #expect(content.items.count == publisher.acknowledged.count)
      }
    }

    private func play(
      programs: [Int: String],
      _ body: (ClusterScene, ClusterPublisher, _ token: String) async throws -> Void
    ) async throws {
      let nodes = try DatabaseNodes(
        .init(count: 1, isSynchronous: false), ports: FreePorts.take(1))
      let options = StoreGroup.Options(count: 2, requiresStandby: false, programs: programs)
      try await ClusterScene.play(nodes: nodes, stores: options) { scene in
        try await scene.addUser("alice")
        let token = try await scene.stores.deviceToken("alice")
        try await body(scene, try await scene.publisher("app", of: "alice"), token)
      }
    }
  }
}
#endif
