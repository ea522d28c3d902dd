import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import BellhopWire
import Foundation
import HTTPTypes
import NIOHTTP1
import NIOSSL
import Synchronization
import Testing

@testable import BellhopServer

@Suite("Delivery to hooks", .timeLimit(.minutes(10)))
struct HookDeliveryTests {
  /// The times of requests, by the store's clock.
  private final class Times: Sendable {
    private let values = Mutex<[Timestamp]>([])
    func note(_ time: Timestamp) { values.withLock { $0.append(time) } }
    var all: [Timestamp] { values.withLock { $0 } }
    var pauses: [Duration] { zip(all, all.dropFirst()).map { $1.duration(since: $0) } }
  }

  @Test("changes come in one request without any of their content")
  func changes() async throws {
    let desk = try await HookDesk()
    let subscription = try await desk.subscribed()
    try await desk.telling {
      let first = try await desk.publish("a secret title")
      let second = try await desk.publish("another secret")
      try await desk.drive { desk.stub.told.count == 1 }
      let told = desk.stub.told[0]
      #expect(told.uri == "/hook?secret=x")
      #expect(told.headers.first(name: "Content-Type") == "application/json; charset=utf-8")
      #expect(told.headers.first(name: "User-Agent") == "bellhopd/0-test")
      #expect(!String(decoding: told.body, as: UTF8.self).contains("secret"))
      let list = try WireJSON.decode(ChangeNotificationListPayload.self, from: told.body)
      #expect(list.value.map(\.resourceData.id) == [first, second])
      let change = try #require(list.value.first)
      #expect(change.subscriptionId == subscription.id)
      #expect(change.clientState == "planted state")
      #expect(change.changeType == .created)
      #expect(change.resource == "me/notifications/\(first)")
      #expect(change.resourceData.path == "me/notifications/\(first)")
      #expect(change.resourceData.type == "#microsoft.graph.notification")
      #expect(change.subscriptionExpirationDateTime == subscription.expirationDateTime)
      _ = try await desk.store.send(
        .patch, Route.notification(first).path, token: desk.token, text: #"{"readState":"read"}"#)
      _ = try await desk.store.send(
        .delete, Route.notification(second).path, token: desk.token)
      try await desk.drive { desk.stub.told.count == 2 }
      #expect(desk.stub.told[1].words == ["updated", "deleted"])
      try await desk.wait { desk.store.server.hooks.counts.changesDelivered == 4 }
    }
    #expect(desk.stub.told.count == 2)
    await desk.stub.stop()
  }

  @Test("a failing hook is retried with growing pauses until it accepts the change")
  func retries() async throws {
    let desk = try await HookDesk()
    try await desk.subscribed()
    let times = Times()
    desk.stub.reply { [time = desk.store.time] _ in
      times.note(time.now)
      return times.all.count > 4 ? .status(200) : times.all.count == 2 ? .hangUp : .status(500)
    }
    try await desk.telling {
      try await desk.publish("a")
      try await desk.drive { times.all.count == 5 }
      try await desk.drive { desk.store.server.hooks.counts.requestsAccepted == 1 }
      try await desk.publish("b")
      try await desk.drive { times.all.count == 6 }
    }
    for (pause, most) in zip(times.pauses, [5, 10, 20, 40]) {
      #expect(pause >= .seconds(most) / 2 && pause <= .seconds(most) + .milliseconds(1))
    }
    #expect(desk.stub.told.map(\.words) == Array(repeating: ["created"], count: 6))
    let counts = desk.store.server.hooks.counts
    #expect(counts.requestsFailed == 4 && counts.requestsAccepted >= 1 && counts.dropped == 0)
    await desk.stub.stop()
  }

  @Test("a pause that a hook requests is kept")
  func retryAfter() async throws {
    let desk = try await HookDesk()
    try await desk.subscribed()
    let times = Times()
    desk.stub.reply { [time = desk.store.time] _ in
      times.note(time.now)
      return times.all.count > 1 ? .status(204) : .status(429, headers: [("Retry-After", "600")])
    }
    try await desk.telling {
      try await desk.publish("a")
      try await desk.drive { times.all.count == 1 }
      try await desk.publish("b")
      try await desk.drive { times.all.count == 2 }
    }
    #expect(times.pauses[0] >= .seconds(600) && times.pauses[0] < .seconds(601))
    #expect(desk.stub.told[1].words == ["created", "created"])
    await desk.stub.stop()
  }

  @Test("a hook that is down for hours loses its queue, and its lifecycle hook is notified")
  func missed() async throws {
    let desk = try await HookDesk()
    let start = desk.store.time.now
    let life = try await HookStub.start()
    try await desk.subscribed(desk.body(lifecycle: life.url))
    desk.stub.reply { _ in .status(410) }
    try await desk.telling {
      try await desk.publish("a")
      try await desk.drive { life.told.count == 1 }
      #expect(life.told[0].words == ["missed"])
      let gone = desk.store.time.now.duration(since: start)
      #expect(gone >= .seconds(4 * 3600) && gone < .seconds(5 * 3600))
      #expect((10...40).contains(desk.stub.told.count))
      desk.stub.reply(HookStub.obliging)
      let count = desk.stub.told.count
      let item = try await desk.publish("b")
      try await desk.drive { desk.stub.told.count > count }
      let list = try WireJSON.decode(
        ChangeNotificationListPayload.self, from: desk.stub.told[count].body)
      #expect(list.value.map(\.resourceData.id) == [item])
    }
    #expect(desk.store.server.hooks.counts.dropped == 1)
    await desk.stub.stop()
    await life.stop()
  }

  @Test("an expired subscription's lifecycle hook is notified, and then the subscription is gone")
  func expiry() async throws {
    let desk = try await HookDesk()
    try await desk.subscribed(desk.body(lifecycle: desk.stub.url, life: .seconds(600)))
    try await desk.telling {
      try await desk.drive { desk.stub.told.count == 1 }
      #expect(desk.stub.told[0].words == ["subscriptionRemoved"])
      try await desk.wait { desk.store.server.hooks.counts.subscriptions == 0 }
    }
    #expect(try await desk.store.service.hooks(limit: 9).isEmpty)
    await desk.stub.stop()
  }

  @Test("a revoked token's lifecycle hook is notified at once, without other activity")
  func revocation() async throws {
    let desk = try await HookDesk()
    let service = desk.store.service
    let user = try await service.user(named: "me").id
    let revocations: [(AccessTokenID) async throws -> Void] = [
      { try await service.revokeToken($0, of: user) },
      { _ in try await service.revokeDevice(DeviceID("hooked-1"), of: user) },
    ]
    for (number, revoke) in revocations.enumerated() {
      let secret = try await desk.store.deviceToken(DeviceID("hooked-\(number)"))
      let answer = try await desk.subscribe(desk.body(lifecycle: desk.stub.url), token: secret)
      #expect(answer.status == 201, "\(answer.text)")
      let principal = try await service.authenticate(AccessTokenSecret(secret))
      try await desk.telling {
        try await desk.wait { desk.store.server.hooks.counts.subscriptions == 1 }
        try await desk.drive { desk.clock.untilNextWake ?? .zero > .seconds(3600) }
        try await revoke(principal.token.id)
        // The clock stands still.
        try await desk.wait { desk.stub.told.count == number + 1 }
        #expect(desk.stub.told[number].words == ["subscriptionRemoved"])
        try await desk.wait { desk.store.server.hooks.counts.subscriptions == 0 }
      }
    }
    let metrics = try await desk.store.send(.get, "/metrics").text
    #expect(metrics.contains(#"bellhop_hook_requests_total{outcome="accepted"} 2"#), "\(metrics)")
    #expect(metrics.contains("bellhop_hook_subscriptions 0"))
    await desk.stub.stop()
  }

  @Test("a hook that never answers times out after ten seconds and delays no other")
  func slow() async throws {
    let desk = try await HookDesk()
    let dead = try await HookStub.start()
    try await desk.subscribed(desk.body(to: dead.url.replacing("hook.test", with: "dead.test")))
    try await desk.subscribed()
    dead.reply { _ in .silence }
    try await desk.telling {
      try await desk.publish("a")
      // Short steps, so that the dead hook's ten seconds do not pass.
      func driveShortly(until isDone: () -> Bool) async throws {
        try await desk.drive(stepMax: .milliseconds(250), whileCalling: true, until: isDone)
      }
      try await driveShortly { dead.told.count == 1 && desk.stub.told.count == 1 }
      for number in 2...4 {
        try await desk.publish("b")
        try await driveShortly { desk.stub.told.count == number }
      }
      #expect(desk.store.server.hooks.counts.calling >= 1 && dead.told.count == 1)
      // Its time starts with the call, which may be a moment after the hook was reached.
      desk.advance(by: .seconds(10))
      try await desk.drive(stepMax: .seconds(10), whileCalling: true) {
        desk.store.server.hooks.counts.requestsFailed >= 1
      }
    }
    await desk.stub.stop()
    await dead.stop()
  }

  @Test(
    "a redirect is not followed, and an endless answer is cut off",
    arguments: [HookStub.Reply.status(307), .headerFlood])
  func hostileAnswers(reply: HookStub.Reply) async throws {
    let desk = try await HookDesk()
    let elsewhere = try await HookStub.start()
    try await desk.subscribed()
    desk.stub.reply { _ in
      if case .status = reply {
        return .status(307, headers: [("Location", elsewhere.url)])
      }
      return reply
    }
    try await desk.telling {
      try await desk.publish("a")
      try await desk.drive { desk.store.server.hooks.counts.requestsFailed == 1 }
    }
    #expect(elsewhere.told.isEmpty && elsewhere.handshakes.isEmpty)
    await desk.stub.stop()
    await elsewhere.stop()
  }

  @Test("a success does not wait for the rest of its body")
  func bodyFlood() async throws {
    let desk = try await HookDesk()
    try await desk.subscribed()
    desk.stub.reply { _ in .bodyFlood }
    try await desk.telling {
      try await desk.publish("a")
      try await desk.drive { desk.store.server.hooks.counts.requestsAccepted == 1 }
    }
    await desk.stub.stop()
  }

  @Test("a name that later resolves to a private address is not called any more")
  func rebinding() async throws {
    let rebound = SharedFlag()
    let desk = try await HookDesk(resolve: { _ in
      rebound.isSet ? ["169.254.169.254"] : ["127.0.0.1"]
    })
    try await desk.subscribed()
    rebound.set()
    try await desk.telling {
      try await desk.publish("a")
      try await desk.drive { desk.store.server.hooks.counts.requestsFailed == 2 }
    }
    #expect(desk.stub.told.isEmpty)
    await desk.stub.stop()
  }

  @Test("changes that were not delivered before the store stopped are delivered after its restart")
  func restart() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/store.sqlite"
    let time = SettableTime()
    let desk = try await HookDesk(on: try SQLiteBackend(path: path), time: time)
    try await desk.subscribed()
    desk.stub.reply { _ in .status(503) }
    try await desk.telling {
      try await desk.publish("a")
      try await desk.drive { desk.store.server.hooks.counts.requestsFailed == 2 }
      // And one that is interrupted in the middle.
      desk.stub.reply { _ in .silence }
      let count = desk.stub.told.count
      try await desk.drive { desk.stub.told.count > count }
    }
    await desk.store.service.close()
    desk.stub.reply(HookStub.obliging)
    let count = desk.stub.told.count
    let again = try await HookDesk(
      on: try SQLiteBackend(path: path), stub: desk.stub, time: time, seed: 2)
    try await again.telling {
      try await again.drive { desk.stub.told.count == count + 1 }
      #expect(desk.stub.told[count].words == ["created"])
      try await again.publish("b")
      try await again.drive { desk.stub.told.count == count + 2 }
      #expect(desk.stub.told[count + 1].words == ["created"])
    }
    await again.store.service.close()
    await desk.stub.stop()
  }

