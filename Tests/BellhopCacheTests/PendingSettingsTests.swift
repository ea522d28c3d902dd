import BellhopCache
import BellhopModel
import Testing

@Suite("Pending settings in the outbox")
struct PendingSettingsTests {
  private let now = CacheFixture.start

  private func configure(
    _ number: Int64, _ app: String, _ adjust: (inout AppSettingsChange) -> Void
  ) -> BellhopModel.Operation {
    var change = AppSettingsChange()
    adjust(&change)
    return BellhopModel.Operation(
      id: operationID(number), target: .app(app), mutation: .configure(change))
  }

  @Test(
    "they are shown at once over what the store sent, until base has them",
    arguments: CacheKind.allCases)
  func overlay(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let known = AppSettings(app: "ci", sequence: SequenceNumber(4), displayName: "CI")
    _ = try cache.pull([.app(known)])
    let touched = try cache.storage.enqueue(
      [
        configure(1, "ci") { $0.mute = .forever },
        configure(2, "nas") { $0.displayName = .set("N") },
        configure(3, "nas") { $0.displayName = .set("NAS") },
      ], now: now, sealAfter: nil)
    #expect(touched.isEmpty)
    #expect(
      try cache.reader.appSettings() == [
        AppSettings(app: "ci", sequence: SequenceNumber(4), displayName: "CI", mute: .forever),
        AppSettings(app: "nas", displayName: "NAS"),
      ])
    #expect(try cache.reader.appSettings(of: "nas")?.name == "NAS")
    #expect(try cache.reader.appsWithPendingSettings() == ["ci", "nas"])
    #expect(try cache.reader.displayNames() == ["ci": "CI", "nas": "NAS"])
    #expect(try cache.storage.outboxCounts().waiting == 3)

