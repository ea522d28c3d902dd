import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Policies and delivery times over HTTP")
struct PolicyTests {
  static let body = """
    {"targetHostName":"ci","appNotificationId":"a","payload":{"rawContent":"data"},
    "targetPolicy":{"platformTypes":["IOS","windows"]},
    "fallbackPolicy":{"endpointFallback":{"platformTypes":["android"],
    "fallbackDelayInSeconds":"60","visualContent":{"title":"late","body":"too late"}}}}
    """

  @Test("policies are stored, and returned in the item, the list and the delta")
  func delivered() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let before = try await store.send(.get, Route.delta.path, token: token)
      .decoded(DeltaPayload.self)
    let answer = try await store.send(
      .post, Route.notifications.path, token: token, text: Self.body)
    #expect(answer.status == 201, "\(answer.text)")
    let item = try answer.decoded(NotificationPayload.self).item
    let extras = item.content.extras
    #expect(extras.targetPolicy?.platformTypes == ["iOS", "Windows"])
    #expect(extras.fallbackPolicy?.platformTypes == ["Android"])
    #expect(extras.fallbackPolicy?.fallbackDelayInSeconds == 60)
    #expect(extras.fallbackPolicy?.visualContent == VisualContent(title: "late", body: "too late"))
    let got = try await store.send(.get, Route.notification(item.id).path, token: token)
    #expect(try got.decoded(NotificationPayload.self).item == item)
    let list = try await store.send(.get, Route.notifications.path, token: token)
    #expect(try list.decoded(ListPayload.self).items == [item])
    guard case .complete(let position) = before.end else {
      Issue.record("an empty store has a second page")
      return
    }
    for route in [Route.delta, .deltaSince(position)] {
      let delta = try await store.send(.get, route.path, token: token).decoded(DeltaPayload.self)
      #expect(delta.changes == [.item(item)])
    }
  }

  @Test(
    "invalid policies are refused with the field's name",
    arguments: [
      (#""targetPolicy":{"platformTypes":["Amiga"]}"#, "platformTypes"),
      (
        #""fallbackPolicy":{"endpointFallback":{"fallbackDelayInSeconds":59}}"#,
        "fallbackDelayInSeconds"
      ),
      (
        #""fallbackPolicy":{"endpointFallback":{"fallbackDelayInSeconds":601}}"#,
        "fallbackDelayInSeconds"
      ),
      (
        #""fallbackPolicy":{"endpointFallback":{"fallbackDelayInSeconds":60,"#
          + #""visualContent":{"title":""}}}"#, "fallbackPolicy.visualContent.title"
      ),
    ])
  func refused(policy: String, field: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let answer = try await store.send(
      .post, Route.notifications.path, token: token,
      text: #"{"targetHostName":"ci","payload":{"rawContent":"x"},\#(policy)}"#)
    #expect(answer.status == 400)
    #expect(answer.text.contains(field), "\(answer.text)")
  }

  @Test("a scheduled item is listed at once, moved by an update, and cancelled before it is due")
  func scheduled() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken()
    let publisher = try await store.publishToken(for: .app("ci"))
    let due = store.time.now.advanced(by: .seconds(3600))
    let answer = try await store.send(
      .post, Route.notifications.path, token: publisher,
      text: """
        {"targetHostName":"ci","appNotificationId":"a","deliverAfterDateTime":"\(due)",
        "payload":{"visualContent":{"title":"later"}}}
        """)
    #expect(answer.status == 201, "\(answer.text)")
    func listed() async throws -> [UserNotification] {
      try await store.send(.get, Route.notifications.path, token: device)
        .decoded(ListPayload.self).items
    }
    #expect(try await listed().map(\.content.deliverAt) == [due])
    #expect(try await listed().map(\.arrival) == [due])
    let sooner = store.time.now.advanced(by: .seconds(1))
    let moved = try await store.send(
      .patch, PublisherTests.path + "a", token: publisher,
      text: #"{"deliverAfterDateTime":"\#(sooner)"}"#)
    #expect(moved.status == 204)
    let item = try #require(try await listed().first)
    #expect(placement(item, at: store.time.now, on: .utc).placement == .scheduled)
    #expect(placement(item, at: sooner, on: .utc).placement == .tray)
    #expect(
      try await store.send(.delete, PublisherTests.path + "a", token: publisher).status == 204)
    #expect(try await listed().isEmpty)
  }
}
