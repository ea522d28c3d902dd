import BellhopCache
import BellhopKit
import BellhopModel
import BellhopStore
import BellhopSync
import BellhopTestSupport
import BellhopWire
import Foundation
import Synchronization
import Testing

@Suite("A feed of notifications", .timeLimit(.minutes(30)))
struct FeedTests {
  @Test("a published item is read, and handling it in one feed reaches the other")
  func twoFeeds() async throws {
    let house = try await FeedHouse()
    let (a, b) = (
      UserDataFeed(try await house.parts("a")), UserDataFeed(try await house.parts("b"))
    )
    let (mine, theirs) = (try a.channel.makeReader(), try b.channel.makeReader())
    for feed in [a, b] { try await feed.start() }
    let item = try await house.publish("build failed")
    #expect(try await mine.words(1) == ["build failed"])
    #expect(try await theirs.words(1) == ["build failed"])

    try await a.channel.dismiss(item.id)
    #expect(try a.channel.notification(item.id)?.placement == .handled)
    let batch = try #require(try await theirs.nextBatch())
    guard case .active(let told) = try #require(batch.changes.first) else {
      Issue.record("a dismissed item is no deleted one")
      return
    }
    #expect(told.notification.state.userActionState.value == .dismissed)
    #expect(told.notification.state.userActionState.change?.by.name == "a")

    try await b.channel.restore(item.id)
    try await b.channel.read(item.id)
    try await b.exchange()
    try await a.exchange()
    #expect(try a.channel.notification(item.id)?.placement == .tray)
    try await a.channel.delete(item.id)
    #expect(try a.channel.notification(item.id)?.placement == .gone)
    await #expect(throws: FeedError.noSuchNotification) { try await a.channel.read(item.id) }
    var last: String?
    while last != "-1", let batch = try await theirs.nextBatch() { last = batch.changes.last?.word }
    #expect(last == "-1")
    for feed in [a, b] { #expect(await feed.stop() == 0) }
    // Streams and readers end with the feed.
    #expect(try await theirs.nextBatch() == nil)
  }