    // Base has not reached the answer's sequence yet: still shown.
    let answers = (1...3).map { OperationAnswer(id: operationID($0), result: .applied) }
    _ = try cache.storage.acknowledge(answers, sequence: SequenceNumber(7), now: now)
    #expect(try cache.reader.appSettings(of: "ci")?.mute == .forever)
    // Another device switched it off again after that.
    let outcome = try cache.pull(
      [
        .app(AppSettings(app: "nas", sequence: SequenceNumber(7), displayName: "NAS")),
        .app(AppSettings(app: "ci", sequence: SequenceNumber(8), displayName: "CI")),
      ])
    #expect(Set(outcome.finished) == Set((1...3).map { operationID($0) }))
    #expect(try cache.reader.appSettings(of: "ci")?.mute == .off)
    #expect(try cache.reader.appsWithPendingSettings().isEmpty)
    #expect(try cache.reader.displayNames() == ["ci": "CI", "nas": "NAS"])
  }

  @Test(
    "rejected settings are no longer shown, and are reported",
    arguments: CacheKind.allCases)
  func rejection(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = configure(1, "ci") { $0.aliases = ["builds"] }
    _ = try cache.storage.enqueue([operation], now: now, sealAfter: nil)
    #expect(try cache.reader.appSettings(of: "ci")?.aliases == ["builds"])
    let outcome = try cache.storage.acknowledge(
      [OperationAnswer(id: operation.id, result: .unacceptable(.aliasTaken))],
      sequence: SequenceNumber(1), now: now)
    #expect(
      outcome.rejected == [
        RejectedOperation(operation: operation, result: .unacceptable(.aliasTaken))
      ])
    #expect(try cache.reader.appSettings().isEmpty)
  }

  @Test("a rebuild of base leaves them pending and shown", arguments: CacheKind.allCases)
  func rebuild(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    _ = try cache.pull([.app(AppSettings(app: "ci", sequence: SequenceNumber(40)))])
    let operation = configure(1, "ci") { $0.mute = .forever }
    _ = try cache.storage.enqueue([operation], now: now, sealAfter: nil)
    _ = try cache.storage.beginRebuild(epoch: Epoch("other"))
    try cache.endFirstSync()
    #expect(try cache.reader.appSettings() == [AppSettings(app: "ci", mute: .forever)])
    #expect(try cache.storage.sealedBatch(limit: 9).operations.map(\.operation) == [operation])
  }

  @Test("a mute silences arrivals before the store has it", arguments: CacheKind.allCases)
  func mute(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = configure(1, "ci") { $0.mute = .forever }
    _ = try cache.storage.enqueue([operation], now: now, sealAfter: nil)
    #expect(try cache.pull([.item(makeItem(2))]).arrivals.isEmpty)
    #expect(try cache.titles(.tray) == ["item 2"])
  }

  @Test(
    "items that arrive in quiet hours are in the tray and do not ring, now or afterwards",
    arguments: CacheKind.allCases)
  func quietHours(kind: CacheKind) throws {
    // Two hours east of UTC.
    let wallClock = WallClock { _, zone in zone == nil ? 7200 : nil }
    let cache = try CacheFixture(kind, wallClock: wallClock)
    let minute = wallClock.reading(at: now).time.minutes
    let from = try #require(LocalTime(minutes: (minute + 1430) % 1440))
    let to = try #require(LocalTime(minutes: (minute + 10) % 1440))
    let settings = AppSettings(
      app: "ci", sequence: SequenceNumber(1), quietHours: QuietHours(from: from, to: to))
    let quiet = try cache.pull([
      .app(settings), .item(makeItem(2, "quiet")), .item(makeItem(3, "other", app: "nas")),
    ])
    #expect(quiet.arrivals.map(\.id) == [itemID(3)])
    #expect(try cache.titles(.tray) == ["other", "quiet"])
    let later = now.advanced(by: .seconds(600))
    let loud = try cache.pull([.item(makeItem(4, "loud"))], now: later)
    #expect(loud.arrivals.map(\.id) == [itemID(4)])
    #expect(
      Set(try cache.storage.claimTrayAnnouncements(limit: 10).map(\.id)) == [itemID(3), itemID(4)])
  }

  @Test("an app that may neither show nor sound does not ring", arguments: CacheKind.allCases)
  func permissions(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let nothing = AppSettings(
      app: "ci", sequence: SequenceNumber(1),
      permissions: AppPermissions(alert: false, sound: false))
    let noSound = AppSettings(
      app: "nas", sequence: SequenceNumber(2), permissions: AppPermissions(sound: false))
    let outcome = try cache.pull([
      .app(nothing), .app(noSound), .item(makeItem(3)), .item(makeItem(4, app: "nas")),
    ])
    #expect(outcome.arrivals.map(\.id) == [itemID(4)])
  }

  @Test("they are rescued from a damaged cache with the rest of the outbox")
  func salvage() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    let operation = configure(1, "ci") { $0.retentionDays = .set(9) }
    do {
      let cache = try SQLiteCache(path: path, identity: CacheFixture.identity())
      _ = try cache.enqueue([operation], now: now, sealAfter: nil)
    }
    let report = try SQLiteCache.salvage(at: path, identity: CacheFixture.identity(), now: now)
    #expect(report.rescuedCount == 1 && report.isComplete)
    let reader = try CacheReader(path: path, account: CacheFixture.account)
    #expect(try reader.appSettings(of: "ci")?.retentionDays == 9)
  }

  @Test("an outbox from before settings existed is kept, and accepts them")
  func migration() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    do {
      let cache = try SQLiteCache(path: path, identity: CacheFixture.identity())
      _ = try cache.enqueue([makeOperation(1, .read, on: 1)], now: now, sealAfter: nil)
    }
    try takeBack(path, toMigrations: 2)
    let cache = try SQLiteCache(path: path, identity: CacheFixture.identity())
    _ = try cache.enqueue([configure(2, "ci") { $0.sound = false }], now: now, sealAfter: nil)
    #expect(
      try cache.sealedBatch(limit: 9).operations.map(\.operation.id)
        == [operationID(1), operationID(2)])
    let reader = try CacheReader(path: path, account: CacheFixture.account)
    #expect(try reader.appSettings(of: "ci")?.permissions == AppPermissions(sound: false))
  }
}
