import BellhopCache
import BellhopKit
import BellhopModel
import BellhopStore
import BellhopSync
import BellhopTestSupport
import Testing

@Suite("Publications of a feed", .timeLimit(.minutes(30)))
struct FeedPublishingTests {
  /// A feed that is up to date with its store, and its transport.
  private func feed(_ house: FeedHouse) async throws -> (UserDataFeed, FaultyTransport) {
    let parts = try await house.parts("a")
    let wire = try #require(parts.transport as? FaultyTransport)
    let feed = UserDataFeed(parts)
    try await feed.start()
    try await feed.exchange()
    return (feed, wire)
  }

  private let content = Content(app: "home", visual: VisualContent(title: "water the plants"))

  @Test("an item is there without a connection, and keeps its id when it is sent")
  func offline() async throws {
    let house = try await FeedHouse()
    let (feed, wire) = try await feed(house)
    wire.set(.offline)
    let id = try await feed.channel.publish(content)
    let local = try #require(try feed.channel.notification(id))
    #expect(local.placement == .tray)
    #expect(local.isPending)
    #expect(local.notification.isLocal)
    try await feed.channel.dismiss(id)
    wire.set(.none)
    try await feed.exchange()
    let stored = try await house.service.item(id, of: house.user)
    #expect(stored.content == content)
    #expect(stored.state.userActionState.value == .dismissed)
    #expect(try feed.channel.notification(id)?.notification.shortNumber == 1)
    #expect(try feed.channel.notification(id)?.isPending == false)
    #expect(await feed.stop() == 0)
  }

  @Test("a refusal is reported with its reason")
  func refused() async throws {
    let house = try await FeedHouse()
    var denial = AppSettingsChange()
    denial.authorization = .denied
    _ = try await house.service.configure("home", denial, for: house.user)
    let (feed, _) = try await feed(house)
    let events = await feed.events()
    let id = try await feed.channel.publish(content)
    try await feed.exchange()
    let undone = await first(of: events) { event in
      if case .undone(let changes) = event { changes } else { nil }
    }
    #expect(undone?.map(\.notifications) == [[id]])
    #expect(
      undone?.map(\.reason)
        == [.notPublished("not allowed: the user does not accept notifications of this app")])
    #expect(try feed.channel.notification(id) == nil)
    await feed.stop()
  }
}
