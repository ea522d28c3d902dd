import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopSimulation
import BellhopStore
import BellhopStoreMemory
import BellhopSync
import BellhopTestSupport
import Testing

/// The actor itself over the real store service, without a network.
@Suite(.timeLimit(.minutes(10))) struct SyncEngineTests {
  /// A store and its user.
  struct House {
    let service: StoreService
    let user: UserID
    let clock = ManualClock()
    let time = WorldClock()
    let random = SharedRandom(seed: 4)

    init() async throws {
      let (time, random) = (time, random)
      service = try await StoreService.open(
        .starting, on: MemoryBackend(),
        environment: StoreEnvironment(now: { time.now }, random: { random.word() }))
      user = try await service.addUser(named: "alice").id
    }

    func client(
      _ name: String, policy: EnginePolicy = EnginePolicy(),
      wakes: (@Sendable () -> AsyncStream<Void>)? = nil
    ) async throws -> Client {
      let transport = FaultyTransport(
        try await InProcessTransport(service: service, user: user, device: DeviceID(name)))
      let cache = MemoryCache(
        identity: CacheIdentity(account: AccountName("alice"), newLineage: { Lineage(name) }))
      let (time, random) = (time, random)
      let engine = SyncEngine(
        EngineParts(
          cache: cache, transport: transport, policy: policy, clock: clock,
          localTime: { time.now }, random: { random.unit() },
          newLineage: { Lineage("\(name)-\(random.word())") }, announces: true, wakes: wakes))
      return Client(
        name: name, cache: cache, transport: transport, engine: engine, time: time, clock: clock)
    }

    func publish(_ title: String, id: String? = nil) async throws -> UserNotification {
      let content = Content(
        app: "ci", appNotificationID: id, visual: VisualContent(title: title))
      return try await service.publish(PublishRequest(content), for: user).item
    }
  }

  /// One client with its cache.
  struct Client {
    let name: String
    let cache: MemoryCache
    let transport: FaultyTransport
    let engine: SyncEngine
    let time: WorldClock
    let clock: ManualClock

    func tray() throws -> [String] {
      try cache.rows(of: .tray, .first, limit: 100).map(\.title)
    }

    func perform(
      _ command: ItemCommand, on item: UserNotification, number: UInt64, sealAfter: Duration? = nil
    ) async throws {
      let shown = try #require(try cache.item(item.id)).notification
      let operation = Operation(
        id: OperationID(high: 0x7000, low: number), target: .item(item.id),
        mutation: command.mutation, seen: shown.state.contentSequence)
      _ = try cache.enqueue([operation], now: time.now, sealAfter: sealAfter)
      await engine.outboxChanged()
    }
  }

  /// Exchanges everything, with retries.
  ///
  /// A request that was in progress when the network came back still fails, and its round with it.
  func exchanges(_ client: Client) async throws {
    try await eventually("a round of \(client.name) that succeeds") {
      await client.engine.syncNow(within: .seconds(86_400)) == .upToDate
    }
  }

  /// Lets short waits pass, such as the one between two pulls, but none longer than `longest`.
  static func tick(_ clock: ManualClock, longest: Duration = .seconds(1)) async {
    await repeatUntilCancelled {
      if let next = clock.untilNextWake, next <= longest { clock.advance(by: next) }
    }
  }

  /// Runs the engines during `body`, then stops them. Waits up to `longest` pass at once.
  func running(
    _ clients: [Client], longest: Duration = .seconds(1), _ body: () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in clients { group.addTask { await client.engine.run() } }
      group.addTask { await Self.tick(clients[0].clock, longest: longest) }
      try await body()
      group.cancelAll()
    }
  }

  @Test(
    "a published item arrives at two clients, and dismissing it on one removes it from the other")
  func publishAndDismiss() async throws {
    let house = try await House()
    let (a, b) = (try await house.client("a"), try await house.client("b"))
    try await running([a, b]) {
      try await eventually("both live") {
        let first = await a.engine.status.connection
        let second = await b.engine.status.connection
        return first == .live && second == .live
      }
      let item = try await house.publish("Backup finished")
      try await eventually("the item in both trays") {
        try a.tray() == ["Backup finished"] && b.tray() == ["Backup finished"]
      }
      try await a.perform(.dismiss, on: item, number: 1)
      #expect(try a.tray().isEmpty)
      try await eventually("the item gone from b") { try b.tray().isEmpty }
      let register = try #require(try b.cache.item(item.id)).notification.state.userActionState
      #expect(register.value == .dismissed)
      #expect(register.change?.by.id == "a")
      try await eventually("nothing waiting") { try a.cache.outboxCounts().unsent == 0 }
    }
  }

  @Test("each page of a first synchronisation is requested once, even when requested ahead")
  func pagesAhead() async throws {
    let house = try await House()
    for number in 1...2_600 { _ = try await house.publish("Item \(number)") }
    let client = try await house.client("a", policy: .polling)
    try await running([client]) { try await exchanges(client) }
    let pages = client.transport.pulls.filter { if case .page = $0 { true } else { false } }
    #expect(pages.count == 6 && Set(pages).count == pages.count, "\(pages)")
    #expect(try client.cache.rows(of: .history, .first, limit: 3_000).count == 2_600)
  }

  @Test("a client sends a request as soon as the machine wakes, without a timer that is due")
  func wakes() async throws {
    let house = try await House()
    let (wakes, continuation) = AsyncStream<Void>.makeStream()
    let client = try await house.client("a", policy: .polling, wakes: { wakes })
    // No wait as long as one between two polls passes by itself.
    try await running([client]) {
      try await eventually("a first exchange") { await client.engine.status.lastSync != nil }
      _ = try await house.publish("While it slept")
      continuation.yield()
      try await eventually("the item in the tray") {
        try client.tray() == ["While it slept"]
      }
      #expect(client.transport.reconnections == 1)
    }
  }

  @Test("connections are closed when an answer does not come in time")
  func deadConnections() async throws {
    let house = try await House()
    let client = try await house.client("a", policy: .polling)
    try await running([client]) {
      try await exchanges(client)
      #expect(client.transport.reconnections == 0)
      client.transport.set(.refusing(.timedOut))
      await client.engine.resume()
      try await eventually("an answer that does not come") {
        client.transport.reconnections > 0
      }
      client.transport.set(.none)
      try await exchanges(client)
    }
  }

  @Test("changes made offline are kept, and both clients converge")
  func offlineChanges() async throws {
    let house = try await House()
    let (a, b) = (try await house.client("a"), try await house.client("b"))
    try await running([a, b]) {
      let first = try await house.publish("first")
      let second = try await house.publish("second")
      try await eventually("both items in both trays") {
        try a.tray().count == 2 && b.tray().count == 2
      }
      a.transport.set(.offline)
      b.transport.set(.offline)
      try await a.perform(.dismiss, on: first, number: 1)
      try await b.perform(.read, on: second, number: 2)
      try await eventually("a is offline with one waiting") {
        let status = await a.engine.status
        if case .offline = status.connection { return status.waiting == 1 }
        return false
      }
      a.transport.set(.none)
      b.transport.set(.none)
      try await exchanges(a)
      try await exchanges(b)
      try await exchanges(a)
      for client in [a, b] {
        #expect(try client.tray() == ["second"])
        let read = try #require(try client.cache.item(second.id)).notification.state.readState
        #expect(read.value == .read)
        #expect(read.change?.by.id == "b")
      }
    }
  }

  @Test("a lost answer does not apply an operation twice")
  func lostAnswer() async throws {
    let house = try await House()
    let a = try await house.client("a")
    // Every back-off after a lost answer passes, so any request that loses its answer first is
    // repeated.
    try await running([a], longest: EnginePolicy().backOffLongest) {
      let item = try await house.publish("once")
      try await eventually("the item in the tray") { try a.tray() == ["once"] }
      // A device sends nothing before it has the answer to its registration. An operation that the
      // store has answered shows that it has that one.
      try await a.perform(.read, on: item, number: 1)
      try await exchanges(a)
      a.transport.set(.answersLost)
      try await a.perform(.dismiss, on: item, number: 2)
      let before = try await house.service.position(of: house.user).sequence
      try await eventually("the store has it") {
        try await house.service.item(item.id, of: house.user).state.userActionState.value
          == .dismissed
      }
      a.transport.set(.none)
      try await exchanges(a)
      let after = try await house.service.position(of: house.user).sequence
      #expect(after.rawValue <= before.rawValue + 1)
      #expect(try a.cache.outboxCounts().unsent == 0)
    }
  }

  @Test("dismissing 'build ok' offline does not dismiss the 'disk full' that replaced it")
  func replacedWhileOffline() async throws {
    let house = try await House()
    let (a, b) = (try await house.client("a"), try await house.client("b"))
    try await running([a, b]) {
      let ok = try await house.publish("build ok", id: "job")
      try await eventually("'build ok' in both trays") {
        try a.tray() == ["build ok"] && b.tray() == ["build ok"]
      }
      a.transport.set(.offline)
      try await a.perform(.dismiss, on: ok, number: 1)
      #expect(try a.tray().isEmpty)
      let full = try await house.publish("disk full", id: "job")
      #expect(full.id == ok.id)
      let events = await a.engine.events()
      a.transport.set(.none)
      try await exchanges(a)
      for await case .rejected(let operations) in events {
        #expect(operations.map(\.result) == [.superseded])
        break
      }
      try await eventually("'disk full' in every tray") {
        try a.tray() == ["disk full"] && b.tray() == ["disk full"]
      }
      for client in [a, b] {
        let shown = try #require(try client.cache.item(full.id)).notification
        #expect(shown.state.readState.value == .unread)
        #expect(shown.state.userActionState.value == .noInteraction)
      }
    }
  }

  @Test("stopping seals a held delete and sends it")
  func flushing() async throws {
    let house = try await House()
    let a = try await house.client("a")
    try await running([a]) {
      let item = try await house.publish("trash")
      try await eventually("the item in the tray") { try a.tray() == ["trash"] }
      try await a.perform(.delete, on: item, number: 1, sealAfter: .seconds(5))
      #expect(try a.cache.outboxCounts().held == 1)
      #expect(await a.engine.flushAndStop(within: .seconds(86_400)) == 0)
      await #expect(throws: StoreError.self) {
        try await house.service.item(item.id, of: house.user)
      }
    }
  }

  @Test("one round for a command sends, pulls and ends")
  func oneRound() async throws {
    let house = try await House()
    let (a, b) = (try await house.client("a"), try await house.client("b"))
    _ = try await house.publish("hello")
    b.transport.set(.offline)
    let ticking = Task { await Self.tick(house.clock) }
    defer { ticking.cancel() }
    #expect(await a.engine.runOnce(within: .seconds(86_400)) == .upToDate)
    #expect(try a.tray() == ["hello"])
    let outcome = await b.engine.runOnce(within: .seconds(86_400))
    #expect(outcome == .failed(.offline(.closed(.socket(path: "/store.sock"))), waiting: 0))
    // The command's process ends now: a token that is being renewed would be lost.
    #expect(a.transport.settlings == 1)
    #expect(b.transport.settlings == 1)
  }

  @Test("a round ends when everything is here, even if the search index has much left to do")
  func roundBeforeIndex() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let house = try await House()
    for number in 1...3000 { _ = try await house.publish("item \(number)") }
    let a = try await house.client("a")
    let cache = try SQLiteCache(
      path: folder.path + "/cache.sqlite",
      identity: CacheIdentity(account: AccountName("alice"), newLineage: { Lineage("a") }))
    let time = house.time
    let engine = SyncEngine(
      EngineParts(
        cache: cache, transport: a.transport, policy: EnginePolicy(), clock: house.clock,
        localTime: { time.now }, random: { 0.5 }, newLineage: { Lineage("later") }))
    let ticking = Task { await Self.tick(house.clock) }
    defer { ticking.cancel() }
    #expect(await engine.runOnce(within: .seconds(86_400)) == .upToDate)
    #expect(try cache.syncState().firstSync == nil)
    var steps = 0
    while try cache.drainIndexQueue(limit: 100) { steps += 1 }
    #expect(steps > 15, "of 30 steps these were left when the round had ended")
  }
}
