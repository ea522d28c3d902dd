import BellhopModel
import BellhopServer
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("A store of 0.1.0")
struct StoreCompatibilityTests {
  private let recording = Recording.first

  /// Opens the recorded store with this version, at the time of the recording.
  ///
  /// - Parameters:
  /// - ahead: The time by which its clock is ahead of that.
  /// - limits: Its limits.
  private func withStore(
    ahead: Duration = .zero, limits: StoreLimits = StoreLimits(),
    _ body: (InProcessStore, RecordedExchange) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/store.sqlite"
    try recording.restoreDatabase("store.sql", at: path)
    let exchange = try recording.exchange()
    let backend = try SQLiteBackend(path: path)
    let store = try await InProcessStore(
      on: backend, users: [], limits: limits, time: SettableTime(exchange.time.advanced(by: ahead)))
    try await body(store, exchange)
    await backend.close()
  }

  @Test("it opens in this version with all its items, tokens and settings")
  func opens() async throws {
    try await withStore { store, exchange in
      #expect(try await store.service.users().map(\.name) == ["alice", "bob"])
      let alice = try await store.service.user(named: "alice").id
      let items = try await store.service.list(rows: 100, for: alice).items
      #expect(items.count == 42)
      let byTitle = Dictionary(grouping: items, by: { $0.content.visual?.title ?? "" })
      let state = { (title: String) in byTitle[title]?.first?.state }
      #expect(state("Backup done")?.readState.value == .read)
      #expect(state("Sample 1")?.userActionState.value == .dismissed)
      #expect(state("Nightly report")?.pinned.value == true)
      #expect(byTitle["Delete me"] == nil)
      #expect(byTitle["With a file"]?.first?.content.extras.attachments?.count == 1)

      let search = try await store.service.list(
        ListRequest(search: "搜索", rows: 10), for: alice
      ).items
      #expect(search.map { $0.content.visual?.title } == ["搜索 Grüße שלום"])

      let apps = try await store.send(
        .get, Route.apps.path, token: exchange.tokens["laptop"])
      #expect(apps.status == 200)
      #expect(apps.text.contains("\"samples\"") && apps.text.contains("\"retentionDays\":30"))
      let revoked = try await store.send(
        .get, Route.apps.path, token: exchange.tokens["old"])
      #expect(revoked.status == 401)
    }
  }

  @Test("it is swept, indexed and checked without an error after its upgrade")
  func upkeep() async throws {
    try await withStore { store, _ in
      let alice = try await store.service.user(named: "alice").id
      _ = try await store.service.sweep()
      #expect(try await store.service.list(rows: 100, for: alice).items.count == 42)
      store.time.advance(by: .seconds(22 * 86_400))
      #expect(try await store.service.sweep().expired == 1)
      let items = try await store.service.list(rows: 100, for: alice).items
      #expect(!items.contains { $0.content.visual?.title == "Expires" })
    }
  }

  @Test("a clock that is far ahead at the first start of this version expires nothing")
  func aheadAtFirstStart() async throws {
    try await withStore(ahead: .seconds(400 * 86_400)) { store, _ in
      let alice = try await store.service.user(named: "alice").id
      #expect(store.service.clockDoubt != nil)
      let report = try await store.service.sweep()
      #expect(report.expired == 0 && report.tombstonesDropped == 0)
      #expect(try await store.service.list(rows: 100, for: alice).items.count == 42)
    }
    try await withStore(ahead: .seconds(86_400)) { store, _ in
      #expect(store.service.clockDoubt == nil)
      store.time.advance(by: .seconds(21 * 86_400))
      let report = try await store.service.sweep()
      #expect(report.expired == 1)
    }
  }