  @Test("a choice of an action of a category reaches the other feed, with its title and text")
  func choosing() async throws {
    let house = try await FeedHouse()
    let (a, b) = (
      UserDataFeed(try await house.parts("a")), UserDataFeed(try await house.parts("b"))
    )
    for feed in [a, b] { try await feed.start() }
    _ = try await house.service.register(
      Category(
        id: "question", actions: [.init(id: "why", title: "Why?", kind: .reply)]),
      ofApp: "ci", for: house.user)
    let item = try await house.publish("deploy?") { $0.extras.category = "question" }
    for feed in [a, b] { try await feed.exchange() }
    let action = try #require(try a.channel.actions(of: item.id).first)
    #expect(action.title == "Why?" && action.revision != nil)
    try await a.channel.choose(action, text: "no rush", of: item.id)
    for feed in [a, b] { try await feed.exchange() }
    let state = try b.channel.notification(item.id)?.notification.state
    #expect(state?.readState.value == .read && state?.userActionState.value == .activated)
    let choice = state?.userActionState.change?.choice
    #expect(choice == ActionChoice(id: "why", title: "Why?", text: "no rush"))
    for feed in [a, b] { #expect(await feed.stop() == 0) }
  }

  @Test("an app's authorization and badge reach a feed")
  func settings() async throws {
    let house = try await FeedHouse()
    let feed = UserDataFeed(try await house.parts("a"))
    try await feed.start()
    var change = AppSettingsChange()
    change.authorization = .provisional
    _ = try await house.service.configure(AppSettings.everyApp, change, for: house.user)
    _ = try await house.publish("deploy?") {
      $0.extras.badge = 3
      $0.extras.userInfo = ["build": .integer(412)]
    }
    try await feed.exchange()
    let settings = try feed.channel.settings(ofApp: "ci")
    #expect(settings.authorization == .provisional && settings.badge == 3)
    #expect(try feed.channel.settings(ofApp: "other").authorization == .authorized)
    #expect(await feed.stop() == 0)
  }

  @Test("where one feed's device is reaches the other feed, with the items that wait for it")
  func places() async throws {
    let house = try await FeedHouse()
    let (a, b) = (
      UserDataFeed(try await house.parts("a")), UserDataFeed(try await house.parts("b"))
    )
    for feed in [a, b] { try await feed.start() }
    var change = AppSettingsChange()
    change.places = ["office": .add]
    _ = try await house.service.configure(AppSettings.everyApp, change, for: house.user)
    var permission = AppSettingsChange()
    permission.usesPlaces = true
    _ = try await house.service.configure("ci", permission, for: house.user)
    let trigger = try Trigger(.place(PlaceCrossing(.entry, of: "office")), repeats: true)
    let item = try await house.publish("ask Ann") { $0.trigger = trigger }
    for feed in [a, b] { try await feed.exchange() }
    #expect(try b.channel.notification(item.id)?.placement == .scheduled)
    #expect(try b.channel.notification(item.id)?.nextDelivery == nil)
    house.time.advance(by: .seconds(60))
    try await a.channel.report(isInside: true, place: "gym")
    #expect(try a.channel.notification(item.id)?.placement == .scheduled)
    try await a.channel.report(isInside: true, place: "office")
    // At once on this device, and on the other one when it hears of it.
    #expect(try a.channel.notification(item.id)?.placement == .tray)
    for feed in [a, b] { try await feed.exchange() }
    #expect(try b.channel.notification(item.id)?.placement == .tray)
    #expect(try b.channel.places()["office"]?.devices.count == 1)
    for feed in [a, b] { #expect(await feed.stop() == 0) }
  }

  @Test("a reader continues from a stored position, also after a restart")
  func position() async throws {
    let house = try await FeedHouse()
    let cache = MemoryCache(
      identity: CacheIdentity(account: AccountName("alice"), newLineage: { Lineage("one") }))
    var kept: Data
    do {
      let feed = UserDataFeed(try await house.parts("a", cache: cache))
      let reader = try feed.channel.makeReader()
      try await feed.start()
      // A first synchronisation begins with the newest.
      try await feed.exchange()
      for title in ["one", "two", "three"] { try await house.publish(title) }
      try await feed.exchange()
      let batch = try await reader.readBatch(max: 2)
      #expect(batch.changes.map(\.word) == ["one", "two"])
      #expect(batch.hasMore)
      kept = try JSONEncoder().encode(batch.position)
      // Read but not finished: it comes again.
      #expect(try await reader.readBatch(max: 2).changes.count == 1)
      await feed.stop()
    }
    let position = try JSONDecoder().decode(ReaderPosition.self, from: kept)
    let feed = UserDataFeed(try await house.parts("a", cache: cache))
    let reader = try feed.channel.makeReader(at: position)
    try await feed.start()
    try await house.publish("four")
    #expect(try await reader.words(2) == ["three", "four"])
    await feed.stop()

    let other = UserDataFeed(try await house.parts("other"))
    let lost = try other.channel.makeReader(at: position)
    await #expect(throws: FeedError.positionElsewhere) { try await lost.readBatch() }
    try await lost.startOver()
    #expect(try await lost.readBatch().changes.isEmpty)
  }

  @Test("a reader gets the changes that its options select")
  func filters() async throws {
    let house = try await FeedHouse()
    let feed = UserDataFeed(try await house.parts("a"))
    try await feed.start()
    var items: [UserNotification] = []
    for number in 1...6 {
      items.append(try await house.publish("\(number)", app: number.isMultiple(of: 2) ? "a" : "b"))
    }
    try await feed.exchange()
    try await feed.channel.read(items[0].id)
    try await feed.channel.dismiss(items[1].id)
    try await feed.channel.delete(items[2].id)
    try await feed.exchange()
    func words(_ options: ReaderOptions) async throws -> [String] {
      let reader = try feed.channel.makeReader(options)
      var words: [String] = []
      var hasMore = true
      while hasMore {
        let batch = try await reader.readBatch(max: 2)
        words += batch.changes.map(\.word)
        hasMore = batch.hasMore
      }
      return words
    }
    let all = ReaderOptions(start: .beginning)
    #expect(Set(try await words(all)) == ["1", "2", "4", "5", "6"])
    #expect(try await words(ReaderOptions(start: .end)) == [])
    #expect(
      Set(try await words(ReaderOptions(start: .beginning, readStates: [.read]))) == ["1"])
    #expect(
      Set(try await words(ReaderOptions(start: .beginning, actionStates: [.dismissed]))) == ["2"])
    #expect(
      Set(try await words(ReaderOptions(start: .beginning, placements: [.tray], apps: ["a"])))
        == ["4", "6"])

