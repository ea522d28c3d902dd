import BellhopCache
import BellhopKit
import BellhopModel
import BellhopStore
import BellhopSync
import BellhopTestSupport
import Foundation
import Testing

@Suite("Publish tokens of a feed", .timeLimit(.minutes(15)))
struct PublishTokenTests {
  private static let day = Duration.seconds(86_400)

  /// A running feed whose clock only the test moves, with its events.
  private struct Desk {
    let house: FeedHouse
    let clock = ManualClock()
    let feed: UserDataFeed
    let wire: FaultyTransport
    let events: AsyncStream<FeedEvent>

    init(_ known: FeedHouse? = nil) async throws {
      if let known { house = known } else { house = try await FeedHouse() }
      var parts = try await house.parts("a")
      wire = try #require(parts.transport as? FaultyTransport)
      parts.clock = clock
      feed = UserDataFeed(parts)
      events = await feed.events()
      try await feed.start()
    }

    /// Waits for the next token.
    func token() async throws -> PublishToken {
      try #require(
        await first(of: events) { event in
          if case .publishToken(let token) = event { token } else { nil }
        })
    }

    func register(_ app: String = "ci") async throws -> PublishToken {
      try await feed.registerForPublishing(app: app)
      return try await token()
    }

    /// Lets time pass at the store and for the feed.
    func advance(by duration: Duration) {
      house.time.advance(by: duration)
      clock.advance(by: duration)
    }
  }

  private func principal(_ token: PublishToken, _ house: FeedHouse) async throws -> Principal {
    try await house.service.authenticate(AccessTokenSecret(token.secret))
  }

  private func isRefused(_ token: PublishToken, _ house: FeedHouse) async -> Bool {
    (try? await principal(token, house)) == nil
  }

  private func publishTokens(_ house: FeedHouse) async throws -> [AccessToken] {
    try await house.service.accessTokens(of: house.user).filter { token in
      if case .publish = token.scope { true } else { false }
    }
  }

  @Test("the first token arrives as an event, and publishes for its app and for no other")
  func firstToken() async throws {
    let desk = try await Desk()
    let token = try await desk.register()
    #expect(token.app == "ci")
    #expect(token.expiration == desk.house.time.now.advanced(by: Self.day * 60))
    let principal = try await principal(token, desk.house)
    #expect(principal.mayPublish("ci") && !principal.mayPublish("nas"))
    #expect(principal.reach == .nothing)
    await desk.feed.stop()
  }

  @Test("a token prints without its secret")
  func redacted() async throws {
    let desk = try await Desk()
    let token = try await desk.register()
    var dumped = ""
    dump(FeedEvent.publishToken(token), to: &dumped)
    let event = FeedEvent.publishToken(token)
    for text in ["\(token)", "\(event)", String(reflecting: token), dumped] {
      #expect(!text.contains(token.secret), "\(text)")
    }
    await desk.feed.stop()
  }

  @Test("another request hands over the same token, and makes no other one")
  func again() async throws {
    let desk = try await Desk()
    let token = try await desk.register()
    #expect(try await desk.register() == token)
    #expect(try await publishTokens(desk.house).count == 1)
    // Another app has a token of its own.
    #expect(try await desk.register("nas").app == "nas")
    #expect(try await publishTokens(desk.house).count == 2)
    await desk.feed.stop()
  }

  @Test("a feed that is not running, and a pattern of several apps, are refused")
  func refused() async throws {
    let house = try await FeedHouse()
    let idle = UserDataFeed(try await house.parts("idle"))
    await #expect(throws: FeedError.notRunning) { try await idle.registerForPublishing(app: "ci") }
    let desk = try await Desk(house)
    for app in ["", "*", "ci.*"] {
      await #expect(throws: FeedError.self) { try await desk.feed.registerForPublishing(app: app) }
    }
    #expect(try await publishTokens(house).isEmpty)
    await desk.feed.stop()
  }

  @Test("after two thirds of its lifetime, a token is replaced, and stays valid until it expires")
  func renewal() async throws {
    let desk = try await Desk()
    let token = try await desk.register()
    desk.advance(by: Self.day * 39)
    #expect(try await desk.register() == token)
    desk.advance(by: Self.day * 2)
    let next = try await desk.token()
    #expect(next.app == "ci" && next.id != token.id && next.secret != token.secret)
    #expect(next.expiration > token.expiration)
    #expect(try await principal(token, desk.house).mayPublish("ci"))
    #expect(try await principal(next, desk.house).mayPublish("ci"))
    desk.house.time.advance(by: Self.day * 20)
    #expect(await isRefused(token, desk.house))
    #expect(try await principal(next, desk.house).mayPublish("ci"))
    await desk.feed.stop()
  }

  @Test("a token that was revoked at the store is replaced, within hours or when the app asks")
  func revoked() async throws {
    let desk = try await Desk()
    func revoke(_ token: PublishToken) async throws {
      try await desk.house.service.revokeToken(
        #require(AccessTokenID(token.id)), of: desk.house.user)
    }
    let token = try await desk.register()
    try await revoke(token)
    desk.advance(by: .seconds(6 * 3600))
    let second = try await desk.token()
    #expect(second.id != token.id)
    try await revoke(second)
    let third = try await desk.register()
    #expect(third.id != second.id)
    #expect(try await principal(third, desk.house).mayPublish("ci"))
    await desk.feed.stop()
  }

  @Test("after a restart, the token is the same, from a file that only its owner can read")
  func restart() async throws {
    let desk = try await Desk()
    let token = try await desk.register()
    await desk.feed.stop()
    let path = desk.house.folder.path + "/a-publish-tokens.json"
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let next = try await Desk(desk.house)
    #expect(try await next.register() == token)
    #expect(try await publishTokens(desk.house).count == 1)
    await next.feed.stop()
  }

  @Test("a file that other users can read is not used, and the app learns why")
  func readable() async throws {
    let desk = try await Desk()
    _ = try await desk.register()
    let path = desk.house.folder.path + "/a-publish-tokens.json"
    chmod(path, 0o644)
    try await desk.feed.registerForPublishing(app: "ci")
    let failure = await failure(of: desk.events)
    #expect(
      failure
        == .cache("Other users can read \(path), so it is not used. Run: chmod 600 \(path)"))
    await desk.feed.stop()
  }

  @Test("a token that is given up is revoked with those that it replaced, and forgotten")
  func unregistered() async throws {
    let desk = try await Desk()
    let token = try await desk.register()
    desk.advance(by: Self.day * 41)
    let next = try await desk.token()
    try await desk.feed.unregisterFromPublishing(app: "ci")
    #expect(await isRefused(token, desk.house))
    #expect(await isRefused(next, desk.house))
    // Giving it up once more is harmless, and the app can ask again.
    try await desk.feed.unregisterFromPublishing(app: "ci")
    #expect(try await publishTokens(desk.house).allSatisfy { $0.revoked != nil })
    let later = try await desk.register()
    #expect(later.id != next.id)
    #expect(try await principal(later, desk.house).mayPublish("ci"))
    await desk.feed.stop()
  }

  @Test("without a connection, a token is not given up, and another call revokes it")
  func unregisteredOffline() async throws {
    let desk = try await Desk()
    let token = try await desk.register()
    desk.wire.set(.offline)
    await #expect(throws: FeedError.self) {
      try await desk.feed.unregisterFromPublishing(app: "ci")
    }
    #expect(try await principal(token, desk.house).mayPublish("ci"))
    desk.wire.set(.none)
    try await desk.feed.unregisterFromPublishing(app: "ci")
    #expect(await isRefused(token, desk.house))
    await desk.feed.stop()
  }

  @Test("without a connection, a kept token is handed over, and a missing one is made afterwards")
  func offline() async throws {
    let house = try await FeedHouse()
    let parts = try await house.parts("a")
    let wire = try #require(parts.transport as? FaultyTransport)
    let feed = UserDataFeed(parts)
    let events = await feed.events()
    try await feed.start()
    try await feed.exchange()
    func token() async -> PublishToken? {
      await first(of: events) { event in
        if case .publishToken(let token) = event { token } else { nil }
      }
    }
    try await feed.registerForPublishing(app: "ci")
    let kept = await token()
    wire.set(.offline)
    try await feed.registerForPublishing(app: "ci")
    #expect(await token() == kept)
    let requests = wire.requests
    try await feed.registerForPublishing(app: "nas")
    func hasFailed() async -> Bool {
      guard case .offline = await feed.status else { return false }
      return wire.requests > requests
    }
    try await eventually("a request without a connection") { await hasFailed() }
    wire.set(.none)
    try await feed.exchange()
    #expect(await token()?.app == "nas")
    await feed.stop()
  }

  private func failure(of events: AsyncStream<FeedEvent>) async -> FeedError? {
    await first(of: events) { event in
      if case .publishTokenFailed(app: "ci", let error) = event { error } else { nil }
    }
  }

  @Test("a store that refuses a token is reported as such, and not as the end of the sign-in")
  func failed() async throws {
    let desk = try await Desk()
    desk.wire.set(.refusing(.forbidden("the user has too many tokens")))
    try await desk.feed.registerForPublishing(app: "ci")
    #expect(
      await failure(of: desk.events)
        == .store("the store does not allow this: the user has too many tokens"))
    desk.wire.set(.none)
    desk.advance(by: .seconds(45))
    #expect(try await desk.token().app == "ci")
    await desk.feed.stop()
  }

  @Test("two processes with one folder share a token, and both hand it over")
  func shared() async throws {
    let house = try await FeedHouse()
    let cache = MemoryCache(
      identity: CacheIdentity(account: AccountName("alice"), newLineage: { Lineage("one") }))
    var feeds: [UserDataFeed] = []
    var tokens: Set<PublishToken> = []
    for _ in 0..<2 {
      let lock = house.folder.path + "/shared.lock"
      let feed = UserDataFeed(
        try await house.parts("a", cache: cache, lock: lock, nudges: true))
      let events = await feed.events()
      try await feed.start()
      try await feed.registerForPublishing(app: "ci")
      let token = await first(of: events) { event in
        if case .publishToken(let token) = event { token } else { nil }
      }
      tokens.insert(try #require(token))
      feeds.append(feed)
    }
    #expect(tokens.count == 1)
    #expect(try await publishTokens(house).count == 1)
    for feed in feeds { await feed.stop() }
  }

  /// A delegate that passes on the tokens of its app.
  private struct Server: UserNotificationDelegate {
    let received: AsyncStream<PublishToken>
    private let arrivals: AsyncStream<PublishToken>.Continuation

    init() { (received, arrivals) = AsyncStream<PublishToken>.makeStream() }

    func willPresent(_ notification: FeedNotification) async -> NotificationPresentation { .show }
    func didReceive(_ response: NotificationResponse) async {}
    func didReceive(silent notification: FeedNotification) async {}
    func didReceive(publishToken token: PublishToken) async { arrivals.yield(token) }
  }

  @Test("a delegate receives the token that its app has, and then the one that replaces it")
  func delegate() async throws {
    let desk = try await Desk()
    let (nas, token) = (try await desk.register("nas"), try await desk.register())
    let server = Server()
    let channel = desk.feed.channel
    let delivering = Task { try await channel.deliver(ofApp: "ci", to: server) }
    var received = server.received.makeAsyncIterator()
    #expect(await received.next() == token)
    desk.advance(by: Self.day * 41)
    let renewed = [try await desk.token(), try await desk.token()]
    #expect(Set(renewed.map(\.app)) == ["ci", "nas"] && !renewed.contains(nas))
    #expect(await received.next() == renewed.first(where: { $0.app == "ci" }))
    await desk.feed.stop()
    try await delivering.value
  }
}
