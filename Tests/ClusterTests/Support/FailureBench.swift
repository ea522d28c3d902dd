#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

/// Publishers at one store whose database fails, with checks of their answers.
final class FailureBench: Sendable {
  /// The number of publishers at the same time.
  private static let publishersCount = 16
  /// The most memory that a store may use more than before the failure.
  private static let moreBytesMax = 150 << 20
  /// The longest time until an answer, which exceeds every time-out of the store.
  private static let answerMax = Duration.seconds(60)

  let scene: ClusterScene
  private let network: DatabaseNetwork?
  private let publisher: ClusterPublisher
  private let token: String
  private let address: String
  private let processID: pid_t?
  private let bytesBefore: Int
  private let state = Mutex(State())

  private struct State {
    var next = 1
    /// The titles without an acknowledgement, which are published again in the end.
    var open: [String] = []
    var unclear: [String] = []
    var bytesMost = 0
    var connectionsMost = 0
  }

  /// Prepares a user with a publisher, and publishes once.
  ///
  /// - Parameter network: The network of the server, for the number of connections.
  init(_ scene: ClusterScene, network: DatabaseNetwork? = nil) async throws {
    self.scene = scene
    self.network = network
    address = scene.stores.address(0)
    try await scene.addUser("alice")
    token = try await scene.stores.deviceToken("alice")
    publisher = try await scene.publisher("app", of: "alice")
    processID = await scene.stores.processID(0)
    try await publisher.publish("first 1", recognition: .idempotencyKey, at: address)
    bytesBefore = await scene.stores.residentBytes(0) ?? 0
  }

  /// Publishes with all publishers at once, and checks each answer.
  func publish(for duration: Duration) async throws {
    let load = LoadSwitch(for: duration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.publishersCount {
        group.addTask {
          while load.isOn { try await self.publishOnce() }
        }
      }
      group.addTask {
        while load.isOn {
          try await self.noteUse()
          try await nextTurn(after: .milliseconds(200))
        }
      }
      try await group.waitForAll()
    }
  }

  private func publishOnce() async throws {
    let title = state.withLock { state in
      defer { state.next += 1 }
      return "item \(state.next)"
    }
    let answer = await publisher.send(
      title, recognition: .idempotencyKey, to: address, within: Self.answerMax)
    if answer?.isSuccess == true { return }
    state.withLock { state in
      state.open.append(title)
      if answer?.isClearRefusal != true {
        state.unclear.append("\(title): \(answer?.description ?? "no answer")")
      }
    }
    // A publisher that obeys Retry-After would wait longer.
    try await nextTurn(after: .milliseconds(100))
  }

  /// Notes the memory of the store, and its connections to the server.
  private func noteUse() async throws {
    let bytes = await scene.stores.residentBytes(0) ?? 0
    let connections = try network?.connections().count ?? 0
    state.withLock { state in
      state.bytesMost = max(state.bytesMost, bytes)
      state.connectionsMost = max(state.connectionsMost, connections)
    }
  }

  /// The most connections at the same time that were seen while publishing, in a network of its own.
  var connectionsMost: Int { state.withLock { $0.connectionsMost } }

  /// Waits until the store reports that it is unavailable, and checks that it refuses publications.
  func expectUnavailable() async throws {
    var last: StoreAnswer?
    try await eventually(
      "a store that is unavailable", every: .milliseconds(200), last: String(describing: last)
    ) {
      last = await StoreHTTP.readiness(address)
      return last?.status == 503 && last?.body.contains("unavailable") == true
    }
    try await publish(for: .seconds(5))
    let refused = await publisher.send(
      "refused 1", recognition: .idempotencyKey, to: address, within: Self.answerMax)
    let answer = try ClusterError.require(refused, "a publisher received no answer")
    #expect(answer.isClearRefusal, "\(answer)")
    state.withLock { $0.open.append("refused 1") }
    await expectLive()
  }

  /// Publishes until the store answers that its disk is full.
  func expectFullDisk() async throws {
    var number = 0
    var last: StoreAnswer?
    try await eventually(
      "a publication that the full disk refuses", every: .milliseconds(20),
      last: String(describing: last)
    ) {
      number += 1
      // The title is the idempotency key too, which has at most 255 characters.
      let title = "large \(number) " + String(repeating: "x", count: 230)
      last = await publisher.send(title, recognition: .idempotencyKey, to: address)
      if last?.isSuccess != true { state.withLock { $0.open.append(title) } }
      return last?.status == 507
    }
    try await publish(for: .seconds(3))
    await expectLive()
  }

  private func expectLive() async {
    let answer = await StoreHTTP.ask(.get, address + "/health/live", within: Self.answerMax)
    #expect(answer?.status == 200, "\(String(describing: answer))")
  }

  /// Waits until the store is ready again, and acknowledges a publication.
  func expectRecovery() async throws {
    try await scene.stores.waitUntilReady(0)
    try await publisher.publish("recovered 1", recognition: .idempotencyKey, at: address)
  }

  /// Repeats the open publications, and checks that the same process has each of them once.
  func finish() async throws {
    let (open, unclear, most) = state.withLock { ($0.open, $0.unclear, $0.bytesMost) }
    for title in open {
      try await publisher.publish(title, recognition: .idempotencyKey, at: address)
    }
    var verdict = ClusterVerdict()
    verdict.judge(try await StoreContent.wait(address, token: token), [publisher], [])
    verdict.report("Failing database, answers by status \(publisher.statuses)")
    #expect(unclear.isEmpty, "\(unclear.prefix(10))")
    #expect(publisher.refusals.isEmpty, "\(publisher.refusals.prefix(5))")
    #expect(await scene.stores.processID(0) == processID)
    #expect(await scene.stores.isRunning(0))
    if network != nil {
      // A connection that is replaced may be seen beside its successor.
      let limit = 2 * scene.stores.connectionsMax
      #expect(1 <= connectionsMost && connectionsMost <= limit)
    }
    #expect(most <= bytesBefore + Self.moreBytesMax, "\(bytesBefore) bytes became \(most)")
  }
}
#endif
