import BellhopCache
import BellhopKit
import BellhopModel
import BellhopStore
import BellhopSync
import BellhopTestSupport
import Foundation
import Testing

@Suite("Feed errors", .timeLimit(.minutes(30)))
struct FeedTroubleTests {
  /// A feed that is up to date with its store, and its transport.
  private func feed(
    _ house: FeedHouse, adjust: (inout FeedParts) -> Void = { _ in }
  ) async throws -> (UserDataFeed, FaultyTransport) {
    var parts = try await house.parts("a")
    let wire = try #require(parts.transport as? FaultyTransport)
    adjust(&parts)
    let feed = UserDataFeed(parts)
    try await feed.start()
    try await feed.exchange()
    return (feed, wire)
  }

  @Test("an offline change is kept, reported as waiting, and sent when the store is back")
  func offline() async throws {
    let house = try await FeedHouse()
    let item = try await house.publish("one")
    let (feed, wire) = try await feed(house)
    wire.set(.offline)
    let events = await feed.events()
    try await feed.channel.snooze(item.id, until: house.time.now.advanced(by: .seconds(900)))
    #expect(try feed.channel.notification(item.id)?.placement == .snoozed)
    #expect(try feed.channel.notification(item.id)?.isPending == true)
    let waiting = await first(of: events) { event in
      if case .status(.offline(_, let waiting)) = event, waiting > 0 { waiting } else { nil }
    }
    #expect(waiting == 1)
    await #expect(throws: FeedError.self) { try await feed.sync(within: .seconds(3600)) }

    wire.set(.none)
    try await feed.exchange()
    #expect(
      try await house.service.item(item.id, of: house.user).state.userActionState.value.kind
        == .snoozed)
    #expect(try feed.channel.notification(item.id)?.isPending == false)
    #expect(await feed.stop() == 0)
  }

  @Test("an unsent change stays for the next start")
  func stopped() async throws {
    let house = try await FeedHouse()
    let item = try await house.publish("one")
    let (feed, wire) = try await feed(house)
    wire.set(.offline)
    try await feed.channel.dismiss(item.id)
    #expect(await feed.stop() == 1)
  }

  @Test("a change that comes too late is reported as undone")
  func tooLate() async throws {
    let house = try await FeedHouse()
    let item = try await house.publish("build ok", id: "build")
    let (feed, wire) = try await feed(house)
    let events = await feed.events()
    wire.set(.offline)
    try await feed.channel.dismiss(item.id)
    try await house.publish("disk full", id: "build")
    wire.set(.none)
    try await feed.exchange()
    let undone = await first(of: events) { event in
      if case .undone(let changes) = event { changes } else { nil }
    }
    #expect(undone?.map(\.notifications) == [[item.id]])
    #expect(undone?.map(\.reason) == [.superseded])
    #expect(try feed.channel.notification(item.id)?.placement == .tray)
    await feed.stop()
  }

  @Test("an undone change without a listener is reported at the next start, and not again")
  func unreportedRejections() async throws {
    let house = try await FeedHouse()
    let item = try await house.publish("build ok", id: "build")
    let cache = MemoryCache(
      identity: CacheIdentity(account: AccountName("alice"), newLineage: { Lineage("a") }))
    let parts = try await house.parts("a", cache: cache)
    let wire = try #require(parts.transport as? FaultyTransport)
    let deaf = UserDataFeed(parts)
    try await deaf.start()
    try await deaf.exchange()
    wire.set(.offline)
    try await deaf.channel.dismiss(item.id)
    try await house.publish("disk full", id: "build")
    wire.set(.none)
    try await deaf.exchange()
    #expect(await deaf.stop() == 0)
    #expect(try cache.unreportedRejections().map(\.result) == [.superseded])

    let next = UserDataFeed(try await house.parts("a", cache: cache))
    let events = await next.events()
    try await next.start()
    let undone = await first(of: events) { event in
      if case .undone(let changes) = event { changes } else { nil }
    }
    #expect(undone?.map(\.notifications) == [[item.id]])
    #expect(undone?.map(\.reason) == [.superseded])
    #expect(try cache.unreportedRejections() == [])
    await next.stop()
  }

  @Test("a registration that the store forgot is reported as expired, and renewed")
  func expired() async throws {
    let house = try await FeedHouse()
    let item = try await house.publish("one")
    let (feed, wire) = try await feed(house)
    #expect(await feed.registration == .registered)
    let events = await feed.events()
    wire.set(.refusing(.unknownDevice))
    try await feed.channel.read(item.id)
    func next() async -> RegistrationState? {
      await first(of: events) { event in
        if case .registration(let state) = event { state } else { nil }
      }
    }
    #expect(await next() == .expired)
    wire.set(.none)
    try await feed.exchange()
    #expect(await feed.registration == .registered)
    #expect(await feed.stop() == 0)
  }

  @Test("a registration that cannot be renewed in time is reported as expiring")
  func expiring() async throws {
    let house = try await FeedHouse()
    let (feed, wire) = try await feed(house) {
      $0.policy.registrationRenewal = .milliseconds(200)
    }
    let events = await feed.events()
    wire.set(.refusing(.timedOut))
    let state = await first(of: events) { event in
      if case .registration(let state) = event { state } else { nil }
    }
    #expect(state == .expiring)
    wire.set(.none)
    try await feed.exchange()
    await feed.stop()
  }

  @Test("an invalid cache file is set aside, and created again")
  func damaged() async throws {
    let folder = try KeptFolder()
    let path = folder.path + "/feed"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data("this is no database at all, not even nearly".utf8)
      .write(to: URL(filePath: path + "/cache.sqlite"))
    let account = FeedAccount(
      name: AccountName("alice"), url: "http://127.0.0.1:9", device: DeviceID("kit-test"),
      deviceName: "kit test", folder: path)
    let feed = try UserDataFeed(account) { _ in "blh_x" }
    try await feed.start()
    let reader = try feed.channel.makeReader(ReaderOptions(start: .beginning))
    #expect(try await reader.readBatch().changes == [])
    await feed.stop(within: .zero)
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(names.contains { $0.hasPrefix("cache.sqlite.damaged-") })
  }
}
