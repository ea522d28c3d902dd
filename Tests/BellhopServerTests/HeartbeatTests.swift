import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import Testing

@testable import BellhopServer

@Suite("Heartbeats of streams", .timeLimit(.minutes(10)))
struct HeartbeatTests {
  @Test("the stream that has waited longest comes first, and streams due together are one batch")
  func queue() {
    var queue = HeartbeatQueue(interval: .seconds(25))
    #expect(queue.pause(at: .zero) == .seconds(25))
    queue.add(1, at: .zero)
    queue.add(2, at: .milliseconds(400))
    queue.add(3, at: .seconds(10))
    #expect(queue.pause(at: .seconds(10)) == .seconds(15))
    #expect(queue.takeDue(at: .seconds(20)) == [])
    #expect(queue.takeDue(at: .seconds(25)) == [1, 2])
    queue.add(1, at: .seconds(25))
    #expect(queue.pause(at: .seconds(25)) == .seconds(10))
    #expect(queue.takeDue(at: .seconds(35)) == [3])
    #expect(queue.takeDue(at: .seconds(500)) == [1])
    #expect(queue.takeDue(at: .seconds(900)) == [])
  }

  @Test(
    "no stream is skipped or served early, however they come and go",
    arguments: 1...20)
  func fairness(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var queue = HeartbeatQueue(interval: .seconds(25))
    var served: [Int: Duration] = [:]
    var now = Duration.zero
    for id in 0..<200 {
      queue.add(id, at: now)
      served[id] = now
      now += .milliseconds(Int.random(in: 0...300, using: &random))
      if Bool.random(using: &random) { serve() }
    }
    for _ in 0..<200 {
      now += queue.pause(at: now)
      serve()
    }
    #expect(served.count == 200)
    #expect(served.values.allSatisfy { now - $0 <= .seconds(27) }, "seed \(seed)")

    func serve() {
      for id in queue.takeDue(at: now) {
        let waited = now - (served[id] ?? .zero)
        #expect(waited >= .seconds(24) && waited <= .seconds(27), "seed \(seed): \(waited)")
        served[id] = now
        queue.add(id, at: now)
      }
    }
  }

  /// Runs a server whose heartbeats come when the test triggers them.
  private func withStreams(
    _ clock: ManualClock,
    _ body: @escaping @Sendable (InProcessStore, _ port: Int) async throws -> Void
  ) async throws {
    let store = try await InProcessStore(
      configure: { $0.sweepInterval = .seconds(1_000_000) },
      adjust: {
        $0.sleep = { try await clock.sleep(for: $0) }
        $0.elapsed = { clock.now.sinceStart }
      })
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      try await body(store, port)
    }
  }

  private func open(_ port: Int, _ token: String) throws -> RawConnection {
    let connection = try RawConnection(port: port)
    connection.write(
      """
      GET \(Route.signal.path) HTTP/1.1\r
      Host: a\r
      Authorization: Bearer \(token)\r
      \r

      """)
    return connection
  }

  /// Advances the clock a second at a time around `body`.
  private func withRunningClock(
    _ clock: ManualClock, _ body: () async throws -> Void
  ) async throws {
    let ticker = Task {
      await repeatUntilCancelled { clock.advance(by: .seconds(1)) }
    }
    defer { ticker.cancel() }
    try await body()
  }

  @Test("every stream gets heartbeats, by one clock for all")
  func heartbeats() async throws {
    let clock = ManualClock()
    try await withStreams(clock) { store, port in
      let streams = try await [
        open(port, store.deviceToken(DeviceID("a"))), open(port, store.deviceToken(DeviceID("b"))),
      ]
      for stream in streams {
        #expect(try await stream.read(until: "}\n\n").contains("event: changed"))
      }
      try await withRunningClock(clock) {
        for _ in 0..<3 {
          for stream in streams {
            let beat = try await stream.read(until: ": \n\n")
            #expect(!beat.contains("event"))
          }
        }
      }
    }
  }

  @Test("a token that expires ends its stream at a heartbeat, without naming a device")
  func expired() async throws {
    let clock = ManualClock()
    try await withStreams(clock) { store, port in
      let user = try await store.service.user(named: "me")
      let token = try await store.service.mintToken(
        named: "short", scope: .device(nil), expires: store.time.now.advanced(by: .seconds(60)),
        for: user.id)
      let stream = try open(port, token.secret.text)
      _ = try await stream.read(until: "}\n\n")
      store.time.advance(by: .seconds(60))
      try await withRunningClock(clock) {
        let rest = try await stream.read(until: "0\r\n\r\n")
        #expect(rest.hasSuffix("0\r\n\r\n") && !rest.contains("revoked"))
      }
      try await eventually("the end of all streams") { store.service.subscriberCount == 0 }
    }
  }
}
