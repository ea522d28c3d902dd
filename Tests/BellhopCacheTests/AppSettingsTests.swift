import BellhopModel
import Testing

@testable import BellhopCache

@Suite("App settings in the cache")
struct AppSettingsTests {
  private func settings(
    _ app: String, _ sequence: Int64, mute: Mute = .off, name: String? = nil
  ) -> AppSettings {
    AppSettings(
      app: app, sequence: SequenceNumber(sequence), displayName: name, mute: mute)
  }

  @Test(
    "settings are kept, and a row that is not newer changes nothing",
    arguments: CacheKind.allCases)
  func sequences(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let outcome = try cache.pull([
      .app(settings("nas", 4, name: "NAS")), .app(settings("ci", 5, mute: .forever)),
    ])
    #expect(outcome.changedApps == ["nas", "ci"])
    #expect(try cache.reader.appSettings().map(\.app) == ["ci", "nas"])
    #expect(try cache.reader.appSettings(of: "nas")?.name == "NAS")
    #expect(try cache.reader.appSettings(of: "mail") == nil)
    let late = try cache.pull([.app(settings("nas", 3, name: "late"))])
    #expect(late.changedApps.isEmpty)
    #expect(try cache.reader.appSettings(of: "nas")?.name == "NAS")
    _ = try cache.pull([.app(settings("nas", 9))])
    #expect(try cache.reader.appSettings(of: "nas")?.name == "nas")
  }

  @Test("an app's last-seen time is the arrival of its newest item", arguments: CacheKind.allCases)
  func lastSeen(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let (first, later) = (CacheFixture.start, CacheFixture.start.advanced(by: .seconds(90)))
    _ = try cache.pull([
      .item(makeItem(1, app: "ci", arrival: first)),
      .item(makeItem(2, app: "ci", arrival: later)),
      .item(makeItem(3, app: "nas", arrival: first)),
    ])
    #expect(try cache.reader.lastArrivals() == ["ci": later, "nas": first])
    let hour = first.milliseconds / 3_600_000
    #expect(try cache.reader.countsByApp(hour..<(hour + 1)) == ["ci": 2, "nas": 1])
    #expect(try cache.reader.countsByApp((hour - 5)..<hour) == [:])
  }

  @Test("deleting an app's items does not change when the app was last seen")
  func lastSeenAfterDelete() throws {
    let cache = try CacheFixture(.sqlite)
    let later = CacheFixture.start.advanced(by: .seconds(90))
    _ = try cache.pull([
      .item(makeItem(1, app: "ci")),
      .item(makeItem(2, app: "ci", arrival: later)),
    ])
    _ = try cache.pull([.removed(itemID(2), sequence: SequenceNumber(3))])
    #expect(try cache.reader.lastArrivals() == ["ci": later])
  }

  @Test(
    "a rebuild replaces settings, even with lower sequences, and removes missing ones",
    arguments: CacheKind.allCases)
  func rebuild(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    _ = try cache.pull([.app(settings("nas", 40, name: "old")), .app(settings("ci", 41))])
    let state = try cache.storage.beginRebuild(epoch: Epoch("other"))
    #expect(try cache.reader.appSettings().count == 2, "known until the rebuild ends")
    for chunk in ChangeChunk.chunks(
      of: [.app(settings("nas", 2, name: "new"))], request: .page(nil),
      generation: state.generation,
      end: .page(next: nil, start: CacheFixture.token, startSequence: SequenceNumber(2)))
    {
      _ = try cache.storage.apply(chunk, now: CacheFixture.start)
    }
    #expect(try cache.reader.appSettings(of: "nas")?.name == "new")
    _ = try cache.pull([])
    #expect(try cache.reader.appSettings() == [settings("nas", 2, name: "new")])
  }

  @Test(
    "an item from a muted app is in the tray and does not ring, now or later",
    arguments: CacheKind.allCases)
  func mute(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let end = CacheFixture.start.advanced(by: .seconds(600))
    let quiet = try cache.pull(
      [
        .app(settings("ci", 1, mute: .until(end))), .item(makeItem(2, "muted")),
        .item(makeItem(3, "other", app: "nas")),
      ])
    #expect(quiet.arrivals.map(\.id) == [itemID(3)])
    #expect(try cache.titles(.tray) == ["other", "muted"])
    #expect(
      try cache.storage.claimTrayAnnouncements(limit: 10).map(\.id) == [itemID(3)])
    let loud = try cache.pull([.item(makeItem(4, "loud"))], now: end)
    #expect(loud.arrivals.map(\.id) == [itemID(4)])
  }

  @Test(
    "a scheduled item of a muted app is delivered silently",
    arguments: CacheKind.allCases)
  func scheduled(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let delivery = CacheFixture.start.advanced(by: .seconds(3600))
    let item = makeItem(2, arrival: delivery) { $0.content.deliverAt = delivery }
    _ = try cache.pull([.item(item), .app(settings("ci", 3, mute: .forever))])
    let outcome = try cache.storage.moveDueItems(now: delivery, limit: 10)
    #expect(outcome.changed == [itemID(2)])
    #expect(outcome.arrivals.isEmpty)
    #expect(try cache.storage.claimTrayAnnouncements(limit: 10).isEmpty)
  }

  @Test("a cache from before app settings existed rebuilds base and keeps its outbox")
  func migration() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    do {
      let fixture = try SQLiteCache(path: path, identity: CacheFixture.identity())
      let state = try fixture.syncState()
      let page = ChangeChunk(
        request: .page(nil), generation: state.generation, changes: [.item(makeItem(1))],
        end: .page(next: nil, start: CacheFixture.token, startSequence: SequenceNumber(1)))
      _ = try fixture.apply(page, now: CacheFixture.start)
      let delta = ChangeChunk(
        request: .delta(since: CacheFixture.token), generation: state.generation, changes: [],
        end: .delta(DeltaToken("t1"), at: SequenceNumber(1), isCaughtUp: true))
      _ = try fixture.apply(delta, now: CacheFixture.start)
      _ = try fixture.enqueue(
        [makeOperation(1, .read, on: 1)], now: CacheFixture.start, sealAfter: nil)
    }
    try takeBack(path, toMigrations: 1)
    let cache = try SQLiteCache(path: path, identity: CacheFixture.identity())
    let state = try cache.syncState()
    #expect(state.generation == 2)
    #expect(state.token == nil)
    #expect(state.firstSync == FirstSync(isInitial: false))
    #expect(try cache.outboxCounts().waiting == 1)
    let reader = try CacheReader(path: path, account: CacheFixture.account)
    #expect(try reader.totals().tray.count == 1)
    #expect(try reader.appSettings().isEmpty)
  }
}
