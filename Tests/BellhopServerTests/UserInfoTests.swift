import BellhopModel
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Data for an app's own handlers")
struct UserInfoTests {
  private static func publish(
    _ userInfo: String, _ store: InProcessStore
  ) async throws -> InProcessStore.Answer {
    try await store.send(
      .post, "/v1.0/me/notifications", token: try await store.deviceToken(DeviceID("laptop")),
      text: """
        {"targetHostName":"ci","payload":{"rawContent":"r"},"mutableContent":true,
         "userInfo":\(userInfo)}
        """)
  }

  @Test("a JSON object comes back as it was published, to every reader")
  func passesThrough() async throws {
    let store = try await InProcessStore()
    let published = try await Self.publish(
      #"{"build":412,"ratio":0.5,"big":9007199254740993,"ok":true,"none":null,"a":[{"b":"ü"}]}"#,
      store)
    #expect(published.status == 201)
    let id = try published.decoded(NotificationPayload.self).item.id
    let token = try await store.deviceToken(DeviceID("phone"))
    let read = try await store.send(.get, Route.notification(id).path, token: token)
    let extras = try read.decoded(NotificationPayload.self).item.content.extras
    #expect(
      extras.userInfo == [
        "build": .integer(412), "ratio": .number(0.5), "big": .integer(9_007_199_254_740_993),
        "ok": .bool(true), "none": .null, "a": .list([.object(["b": .text("ü")])]),
      ])
    #expect(extras.mutableContent == true)
  }

  @Test(
    "anything else, and more than 4 KiB, is refused with the field",
    arguments: ["[1]", "\"a\"", "7", "{\"a\":\"" + String(repeating: "x", count: 4096) + "\"}"])
  func refused(userInfo: String) async throws {
    let answer = try await Self.publish(userInfo, try await InProcessStore())
    #expect(answer.status == 400)
    #expect(answer.text.contains("userInfo"))
  }
}
