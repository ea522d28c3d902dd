#if BELLHOP_POSTGRES
import BellhopTestSupport
import Testing

extension ClusterTests {
  /// One store and one server, with a network between them.
  @Suite("A cut network")
  struct NetworkCutTests {
    /// The time after which the store gives up a connection or an attempt, if no packet is answered.
    private static let silenceMax = Duration.seconds(10)
    /// The most packets of a connection in that time.
    ///
    /// It sends one or two, and repeats one after pauses that double from 0.2 s on.
    private static let packetsMax = 8.0

    @Test(
      "packets that vanish cause clear refusals and few attempts, and nothing acknowledged is lost",
      .enabled(
        if: ClusterOptions.hasNamespaces, "needs root and BELLHOP_CLUSTER_NAMESPACE=1"))
    func vanishingPackets() async throws {
      let ports = try FreePorts.take(1)
      let network = DatabaseNetwork(port: ports[0])
      let nodes = try DatabaseNodes(
        .init(count: 1, isSynchronous: false, network: network), ports: ports)
      let options = StoreGroup.Options(
        count: 1, requiresStandby: false, acceptsUnverifiedServers: true)
      try await ClusterScene.play(nodes: nodes, stores: options) { scene in
        let bench = try await FailureBench(scene, network: network)
        try await bench.publish(for: .seconds(2))
        try await nodes.setNetwork(isCut: true)
        let start = ContinuousClock.now
        let sentBefore = try network.packetsSent()
        try await bench.expectUnavailable()
        try await bench.publish(for: ClusterOptions.cut - start.duration(to: .now))
        // Sessions of a vanished store would keep locks, and use up the server's connections.
        var sessions = 0
        try await eventually(
          "a server without sessions of the store", every: .milliseconds(500), last: "\(sessions)"
        ) {
          sessions = try await nodes.sessionsCount()
          return sessions == 0
        }
        let readiness = await StoreHTTP.readiness(scene.stores.address(0))
        #expect(readiness?.status == 503, "\(String(describing: readiness))")

        let sent = try network.packetsSent() - sentBefore
        let length = start.duration(to: .now)
        try await nodes.setNetwork(isCut: false)
        print(
          """
          Cut for \(length): at most \(bench.connectionsMost) connections at the same time, \
          \(sent) packets sent
          """)
        let spans = length / Self.silenceMax + 1
        #expect(Double(sent) <= Double(scene.stores.connectionsMax) * Self.packetsMax * spans)
        try await bench.expectRecovery()
        try await bench.finish()
      }
    }
  }
}
#endif
