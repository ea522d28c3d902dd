#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

extension ClusterTests {
  @Suite("The answer to a repeated publication")
  struct RecordedAnswerTests {
    private static let title = "unconfirmed 1"
    /// The longest time until an answer, which exceeds every time-out of the store.
    private static let answerMax = Duration.seconds(60)

    @Test("a commit whose wait was cancelled is acknowledged only once a standby has it")
    func cancelledWait() async throws {
      let nodes = try DatabaseNodes(.init(), ports: FreePorts.take(3))
      try await ClusterScene.play(nodes: nodes, stores: .init(count: 1)) { scene in
        try await scene.addUser("alice")
        let token = try await scene.stores.deviceToken("alice")
        let publisher = try await scene.publisher("app", of: "alice")
        let address = scene.stores.address(0)
        try await publisher.publish("first 1", recognition: .idempotencyKey, at: address)

        let standbys = await scene.nodes.standbys
        for index in standbys { await scene.nodes.stop(index) }
        let answer = try await publishCancelled(publisher, at: address, scene.nodes)
        #expect(answer.status == 503, "\(answer)")
        #expect(answer.retryAfter != nil)
        // The cancelled commit took place on the primary, where everyone sees its row.
        let rows = try await scene.nodes.texts(
          "SELECT count(*)::text AS v FROM bellhop.item", database: DatabaseNodes.name)
        #expect(rows == ["2"])

        // The store has the record of the key, but must not acknowledge it yet.
        for _ in 0..<2 {
          let answer = await publisher.send(
            Self.title, recognition: .idempotencyKey, to: address, within: Self.answerMax)
          #expect(answer?.isSuccess != true, "\(String(describing: answer))")
        }
        for index in standbys { try await scene.nodes.start(index) }
        let id = try await publisher.publish(
          Self.title, recognition: .idempotencyKey, at: address)
        #expect(id != nil, "\(publisher.refusals)")

        try await scene.nodes.killPrimary()
        try await scene.nodes.promote()
        try await publisher.publish("last 1", recognition: .idempotencyKey, at: address)
        let content = try await StoreContent.wait(address, token: token)
        #expect(content.items.count == 3)
        var verdict = ClusterVerdict()
        verdict.judge(content, [publisher], [])
        verdict.report("Cancelled wait")
      }
    }

    /// Publishes, and cancels the waits of all commits until an answer comes.
    private func publishCancelled(
      _ publisher: ClusterPublisher, at address: String, _ nodes: DatabaseNodes
    ) async throws -> StoreAnswer {
      let answered = AnswerFlag()
      return try await withThrowingTaskGroup(of: StoreAnswer?.self) { group in
        group.addTask {
          let answer = await publisher.send(
            Self.title, recognition: .idempotencyKey, to: address, within: Self.answerMax)
          answered.set()
          return try ClusterError.require(answer, "the publisher received no answer")
        }
        group.addTask {
          var cancelled = 0
          try await eventually(
            "an answer to the publisher", every: .milliseconds(100),
            last: "\(cancelled) waits were cancelled"
          ) {
            let found = try await nodes.texts(
              """
              SELECT pg_cancel_backend(pid)::text AS v FROM pg_stat_activity
              WHERE wait_event = 'SyncRep'
              """)
            cancelled += found.count
            return answered.isSet
          }
          guard cancelled > 0 else { throw ClusterError("no commit waited for a standby") }
          return nil
        }
        var answer: StoreAnswer?
        for try await result in group { answer = result ?? answer }
        return try ClusterError.require(answer, "the publisher received no answer")
      }
    }
  }
}

/// Whether the publisher has its answer.
private final class AnswerFlag: Sendable {
  private let value = Atomic<Bool>(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
#endif
