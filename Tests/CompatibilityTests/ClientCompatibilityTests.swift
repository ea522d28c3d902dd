import BellhopCache
import BellhopClient
import BellhopModel
import BellhopServer
import BellhopSimulation
import BellhopSync
import BellhopTestSupport
import BellhopWire
import Foundation
import Testing

@Suite("A client of 0.1.0")
struct ClientCompatibilityTests {
  private let recording = Recording.first
  private let account = AccountName("home")

  private func cache(at path: String) throws -> SQLiteCache {
    try SQLiteCache(
      path: path, identity: CacheIdentity(account: account, newLineage: { Lineage("fixture") }))
  }

  private func rows(at path: String, of list: CacheList) throws -> [CachedRow] {
    try CacheReader(path: path, account: account).rows(of: list, .first, limit: 100)
  }

  /// Synchronises a cache once with the recorded store. Its clock stands at the recorded time.
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
          cache: cache, transport: transport, policy: EnginePolicy(channel: .polling),
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

  @Test("its cache opens in this version with all rows, and with what waits to be sent")
  func cacheOpens() throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/cache.sqlite"
      try recording.restoreDatabase("cache.sql", at: path)
      let cache = try cache(at: path)
      #expect(try cache.outboxCounts().waiting == 3)
      #expect(try rows(at: path, of: .everything).count >= 38)
      let found = try rows(at: path, of: .search("gruess"))
      #expect(found.map(\.title) == [] || found.map(\.title) == ["搜索 Grüße שלום"])
      #expect(try rows(at: path, of: .search("搜索")).map(\.title) == ["搜索 Grüße שלום"])
      while try cache.drainIndexQueue(limit: 100) {}
      let reader = try CacheReader(path: path, account: account)
      #expect(try reader.suggestion(for: "biuld")?.text == "build")
    }
  }

  @Test("this version sends what it left in its outbox, and gets what is new, from such a store")
  func goesOn() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/cache.sqlite"
    try recording.restoreDatabase("cache.sql", at: path)
    let exchange = try recording.exchange()
    let device = try #require(
      exchange.laptop.first { $0.request.path.hasSuffix("/operations") }?.request.path
        .split(separator: "/").dropLast().last)
    let store = RecordedStore(exchange.laptop)
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
  }

  @Test("this version synchronises for the first time with such a store")
  func firstSynchronisation() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/cache.sqlite"
    let exchange = try recording.exchange()
    let device = try #require(
      exchange.new.first { $0.request.method == "PATCH" }?.request.path.split(separator: "/").last)
    let cache = try cache(at: path)
    try await synchronise(
      cache, as: "new", with: RecordedStore(exchange.new), exchange,
      device: DeviceID(String(device)))
    #expect(numbers(try rows(at: path, of: .tray)) == Set(exchange.trayAfter.map(\.number)))
    let all = numbers(try rows(at: path, of: .everything))
    #expect(all.isSubset(of: Set(exchange.allAfter.map(\.number))) && all.count >= 40)
  }

  /// The documented file with the sign of a comment taken from every setting and table.
  private func filled(_ name: String) throws -> String {
    try recording.text(name).split(separator: "\n", omittingEmptySubsequences: false).map { line in
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
    let text = try filled("config.toml")
    let configuration = try Configuration(text: text, path: "config.toml")
    #expect(configuration.theme == "bellhop-light")
    #expect(configuration.keys["search"] == ["Ctrl-f"])
  }

  @Test("the configuration file of its store, with every key in use, is understood")
  func storeConfiguration() throws {
    let text = try filled("bellhopd.toml")
    let (_, problems) = StoreSettings.read(text, version: "0")
    #expect(problems.map(\.description) == [])
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
