import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import NIOHTTP1
import Testing

@testable import BellhopServer

@Suite("Subscriptions over HTTP", .timeLimit(.minutes(10)))
struct SubscriptionTests {
  private func error(_ answer: InProcessStore.Answer) throws -> (Int, ErrorCode, String) {
    let payload = try answer.decoded(ErrorPayload.self)
    return (answer.status, payload.code, payload.message)
  }

  @Test("a hook that returns the token is subscribed; its clientState is never returned")
  func lifecycle() async throws {
    let desk = try await HookDesk()
    let made = try await desk.subscribe(
      desk.body(
        lifecycle: desk.stub.url + "&life=1", types: "deleted, Created",
        more: #","latestSupportedTlsVersion":"v1_2","includeResourceData":false,"x":1"#))
    #expect(made.status == 201)
    let subscription = try made.decoded(SubscriptionPayload.self)
    let path = Route.subscription(subscription.id).path
    #expect(made.header("Location")?.hasSuffix(path) == true)
    #expect(subscription.changeType == "created,deleted")
    #expect(subscription.notificationUrl == desk.stub.url)
    #expect(subscription.latestSupportedTlsVersion == "v1_2")
    #expect(desk.stub.handshakes.count == 2)
    let handshake = try #require(desk.stub.handshakes.first)
    #expect(handshake.body.isEmpty)
    #expect(handshake.token.contains(" ") && handshake.token.utf8.count > 40)
    #expect(handshake.uri.hasPrefix("/hook?secret=x&validationToken="))
    #expect(handshake.headers.first(name: "Host") == "hook.test:\(desk.stub.port)")
    #expect(handshake.headers.first(name: "Content-Type") == "text/plain; charset=utf-8")
    #expect(handshake.headers.first(name: "Authorization") == nil)
    #expect(handshake.token != desk.stub.handshakes[1].token)

    let later = desk.store.time.now.advanced(by: .seconds(20 * 86_400))
    let renewed = try await desk.store.send(
      .patch, path, token: desk.token, text: #"{"expirationDateTime":"\#(later)"}"#)
    #expect(try renewed.decoded(SubscriptionPayload.self).expirationDateTime == later)
    #expect(desk.stub.handshakes.count == 2)
    let moved = try await desk.store.send(
      .patch, path, token: desk.token,
      text: #"{"notificationUrl":"http://other.test:\#(desk.stub.port)/"}"#)
    #expect(moved.status == 200 && desk.stub.handshakes.count == 3)
    #expect(try moved.decoded(SubscriptionPayload.self).expirationDateTime == later)

    let list = try await desk.store.send(.get, Route.subscriptions.path, token: desk.token)
    let one = try await desk.store.send(.get, path, token: desk.token)
    #expect(try list.decoded(SubscriptionListPayload.self).value.map(\.id) == [subscription.id])
    for answer in [made, renewed, moved, list, one] {
      #expect(!answer.text.contains("planted state"))
      #expect(!answer.text.contains("clientState"))
    }
    #expect(try await desk.store.send(.delete, path, token: desk.token).status == 204)
    #expect(try await desk.store.send(.get, path, token: desk.token).status == 404)
    #expect(try await desk.store.send(.delete, path, token: desk.token).status == 404)
    await desk.stub.stop()
  }

  @Test("another user's subscriptions do not exist, and another's items cannot be subscribed to")
  func isolation() async throws {
    let desk = try await HookDesk(users: ["me", "you"])
    let path = Route.subscription(try await desk.subscribed().id).path
    let strange = try await desk.store.deviceToken(of: "you")
    for method in [HTTPRequest.Method.get, .patch, .delete] {
      let answer = try await desk.store.send(
        method, path, token: strange, text: #"{"notificationUrl":"\#(desk.stub.url)"}"#)
      #expect(answer.status == 404)
    }
    let list = try await desk.store.send(.get, Route.subscriptions.path, token: strange)
    #expect(try list.decoded(SubscriptionListPayload.self).value.isEmpty)
    #expect(desk.stub.handshakes.count == 1)
    for resource in ["users/you/notifications", "users/2/notifications", "users/no/notifications"] {
      let answer = try await desk.subscribe(desk.body(resource: resource))
      let (status, _, message) = try error(answer)
      #expect(status == 403 && message.contains("only its own user"))
    }
    for resource in ["/me/notifications", "users/me/notifications", "/users/1/notifications"] {
      #expect(try await desk.subscribed(desk.body(resource: resource)).resource == resource)
    }
    for resource in ["", "me", "me/devices", "me/notifications/", "users/me", "me/messages"] {
      #expect(try await desk.subscribe(desk.body(resource: resource)).status == 400)
    }
    await desk.stub.stop()
  }

  @Test(
    "a hook with a wrong handshake is not subscribed, and the answer has the reason",
    arguments: [
      (.status(200, headers: [("Content-Type", "text/plain")], body: "x"), "its body is different"),
      (.status(202), "it answered 202"), (.status(404), "it answered 404"),
      (.status(500), "it answered 500"), (.hangUp, "cut off"), (.bodyFlood, "too large"),
      (.headerFlood, "too large"),
      (.status(307, headers: [("Location", "http://169.254.169.254/")]), "it answered 307"),
      (.status(200, body: ""), "its Content-Type is different"),
    ] as [(HookStub.Reply, String)])
  func wrongHandshakes(reply: HookStub.Reply, complaint: String) async throws {
    let desk = try await HookDesk()
    desk.stub.reply { _ in reply }
    let (status, code, message) = try error(try await desk.subscribe(desk.body()))
    #expect(status == 400 && code == .invalidRequest)
    #expect(message.hasPrefix("notificationUrl is wrong: its handshake failed: "))
    #expect(message.contains(complaint), "\(message)")
    #expect(!message.contains("secret=x"))
    #expect(desk.stub.handshakes.count == 1)
    // The same for the lifecycle hook, which is called second.
    desk.stub.reply { $0.uri.contains("life") ? reply : .token }
    let second = try await desk.subscribe(desk.body(lifecycle: desk.stub.url + "&life"))
    #expect(try error(second).2.hasPrefix("lifecycleNotificationUrl is wrong: "))
    #expect(try await desk.store.service.hooks(limit: 9).isEmpty)
    await desk.stub.stop()
  }

  @Test("the text must be the decoded token with its type; as HTML or escaped it is refused")
  func almostRight() async throws {
    let desk = try await HookDesk()
    let replies: [HookStub.Script] = [
      { .status(200, headers: [("Content-Type", "text/html")], body: $0.token) },
      { .status(200, headers: [("Content-Type", "text/plain")], body: Route.escaped($0.token)) },
      { .status(200, headers: [("Content-Type", "text/plain")], body: $0.token + "\n") },
    ]
    for reply in replies {
      desk.stub.reply(reply)
      #expect(try await desk.subscribe(desk.body()).status == 400)
    }
    desk.stub.reply {
      .status(200, headers: [("content-type", "Text/Plain; x=y")], body: $0.token)
    }
    #expect(try await desk.subscribe(desk.body()).status == 201)
    await desk.stub.stop()
  }

  @Test("the store keeps writing during a slow handshake, which times out after ten seconds")
  func slowHandshake() async throws {
    let desk = try await HookDesk()
    desk.stub.reply { _ in .silence }
    let asking = Task { try await desk.subscribe(desk.body()) }
    try await desk.wait { desk.stub.handshakes.count == 1 }
    try await desk.publish("meanwhile")
    desk.advance(by: .milliseconds(9_999))
    #expect(desk.clock.sleeperCount == 1)
    desk.advance(by: .milliseconds(1))
    let (status, _, message) = try error(try await asking.value)
    #expect(status == 400 && message.contains("did not answer in time"))
    await desk.stub.stop()
  }

  @Test("a user with too many handshakes at once has to try again later, others do not")
  func handshakeLimit() async throws {
    let desk = try await HookDesk(users: ["me", "you"], configure: { $0.handshakesPerUserMax = 2 })
    desk.stub.reply { $0.uri.contains("quick") ? .token : .silence }
    let asking = (0..<2).map { _ in Task { try await desk.subscribe(desk.body()) } }
    try await desk.wait { desk.stub.handshakes.count == 2 }
    let refused = try await desk.subscribe(desk.body())
    #expect(refused.status == 429 && refused.header("Retry-After") == "10")
    let other = try await desk.subscribe(
      desk.body(to: desk.stub.url + "&quick"), token: desk.store.deviceToken(of: "you"))
    #expect(other.status == 201, "\(other.text)")
    desk.advance(by: .seconds(10))
    for task in asking { #expect(try await task.value.status == 400) }
    desk.stub.reply(HookStub.obliging)
    #expect(try await desk.subscribe(desk.body()).status == 201)
    await desk.stub.stop()
  }

  @Test("hooks on this machine, private networks and metadata addresses are not even connected to")
  func privateAddresses() async throws {
    let addresses = [
      "127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "fd00:ec2::254",
      "::ffff:127.0.0.1", "64:ff9b::7f00:1", "0.0.0.0", "100.64.0.1", "fe80::1",
    ]
    for address in addresses {
      let desk = try await HookDesk(
        resolve: { _ in [address] }, configure: { $0.allowedNetworks = [] })
      let (status, _, message) = try error(try await desk.subscribe(desk.body()))
      #expect(status == 400)
      #expect(message.contains("this store does not connect"), "\(address): \(message)")
      #expect(!message.contains(address))
      #expect(desk.stub.handshakes.isEmpty)
      await desk.stub.stop()
    }
    // Of several addresses only an allowed one is used.
    let desk = try await HookDesk(resolve: { _ in ["10.0.0.1", "127.0.0.1"] })
    try await desk.subscribed()
    let unknown = try await HookDesk(stub: desk.stub, resolve: { _ in [] })
    #expect(try error(try await unknown.subscribe(desk.body())).2.contains("host is unknown"))
    await desk.stub.stop()
  }

  @Test("invalid bodies are refused before any hook is called")
  func wrongBodies() async throws {
    var limits = StoreLimits()
    limits.subscriptionsPerUserMax = 1
    let desk = try await HookDesk(limits: limits, configure: { $0.allowsPlain = false })
    let good = desk.body(to: "https://hook.test/")
    let long = String(repeating: "x", count: 129)
    let bodies: [(String, String)] = [
      ("{}", "changeType"), ("[]", "JSON object"),
      (good.replacing("created,", with: "made,"), "changeType"),
      (good.replacing("https://hook.test/", with: "http://hook.test/"), "notificationUrl"),
      (good.replacing("https://hook.test/", with: "https://a:b@hook.test/"), "notificationUrl"),
      (good.replacing("planted state", with: long), "clientState"),
      (desk.body(to: "https://hook.test/", life: .seconds(-1)), "expirationDateTime"),
      (desk.body(to: "https://hook.test/", life: .seconds(31 * 86_400)), "expirationDateTime"),
      (
        desk.body(to: "https://hook.test/", more: #","includeResourceData":true"#),
        "includeResourceData"
      ),
      (desk.body(to: "https://hook.test/", lifecycle: "x"), "lifecycleNotificationUrl"),
    ]
    for (body, field) in bodies {
      let (status, _, message) = try error(try await desk.subscribe(body))
      #expect(status == 400 && message.contains(field), "\(message)")
      #expect(!message.contains(long))
    }
    #expect(desk.stub.handshakes.isEmpty)

    let roomy = try await HookDesk(stub: desk.stub, limits: limits)
    try await roomy.subscribed()
    let (status, code, message) = try error(try await roomy.subscribe(roomy.body()))
    #expect(status == 403 && code == .quotaLimitReached && message.contains("at most 1"))
    #expect(desk.stub.handshakes.count == 1)
    let path = Route.subscription(try await roomy.store.service.hooks(limit: 1)[0].id).path
    let empty = try await roomy.store.send(.patch, path, token: roomy.token, text: "{}")
    #expect(empty.status == 400)
    await desk.stub.stop()
  }
}