  /// Sends recorded requests, and expects answers that have what the recorded ones have.
  ///
  /// - Parameter current: The store's current links and tags by the recorded ones, for later
  ///   requests.
  private func replay(
    _ turns: [RecordedExchange.Turn], on store: InProcessStore, _ current: inout [String: String]
  ) async throws {
    for turn in turns {
      let request = turn.request
      var path = request.path
      var headers = request.headers
      for (then, now) in current {
        path = path.replacing(then, with: now)
        headers = headers.mapValues { $0.replacing(then, with: now) }
      }
      let method = try #require(HTTPRequest.Method(request.method))
      let answer = try await store.send(
        method, path, body: Array(request.body.utf8), headers: headers)
      #expect(answer.status == turn.answer.status, "\(request.method) \(path): \(answer.text)")
      guard !turn.answer.body.isEmpty else { continue }
      let promised = try JSONValue(parsing: Array(turn.answer.body.utf8))
      let given = try JSONValue(parsing: answer.body)
      #expect(given.missing(from: promised) == [], "\(request.method) \(path)")
      for name in ["@odata.deltaLink", "@odata.nextLink", "@bellhop.startLink"] {
        #expect((promised[name] == nil) == (given[name] == nil), "\(name) of \(path)")
        if let then = promised[name]?.token, let now = given[name]?.token { current[then] = now }
      }
    }
  }

  @Test("a client of 0.1.0 continues with it, and another signs in and gets everything")
  func oldClient() async throws {
    try await withStore { store, exchange in
      var current: [String: String] = [:]
      try await replay(exchange.laptop + exchange.new, on: store, &current)
      #expect(!current.isEmpty)

      let alice = try await store.service.user(named: "alice").id
      let items = try await store.service.list(rows: 100, for: alice).items
      // The recorded list has no scheduled items.
      let listed = items.filter {
        placement($0, at: store.time.now, on: .utc).placement != .scheduled
      }
      let placed = listed.map { item in
        "\(item.shortNumber) \(placement(item, at: store.time.now, on: .utc).placement) "
          + "\(item.state.readState.value == .read)"
      }
      // The recording has the first name of this placement.
      let wanted = exchange.allAfter.map { item in
        "\(item.number) \(item.placement == "history" ? "handled" : item.placement) \(item.isRead)"
      }
      #expect(Set(placed) == Set(wanted))
    }
  }

  @Test("a client of 0.1.0 signs in and gets everything page by page")
  func pages() async throws {
    var limits = StoreLimits()
    limits.pageItemsMax = 15
    try await withStore(limits: limits) { store, exchange in
      var current: [String: String] = [:]
      try await replay(exchange.laptop + exchange.pages, on: store, &current)
    }
  }

  @Test("a client of 0.1.0 gets the same signals, with the changes")
  func signals() async throws {
    try await withStore { store, exchange in
      var current: [String: String] = [:]
      try await replay(exchange.laptop, on: store, &current)
      let alice = try await store.service.user(named: "alice").id
      let signals = try await store.service.signals(for: alice, enclosesChanges: true)
      var given = signals.makeAsyncIterator()
      let stream = try #require(exchange.signals.first).answer.body
      let events = stream.split(separator: "\n").filter { $0.hasPrefix("data: ") }
      #expect(events.count == 2)
      for event in events {
        let promised = try JSONValue(parsing: Array(event.dropFirst("data: ".count).utf8))
        let signal = SignalPayload(try #require(await given.next()))
        let text = try JSONValue(parsing: WireJSON.encode(signal))
        #expect(text.missing(from: promised) == [])
        #expect(text["sequence"] == promised["sequence"])
        guard promised["resourceData"] == nil else { continue }
        let published = try await store.send(
          .post, Route.notifications.path, token: exchange.tokens["ci"],
          text: """
            {"targetHostName":"ci","payload":{"visualContent":{"title":"Signalled"}},
            "appNotificationId":"signalled"}
            """, headers: ["content-type": "application/json"])
        #expect(published.status == 201)
      }
    }
  }
}

extension JSONValue {
  /// The token in a link.
  fileprivate var token: String? {
    text.flatMap { $0.split(separator: "token=").last.map(String.init) }
  }
}