  @Test("TLS is verified by the host's name, at the address that was checked")
  func tls() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let trust = folder.path + "/ca.pem"
    try Data(HookCertificate.certificate.utf8).write(to: URL(filePath: trust))
    let stub = try await HookStub.start(tls: try HookCertificate.context())
    let desk = try await HookDesk(stub: stub, configure: { $0.trustFile = trust })
    try await desk.subscribed(desk.body(to: "https://hook.test:\(stub.port)/"))
    #expect(stub.handshakes[0].headers.first(name: "Host") == "hook.test:\(stub.port)")
    let other = try await desk.subscribe(desk.body(to: "https://other.test:\(stub.port)/"))
    #expect(other.status == 400 && other.text.contains("TLS failed"))
    let strict = try await HookDesk(stub: stub)
    let distrusted = try await strict.subscribe(
      desk.body(to: "https://hook.test:\(stub.port)/"))
    #expect(distrusted.status == 400 && distrusted.text.contains("TLS failed"))
    try await desk.telling {
      try await desk.publish("a")
      try await desk.drive { stub.told.count == 1 }
    }
    await stub.stop()
  }
}

/// A thread-safe flag that is set once.
final class SharedFlag: Sendable {
  private let value = Mutex(false)
  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}

/// A self-signed certificate for `hook.test`, valid until 2120.
enum HookCertificate {
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlob29rLnRl
    c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
    CWhvb2sudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMgOXDXG1H85GnIz
    PQkvpIjHMm9HYL1lsblY31DM7er5Fb8J3ACEjdHSIdtNbgpjuAnI8RD0VyLqULB2
    01Fu2cqjSDBGMBQGA1UdEQQNMAuCCWhvb2sudGVzdDAPBgNVHRMBAf8EBTADAQH/
    MB0GA1UdDgQWBBQnrwt8OwgM0ixw35H6ZInqO02awDAKBggqhkjOPQQDAgNIADBF
    AiEA8AjFpRAVhLU1hX63DEXPNsapIZfsFfZc8k192vrqxYICIDktd+SCNvdFZs0i
    wjHvAoGNtafB4lo/aEsqzyjNCpIQ
    -----END CERTIFICATE-----

    """

  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5WQZaxmZyevmUeQA
    zxftpQV+1aj7h1qQ0fshJfqv0WChRANCAATIDlw1xtR/ORpyMz0JL6SIxzJvR2C9
    ZbG5WN9QzO3q+RW/CdwAhI3R0iHbTW4KY7gJyPEQ9Fci6lCwdtNRbtnK
    -----END PRIVATE KEY-----

    """

  static func context() throws -> NIOSSLContext {
    let certificate = try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)
    let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
    return try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
  }
}
