import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Publications in an outbox, over HTTP")
struct OutboxPublicationTests {
  private static let device = DeviceID("desk")

  private func publication(
    _ store: InProcessStore, _ change: (inout Content) -> Void = { _ in }
  ) -> BellhopModel.Operation {
    var content = Content(app: "ci", visual: VisualContent(title: "once"))
    change(&content)
    return BellhopModel.Operation(
      id: OperationID(high: 1, low: 2), publishing: content, at: store.time.now)
  }

  private func send(
    _ operation: BellhopModel.Operation, to store: InProcessStore, token: String
  ) async throws -> [OperationResult] {
    let payload = OperationsPayload(
      lineage: Lineage("l"), operations: [NumberedOperation(number: 1, operation: operation)])
    let answer = try await store.send(
      .post, Route.operations(Self.device).path, token: token, body: WireJSON.encode(payload))
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.decoded(OperationsAnswerPayload.self).results.map(\.result)
  }

  private func items(_ store: InProcessStore, token: String) async throws -> [UserNotification] {
    try await store.send(.get, Route.notifications.path, token: token)
      .decoded(ListPayload.self).items
  }

  @Test("an item that was published directly before, under the same key, is not published again")
  func once() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(Self.device)
    let operation = publication(store)
    let content = try #require(operation.publishedContent)
    let direct = try await store.send(
      .post, Route.notifications.path, token: token, body: WireJSON.encode(PublishPayload(content)),
      headers: ["Idempotency-Key": operation.id.description])
    #expect(direct.status == 201)
    #expect(try await send(operation, to: store, token: token) == [.applied])
    let id = try direct.decoded(NotificationPayload.self).item.id
    #expect(try await items(store, token: token).map(\.id) == [id])
  }

  @Test("the item has the id of the operation, and the largest texts fit")
  func largest() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(Self.device)
    let operation = publication(store) { content in
      // In JSON, each of these takes six bytes.
      content.visual?.body = String(repeating: "\u{1}", count: 16 * 1024)
      content.raw = String(repeating: "\u{1}", count: 32 * 1024)
    }
    #expect(try await send(operation, to: store, token: token) == [.applied])
    let items = try await items(store, token: token)
    #expect(items.map(\.id) == [NotificationID(sameAs: operation.id)])
    #expect(items.first?.content == operation.publishedContent)
  }

  @Test("the answer to a refused one has the reason")
  func refused() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(Self.device)
    let operation = publication(store) { $0.visual?.title = " " }
    #expect(
      try await send(operation, to: store, token: token)
        == [.notPublished("payload.visualContent.title: expected a title that is not empty")])
    #expect(try await items(store, token: token).isEmpty)
  }
}