    let deletions = try feed.channel.makeReader(ReaderOptions(statuses: [.deleted], apps: ["a"]))
    try await feed.channel.delete(items[3].id)
    try await feed.channel.delete(items[4].id)
    try await feed.channel.read(items[5].id)
    try await feed.exchange()
    #expect(try await deletions.readBatch().changes.map(\.word) == ["-4"])
    await feed.stop()
  }

  @Test("other messages are rejected as signals, and a signal completes when its changes are here")
  func signals() async throws {
    let house = try await FeedHouse()
    var parts = try await house.parts("a")
    // No stream of signals and hardly any polls: each arrival was fetched because of a signal.
    parts.policy = EnginePolicy(channel: .polling)
    parts.policy.pollFastest = .seconds(3600)
    let feed = UserDataFeed(parts)
    for text in ["", "{}", "{\"value\":[]}", "[1]", "{\"aps\":{\"alert\":\"hello\"}}"] {
      #expect(try await feed.process(text) == false, "\(text)")
    }
    await #expect(throws: FeedError.notRunning) {
      try await feed.process(Self.signal(1, Epoch("e")))
    }
    try await feed.start()
    try await feed.exchange()
    let reader = try feed.channel.makeReader()
    try await house.publish("one")
    let reached = try await house.service.position(of: house.user)
    let signal = Self.signal(reached.sequence.rawValue, reached.epoch)
    #expect(try await feed.process(signal))
    #expect(try await reader.readBatch().changes.map(\.word) == ["one"])
    // Sent again, as an event of the stream: the change is here already.
    #expect(try await feed.process("event: changed\ndata: \(signal)\n\n"))
    #expect(try await reader.readBatch().changes == [])

    try await house.publish("two")
    let hook = """
      {"value":[{"subscriptionId":"s","subscriptionExpirationDateTime":"2026-12-01T00:00:00Z",
       "changeType":"created","resource":"me/notifications/x","resourceData":{"id":"x"}}]}
      """
    #expect(try await feed.process(hook))
    #expect(try await reader.readBatch().changes.map(\.word) == ["two"])
    await feed.stop()
  }

  private static func signal(_ sequence: Int64, _ epoch: Epoch) -> String {
    "{\"epoch\":\"\(epoch)\",\"sequence\":\(sequence)}"
  }

  @Test(
    "beside another process that synchronises, a feed reads what it fetched, and can trigger it")
  func twoProcesses() async throws {
    let house = try await FeedHouse()
    let cache = MemoryCache(
      identity: CacheIdentity(account: AccountName("alice"), newLineage: { Lineage("one") }))
    let lock = house.folder.path + "/shared.lock"
    let engine = UserDataFeed(
      try await house.parts("a", cache: cache, lock: lock, nudges: true))
    let guest = UserDataFeed(
      try await house.parts("a", cache: cache, lock: lock, nudges: true))
    try await engine.start()
    try await engine.exchange()
    try await guest.start()
    let reader = try guest.channel.makeReader()
    let item = try await house.publish("one")
    #expect(try await reader.words(1) == ["one"])
    try await guest.channel.dismiss(item.id)
    house.time.advance(by: .seconds(1))
    try await guest.exchange()
    #expect(
      try await house.service.item(item.id, of: house.user).state.userActionState.value
        == .dismissed)
    // The engine ends, and the guest goes on by itself.
    await engine.stop()
    try await house.publish("two")
    var words: [String] = []
    while !words.contains("two") { words += try await reader.words(1) }
    await guest.stop()
  }

  @Test("after an exchange with a restored store, nothing is left of what it lost")
  func swept() async throws {
    let (before, after) = (try await FeedHouse(), try await FeedHouse(seed: 12))
    let cache = MemoryCache(
      identity: CacheIdentity(account: AccountName("alice"), newLineage: { Lineage("one") }))
    for number in 0..<1500 { try await before.publish("lost \(number)") }
    try await after.publish("kept")
    let first = UserDataFeed(try await before.parts("a", cache: cache))
    try await first.start()
    try await first.exchange()
    #expect(try cache.totals().tray.count == 1500)
    await first.stop()

    let second = UserDataFeed(try await after.parts("a", cache: cache))
    try await second.start()
    try await second.exchange()
    #expect(try cache.totals().tray.count == 1)
    #expect(try cache.rows(of: .history, .first, limit: 9).map(\.title) == ["kept"])
    await second.stop()
  }

  @Test("a first synchronisation stops at the requested days; a later update still arrives")
  func daysToSync() async throws {
    let house = try await FeedHouse()
    let day = Duration.seconds(86_400)
    let old = try await house.publish("old", id: "report")
    for number in 0..<600 { try await house.publish("older \(number)") }
    house.time.advance(by: day * 40)
    try await house.publish("new")
    var parts = try await house.parts("a")
    parts.daysToSync = 30
    let feed = UserDataFeed(parts)
    let reader = try feed.channel.makeReader()
    try await feed.start()
    try await feed.exchange()
    #expect(try await reader.readBatch().changes.map(\.word) == ["new"])

    // A change of state alone concerns no item that is here.
    let other = UserDataFeed(try await house.parts("b"))
    try await other.start()
    try await other.exchange()
    try await other.channel.read(old.id)
    try await other.exchange()
    #expect(await other.stop() == 0)
    try await feed.exchange()
    #expect(try await reader.readBatch().changes == [])
    try await house.publish("old, again", id: "report")
    try await feed.exchange()
    #expect(try await reader.readBatch().changes.map(\.word) == ["old, again"])
    await feed.stop()
  }

  @Test("a reader whose position is too old gets an error, and starts over")
  func tooOld() async throws {
    let house = try await FeedHouse()
    var identity = CacheIdentity(account: AccountName("alice"), newLineage: { Lineage("one") })
    identity.loggedChangesMax = 64
    let cache = MemoryCache(identity: identity)
    let feed = UserDataFeed(try await house.parts("a", cache: cache))
    let reader = try feed.channel.makeReader()
    try await feed.start()
    try await house.publish("first")
    try await feed.exchange()
    #expect(try await reader.readBatch().changes.map(\.word) == ["first"])
    for round in 0..<2 {
      for number in 0..<70 { try await house.publish("\(round) \(number)") }
      try await feed.exchange()
    }
    await #expect(throws: FeedError.positionTooOld) { try await reader.readBatch() }
    await #expect(throws: FeedError.positionTooOld) { try await reader.nextBatch() }
    try await reader.startOver(at: .beginning)
    #expect(try await reader.words(141).first == "first")
    await feed.stop()
  }

  @Test("registration and status are reported as they change")
  func states() async throws {
    let house = try await FeedHouse()
    let feed = UserDataFeed(try await house.parts("a"))
    #expect(await feed.registration == .unregistered)
    #expect(await feed.status == .connecting)
    let (registrations, statuses) = (await feed.events(), await feed.events())
    try await feed.start()
    let state = await first(of: registrations) { event in
      if case .registration(let state) = event { state } else { nil }
    }
    #expect(state == .registered)
    let isInStep = await first(of: statuses) { event in
      if case .status(.synchronized) = event { true } else { nil }
    }
    #expect(isInStep == true)
    await feed.stop()
    // A stream that is requested afterwards ends at once.
    var rest = await feed.events().makeAsyncIterator()
    #expect(await rest.next() == nil)
  }
}
