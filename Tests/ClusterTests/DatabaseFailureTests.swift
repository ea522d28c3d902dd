#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import Testing

extension ClusterTests {
  /// One store over one server, behind a relay.
  @Suite("Failures of the database")
  struct DatabaseFailureTests {
    /// A failure of the database that its administrator can cause and repair.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
      case connections = "no connection is left"
      case readOnly = "the server is read only"

      var testDescription: String { rawValue }
    }

    private static let role = DatabaseNodes.name

    @Test(
      "publishers receive clear answers, and the store recovers by itself",
      arguments: Fault.allCases)
    func refused(_ fault: Fault) async throws {
      try await play { bench, relay in
        let nodes = bench.scene.nodes
        switch fault {
        case .connections:
          try await nodes.execute("ALTER ROLE \(Self.role) CONNECTION LIMIT 0")
        case .readOnly:
          try await nodes.execute("ALTER ROLE \(Self.role) SET default_transaction_read_only = on")
        }
        try await nodes.endSessions()
        try await bench.expectUnavailable()
        switch fault {
        case .connections:
          try await nodes.execute("ALTER ROLE \(Self.role) CONNECTION LIMIT -1")
        case .readOnly:
          try await nodes.execute("ALTER ROLE \(Self.role) RESET default_transaction_read_only")
          try await nodes.endSessions()
        }
        try await bench.expectRecovery()
      }
    }

    @Test("a network cut is noticed, and nothing that was acknowledged is lost")
    func cut() async throws {
      try await play { bench, relay in
        let end = ContinuousClock.now + ClusterOptions.cut
        relay.isHeld = true
        try await bench.expectUnavailable()
        try await eventually("the end of the cut", within: ClusterOptions.cut + patience) {
          ContinuousClock.now >= end
        }
        relay.isHeld = false
        try await bench.expectRecovery()
      }
    }

    @Test("a database that takes 100 ms for each statement only slows the store down")
    func slow() async throws {
      try await play { bench, relay in
        relay.delay = .milliseconds(100)
        try await bench.publish(for: .seconds(10))
        relay.delay = .zero
        try await bench.expectRecovery()
      }
    }

    @Test(
      "the store reports that the database's disk is full, and recovers when there is free space",
      .enabled(
        if: ClusterOptions.hasNamespaces, "needs root and BELLHOP_CLUSTER_NAMESPACE=1"))
    func fullDisk() async throws {
      try await play(diskMegabytes: 120) { bench, relay in
        await bench.scene.nodes.fillDisk()
        try await bench.expectFullDisk()
        try await bench.scene.nodes.freeDisk()
        try await bench.expectRecovery()
      }
    }

    /// Runs `body` with a store whose only way to the database is a relay.
    private func play(
      diskMegabytes: Int? = nil, _ body: (FailureBench, TCPRelay) async throws -> Void
    ) async throws {
      let ports = try FreePorts.take(1)
      let relay = try TCPRelay(to: ports[0])
      defer { relay.end() }
      let nodes = try DatabaseNodes(
        .init(count: 1, isSynchronous: false, diskMegabytes: diskMegabytes), ports: ports)
      try await ClusterScene.play(
        nodes: nodes, stores: .init(count: 1, requiresStandby: false),
        hosts: "127.0.0.1:\(relay.port)"
      ) { scene in
        let bench = try await FailureBench(scene)
        try await body(bench, relay)
        try await bench.finish()
      }
    }
  }
}
#endif
