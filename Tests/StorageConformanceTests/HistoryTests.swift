import BellhopModel
import BellhopStore
import Testing

/// The cache of a client after pulling: SYNC-13 and SYNC-14 in their simplest form.
private struct Replica {
  var items: [NotificationID: UserNotification] = [:]
  var token: DeltaToken?

  mutating func apply(_ change: Change) {
    switch change {
    case .item(let item):
      if let known = items[item.id], known.state.sequence >= item.state.sequence { return }
      items[item.id] = item
    case .state(let id, let state):
      #expect(items[id] != nil, "state without content")
      if let known = items[id], known.state.sequence < state.sequence {
        items[id]?.state = state
      }
    case .removed(let id, _): items[id] = nil
    case .app, .rule, .ruleRemoved: break
    }
  }
}

/// A random history of a store, the same for every backend with the same seed.
private struct History {
  let store: StoreUnderTest
  var service: StoreService
  let random: TestRandom
  var ids: [NotificationID] = []
  var number: Int64 = 0
  var sent: [BellhopModel.Operation] = []
  var replica = Replica()
  var trace: [String] = []

  init(_ kind: BackendKind, seed: UInt64) async throws {
    var limits = StoreLimits()
    limits.tombstoneLife = .seconds(3600)
    limits.sweepItemsMax = 3
    store = try await StoreUnderTest(kind, limits: limits)
    service = store.service
    random = TestRandom(seed: seed)
  }

  func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  /// The id of an item that was published, or now and then an unknown one.
  func anyID() -> NotificationID {
    ids.isEmpty || below(20) == 0
      ? NotificationID(high: random.next(), low: random.next()) : ids[below(ids.count)]
  }

  func anyCommand() -> ItemCommand {
    let later = store.clock.now.advanced(by: .seconds(Int64(below(4000)) + 1))
    let commands: [ItemCommand] = [
      .read, .unread, .activate, .dismiss, .restore, .snooze(until: later), .pin, .unpin,
      .delete,
    ]
    return commands[below(commands.count)]
  }

  /// The answer, or the store's error, as text.
  static func text(_ body: () async throws -> String) async throws -> String {
    do {
      return try await body()
    } catch let error as StoreError {
      return "error \(error)"
    }
  }

  mutating func step() async throws {
    store.clock.advance(by: .milliseconds(Int64(below(3)) * 700))
    let (service, user) = (service, store.user)
    switch below(12) {
    case 0...3: try await publish()
    case 4:
      let (id, command) = (anyID(), anyCommand())
      guard case .set(let change) = command.mutation else { return }
      let author = store.device.author
      trace.append(
        try await Self.text {
          "\(try await service.change(id, change, by: author, for: user))"
        })
    case 5:
      let id = anyID()
      trace.append(
        try await Self.text { "\(try await service.delete(id, for: user))" })
    case 6, 7: try await operate()
    case 8:
      store.clock.advance(by: .seconds(Int64(below(3000))))
      trace.append("\(try await service.sweep())")
    case 9: try await pull()
    case 10:
      let page = try await service.list(rows: 5, for: user)
      trace.append("\(page)")
    default:
      if below(4) == 0 { self.service = try await store.restarted() }
    }
  }

  private mutating func publish() async throws {
    var content = Content(
      app: "app\(below(2))", appNotificationID: below(3) == 0 ? nil : "id\(below(5))",
      visual: VisualContent(title: "title \(below(1000))"))
    if below(3) == 0 {
      content.expiration = store.clock.now.advanced(by: .seconds(Int64(below(5000)) + 1))
    }
    if below(6) == 0 {
      content.deliverAt = store.clock.now.advanced(by: .seconds(Int64(below(600))))
    }
    let request = PublishRequest(content, isQuietUpdate: below(5) == 0)
    do {
      let published = try await service.publish(request, for: store.user)
      trace.append("\(published)")
      if !ids.contains(published.item.id) { ids.append(published.item.id) }
    } catch {
      trace.append("error \(error)")
    }
  }

  private mutating func operate() async throws {
    var predicate = Predicate()
    predicate.app = "app\(below(2))"
    let sequence = try await service.position(of: store.user).sequence
    let through = SequenceNumber(sequence.rawValue - Int64(below(10)))
    let id: OperationID = store.newID()
    switch below(8) {
    case 0:
      sent.append(
        Operation(
          id: id, target: .matching(predicate, through: through), mutation: anyCommand().mutation))
    case 1 where !sent.isEmpty:
      sent.append(
        Operation(
          id: id, target: .setBy(sent[below(sent.count)].id), mutation: .restorePrevious))
    case 2:
      sent.append(
        Operation(
          id: id, target: .items((0..<4).map { _ in anyID() }), mutation: anyCommand().mutation))
    default:
      sent.append(
        Operation(
          id: id, target: .item(anyID()), mutation: anyCommand().mutation,
          seen: below(2) == 0 ? through : nil))
    }
    // Sent again from an earlier number now and then, as after a lost answer.
    let first = max(1, sent.count - below(3))
    let batch = OperationBatch(
      device: store.device.id, lineage: Lineage("l"),
      operations: (first...sent.count).map {
        NumberedOperation(number: Int64($0), operation: sent[$0 - 1])
      })
    let (service, user) = (service, store.user)
    trace.append(
      try await Self.text { "\(try await service.apply(batch, for: user))" })
  }

  /// Pulls to the end, with a publication between pages, and compares with the store.
  mutating func pull() async throws {
    var start = replica.token.map(DeltaStart.since) ?? .beginning
    while true {
      do {
        let page = try await service.delta(from: start, rows: 3, for: store.user)
        trace.append("\(page)")
        for change in page.changes { replica.apply(change) }
        switch page.end {
        case .next(let token):
          start = .page(token)
          if below(3) == 0 { try await publish() }
        case .complete(let token):
          replica.token = token
          if page.started == nil {
            try await compare()
            return
          }
          start = .since(token)
        }
      } catch StoreError.resyncRequired(let reason) {
        trace.append("resync: \(reason)")
        replica = Replica()
        start = .beginning
      }
    }
  }

  private func compare() async throws {
    let now = store.clock.now
    let live = try await service.list(rows: 5000, for: store.user).items
    let known = replica.items.values.filter { placement($0, at: now, on: .utc).placement != .gone }
    #expect(Set(known) == Set(live))
  }
}

@Suite("Random histories")
struct HistoryTests {
  @Test(
    "every backend gives the same answers, and a client's replica ends equal to the store",
    arguments: Array(1...12) as [UInt64])
  func sameAnswers(seed: UInt64) async throws {
    var histories = [
      try await History(.memory, seed: seed), try await History(.sqlite, seed: seed),
    ]
    for step in 0..<250 {
      for index in histories.indices { try await histories[index].step() }
      try #require(
        histories[0].trace.last == histories[1].trace.last, "seed \(seed), step \(step)")
    }
    for index in histories.indices { try await histories[index].pull() }
    #expect(histories[0].trace == histories[1].trace, "seed \(seed)")
    #expect(histories[0].trace.count > 100)
  }
}
