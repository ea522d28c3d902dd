import BellhopCache
import BellhopInbox
import BellhopModel
import BellhopServer
import BellhopSettings
import BellhopSimulation
import BellhopTestSupport
import BellhopWire
import Foundation
import Testing

@testable import BellhopClient
@testable import BellhopSync

@Suite("A client of 0.1.0")
struct ClientCompatibilityTests {
  private let recording = Recording.first
  private let account = AccountName("home")

  private func cache(at path: String) throws -> SQLiteCache {
    try SQLiteCache(
      path: path,
      identity: CacheIdentity(
        account: account, form: Int64(WireForm.number), newLineage: { Lineage("fixture") }))
  }

  private func rows(at path: String, of list: CacheList) throws -> [CachedRow] {
    try CacheReader(path: path, account: account).rows(of: list, .first, limit: 100)
  }

  /// Synchronises a cache once with the recorded store, at the time of the recording.
  private func synchronise(
    _ cache: SQLiteCache, as name: String, with store: RecordedStore,
    _ exchange: RecordedExchange, device: DeviceID
  ) async throws {
    let token = try #require(exchange.tokens[name])
    let outcome = try await store.serve { port in
      let transport = try HTTPTransport(
        .init(url: "http://127.0.0.1:\(port)", device: device, deviceName: name),
        localTime: { exchange.time }, token: { token })
      let random = SharedRandom(seed: 7)
      let engine = SyncEngine(
        EngineParts(
          cache: cache, transport: RecordedClock(base: transport),
          policy: EnginePolicy(channel: .polling),
          clock: ContinuousClock(), localTime: { exchange.time }, random: { random.unit() },
          newLineage: { Lineage("fixture-\(random.word())") }))
      let outcome = await engine.runOnce(within: patience)
      await transport.shutdown()
      return outcome
    }
    #expect(outcome == .upToDate)
    #expect(store.unknown == [])
  }

  private func numbers(_ rows: [CachedRow]) -> Set<Int64> { Set(rows.map(\.shortNumber)) }

  @Test("its cache opens in this version with all rows, and with its unsent operations")
  func cacheOpens() throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/cache.sqlite"
      try recording.restoreDatabase("cache.sql", at: path)
      let cache = try cache(at: path)
      #expect(try cache.outboxCounts().waiting == 3)
      #expect(try rows(at: path, of: .history).count >= 38)
      for words in ["搜索", "grüße", "gruss", "שלום"] {
        #expect(
          try rows(at: path, of: .search(words)).map(\.title) == ["搜索 Grüße שלום"], "\(words)")
      }
      while try cache.drainIndexQueue(limit: 100) {}
      let reader = try CacheReader(path: path, account: account)
      #expect(try reader.suggestion(for: "biuld")?.text == "build")
    }
  }

  @Test("everything is read again once, for members that it ignored")
  func readsAgain() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/cache.sqlite"
    try recording.restoreDatabase("cache.sql", at: path)
    // Its schema is migrated, and its items are left as they are.
    _ = try SQLiteCache(
      path: path, identity: CacheIdentity(account: account, newLineage: { Lineage("fixture") }))
    let before = numbers(try rows(at: path, of: .history))
    let cache = try cache(at: path)
    #expect(try cache.syncState().firstSync?.isInitial == false)
    #expect(try cache.syncState().token == nil)
    #expect(numbers(try rows(at: path, of: .history)) == before, "they stay here until then")
    let generation = try cache.syncState().generation
    #expect(try self.cache(at: path).syncState().generation == generation, "begun once")
  }

  @Test("this version sends its outbox to such a store, and receives what is new")
  func goesOn() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/cache.sqlite"
    try recording.restoreDatabase("cache.sql", at: path)
    let exchange = try recording.exchange()
    let device = try #require(
      exchange.laptop.first { $0.request.path.hasSuffix("/operations") }?.request.path
        .split(separator: "/").dropLast().last)
    // It reads everything again, as a new client does.
    let store = RecordedStore(exchange.new + exchange.laptop)
    let cache = try cache(at: path)
    try await synchronise(
      cache, as: "laptop", with: store, exchange, device: DeviceID(String(device)))
    let counts = try cache.outboxCounts()
    #expect(counts == OutboxCounts(held: 0, waiting: 0, settling: 0))
    let sent = store.bodies("POST", "/v1.0/me/devices/\(device)/operations")
    #expect(sent.first?.contains("dismissed") == true)
    #expect(numbers(try rows(at: path, of: .tray)) == Set(exchange.trayAfter.map(\.number)))
    let outcomes = try CacheReader(path: path, account: account).outcomes(of: nil, limit: 10)
    #expect(outcomes.isEmpty)
    #expect(try self.cache(at: path).syncState().firstSync == nil, "it was read again once")
  }

  /// Synchronises a new cache with the store of some turns, and returns its folder.
  private func synchroniseNew(
    with store: RecordedStore, _ exchange: RecordedExchange
  ) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try await synchronise(
      cache(at: folder.path + "/cache.sqlite"), as: "new", with: store, exchange,
      device: try newDevice(exchange))
    return folder
  }

  private func newDevice(_ exchange: RecordedExchange) throws -> DeviceID {
    let patch = try #require(exchange.new.first { $0.request.method == "PATCH" })
    return DeviceID(String(try #require(patch.request.path.split(separator: "/").last)))
  }

  @Test(
    "this version makes a first synchronisation with such a store, in one page and in several",
    arguments: [\RecordedExchange.new, \RecordedExchange.pages])
  func firstSynchronisation(
    _ turns: any KeyPath<RecordedExchange, [RecordedExchange.Turn]> & Sendable
  ) async throws {
    let exchange = try recording.exchange()
    let store = RecordedStore(exchange[keyPath: turns])
    let folder = try await synchroniseNew(with: store, exchange)
    defer { folder.remove() }
    let path = folder.path + "/cache.sqlite"
    #expect(numbers(try rows(at: path, of: .tray)) == Set(exchange.trayAfter.map(\.number)))
    let all = numbers(try rows(at: path, of: .history))
    #expect(all.isSubset(of: Set(exchange.allAfter.map(\.number))) && all.count >= 40)
    // Each page was fetched once.
    let pages = exchange[keyPath: turns].map(\.request.path).filter { path in
      path.hasSuffix("/delta") || path.contains("$skiptoken")
    }
    for page in pages { #expect(store.bodies("GET", page).count == 1, "\(page)") }
  }

  @Test("this version applies the changes in a signal of such a store")
  func signalled() async throws {
    let exchange = try recording.exchange()
    let folder = try await synchroniseNew(with: RecordedStore(exchange.new), exchange)
    defer { folder.remove() }
    let path = folder.path + "/cache.sqlite"
    let before = numbers(try rows(at: path, of: .tray))
    let (cache, device) = (try cache(at: path), try newDevice(exchange))
    let state = try cache.syncState()
    let token = try #require(exchange.tokens["new"])
    let store = RecordedStore(exchange.signals)
    try await store.serve { port in
      let transport = try HTTPTransport(
        .init(url: "http://127.0.0.1:\(port)", device: device, deviceName: "new"),
        localTime: { exchange.time }, token: { token })
      var events: [SignalEvent] = []
      for try await event in transport.signals() { events.append(event) }
      let epoch = try #require(state.epoch)
      #expect(events.prefix(2) == [.opened, .changed(epoch, state.sequence)])
      guard case .changed(epoch, let sequence, let enclosed?) = events.last else {
        Issue.record("\(events)")
        return await transport.shutdown()
      }
      #expect(events.count == 3)
      #expect(sequence.rawValue == state.sequence.rawValue + 1 && enclosed.since == state.token)
      let request = ChangeChunk.Request.delta(since: enclosed.since)
      for chunk in enclosed.answer.chunks(for: request, generation: state.generation) {
        _ = try cache.apply(chunk, now: exchange.time)
      }
      let end = try #require(try cache.syncState().token)
      #expect(try await transport.pull(.delta(since: end)).changes == [])
      await transport.shutdown()
    }
    let new = try rows(at: path, of: .tray).filter { !before.contains($0.shortNumber) }
    #expect(new.map(\.title) == ["Signalled"])
    #expect(store.unknown == [])
  }

  @Test("the recorded store refuses parameters that 0.1.0 did not know")
  func unknownParameters() throws {
    let delta = "/v1.0/me/notifications/delta"
    let refusal = try #require(RecordedStore.refusal("GET", delta + "?$deltatoken=a&%24since=1"))
    #expect(refusal.status == 400)
    let error = try JSONValue(parsing: Array(refusal.body.utf8))["error"]
    #expect(error?["code"]?.text == "notSupported")
    #expect(
      error?["message"]?.text
        == "The parameter $since is not one of this address; there are: $deltatoken, $skiptoken.")
    #expect(RecordedStore.refusal("GET", delta + "?$skiptoken=a&since=1") == nil)
    #expect(RecordedStore.refusal("GET", "/v1.0/me/notifications/signal?$x=1") == nil)
    #expect(RecordedStore.refusal("GET", "/v1.0/me/notifications?$skip=1")?.status == 400)
    #expect(RecordedStore.refusal("GET", "/v1.0/me/notifications/12?$select=payload") == nil)
  }

  private func context(_ directories: Directories) throws -> ClientContext {
    for folder in [directories.config, directories.state] { try Directories.make(folder) }
    return try ClientContext(
      directories: directories, environment: [:], account: nil, usesPolling: nil)
  }

  @Test("its saved views are read, written as they were, and kept beside new ones")
  func views() throws {
    try TemporaryFolder.with { folder in
      let directories = Directories(root: folder)
      let context = try context(directories)
      let path = directories.config + "/views.toml"
      let old = try recording.text("views.toml")
      try PrivateFile.write(old, to: path)
      let views = [
        SavedView(
          name: "failed builds", filter: "app:ci prio:>=high \"unit tests\"", list: .history,
          isOwn: true),
        SavedView(name: "größer als \\ \"alles\"", filter: "is:unread -app:mail*", isOwn: true),
        SavedView(name: "tomorrow", filter: "group:main", list: .later, isOwn: true),
      ]
      let loaded = SavedViewsFile(context).load()
      #expect(loaded.views == views && loaded.findings == [])
      // Written without a key of this version, the file has the bytes of 0.1.0.
      try SavedViewsFile(context).keep(views)
      #expect(try PrivateFile.read(path, isSecret: false) == old)
      let new = SavedView(name: "new", filter: "is:unread", order: .level, isOwn: true)
      try SavedViewsFile(context).keep([new])
      #expect(SavedViewsFile(context).load().views == views + [new])
      #expect(try PrivateFile.read(path, isSecret: false)?.hasPrefix(old) == true)
    }
  }

  @Test("its pane sizes are read, written as they were, and kept beside new lines")
  func screenMemory() throws {
    try TemporaryFolder.with { folder in
      let directories = Directories(root: folder)
      let memory = ScreenMemory(try context(directories))
      let path = directories.state + "/screen.toml"
      let old = try recording.text("screen.toml")
      try PrivateFile.write(old, to: path)
      let splits = Splits(listShare: 611, lowerShare: 90, previewRows: 12)
      #expect(memory.load().splits == splits && memory.load().problem == nil)
      try memory.keep(splits)
      #expect(try PrivateFile.read(path, isSecret: false) == old)
      try memory.keep(ListOrders(history: .app))
      #expect(memory.load().splits == splits && memory.load().problem == nil)
      #expect(try PrivateFile.read(path, isSecret: false)?.hasPrefix(old) == true)
    }
  }

  @Test("its engine's status file is read, and continued by this version")
  func engineNote() throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/engine-status.json"
      try PrivateFile.write(try recording.text("engine-status.json"), to: path)
      let note = try #require(EngineReport.read(path))
      let written = try #require(Timestamp("2026-11-23T22:51:36.391Z"))
      #expect(note == EngineReport(connection: .polling(every: .zero), written: written))
      // The file is unchanged as long as the status is.
      let book = EngineReportWriter(path: path, now: { written.advanced(by: .seconds(60)) })
      book.take(EngineStatus(connection: .polling(every: .seconds(30))))
      #expect(EngineReport.read(path) == note)
      book.take(EngineStatus(connection: .offline(since: written), problem: "no route"))
      #expect(EngineReport.read(path)?.connection == .offline(since: written))
      #expect(EngineReport.read(path)?.problem == "no route")
    }
  }

  /// A documented file with every setting and table uncommented.
  static func uncommented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let setting = line.dropFirst(2)
      let name = setting.prefix { $0 != " " }
      let isSetting =
        line.hasPrefix("# ") && setting.dropFirst(name.count).hasPrefix(" = ")
        && name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }
      return String(isSetting || line.hasPrefix("# [") ? setting : line)
    }.joined(separator: "\n")
  }

  @Test("its configuration file, with every key in use, is understood")
  func clientConfiguration() throws {
    let text = Self.uncommented(try recording.text("config.toml"))
    let configuration = try Configuration(text: text, path: "config.toml")
    #expect(configuration.theme == "bellhop-light")
    #expect(configuration.keys["search"] == ["Ctrl-f"])
  }

  @Test("the configuration file of its store, with every key in use, is understood")
  func storeConfiguration() throws {
    let text = Self.uncommented(try recording.text("bellhopd.toml"))
    let (_, findings) = StoreSettings.read(text, version: "0")
    #expect(findings.map(\.words) == [])
    #expect(text.contains("\noperation-life = "))
  }

  @Test("the files of its account are understood")
  func accountFiles() throws {
    try TemporaryFolder.with { folder in
      let directories = Directories(root: folder)
      let files = directories.account(account)
      try FileManager.default.createDirectory(
        atPath: files, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try Data(try recording.text("account.json").utf8)
        .write(to: URL(filePath: files + "/account.json"))
      let accounts = try Accounts(directories: directories).all()
      #expect(accounts.map(\.name) == [account])
      #expect(accounts.first?.deviceName == "laptop")
    }
  }
}
