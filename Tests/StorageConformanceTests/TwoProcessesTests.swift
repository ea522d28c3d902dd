import BellhopModel
import BellhopStoreMemory
import BellhopTestSupport
import Testing

@testable import BellhopStore

/// Two services over one database, as in two processes.
struct TwoProcesses: Sendable {
  let clocks: [TestClock]
  let uptime = ManualUptime()
  let backend = MemoryBackend(lifeKey: LifeKey("1"))
  let services: [StoreService]
  let user: UserID

  init() async throws {
    let start = try #require(Timestamp("2026-03-01T12:00:00Z"))
    clocks = [TestClock(start), TestClock(start)]
    var services: [StoreService] = []
    for (number, clock) in clocks.enumerated() {
      services.append(
        try await StoreService.open(
          .starting, on: backend,
          environment: Self.environment(clock, seed: UInt64(number) + 1, uptime)))
    }
    self.services = services
    user = try await services[0].addUser(named: "ada").id
  }

  static func environment(
    _ clock: TestClock, seed: UInt64, _ uptime: ManualUptime
  ) -> StoreEnvironment {
    let random = TestRandom(seed: seed)
    return StoreEnvironment(
      now: { clock.now }, random: { random.next() }, uptime: { uptime.now })
  }

  var a: StoreService { services[0] }
  var b: StoreService { services[1] }

  /// The number of recorded starts, as far as the data remembers them.
  func starts() throws -> Int64? { try backend.read { try $0.latestStart()?.ordinal } }

  @discardableResult
  func publish(
    _ title: String, by service: StoreService, for user: UserID? = nil
  ) async throws -> UserNotification {
    for clock in clocks { clock.advance(by: .milliseconds(1)) }
    let content = Content(app: "ci", visual: VisualContent(title: title))
    return try await service.publish(PublishRequest(content), for: user ?? self.user).item
  }

  /// Publishes by each process in turn, and returns the issued sequences.
  fileprivate func publishByTurns(_ count: Int) async throws -> [Issued] {
    var issued: [Issued] = []
    for number in 0..<count {
      for service in services {
        let sequence = try await publish("\(number)", by: service).state.sequence
        issued.append(Issued(start: service.start, sequence: sequence))
      }
    }
    return issued
  }

  /// Returns the token of the user's current state.
  func token(from service: StoreService) async throws -> DeltaToken {
    let page = try await service.delta(from: .beginning, rows: 1000, for: user)
    return try #require(page.token)
  }

  func changes(since token: DeltaToken, by service: StoreService) async throws -> Int {
    try await service.delta(from: .since(token), rows: 1000, for: user).changes.count
  }

  func refusal(of token: DeltaToken, by service: StoreService) async throws -> StoreError? {
    try await storeError { _ = try await changes(since: token, by: service) }
  }
}

/// A sequence of a life of the data.
private struct Issued: Hashable {
  var start: UniqueID<StoreStart>
  var sequence: SequenceNumber
}

extension DeltaPage {
  fileprivate var token: DeltaToken? {
    switch end {
    case .next: nil
    case .complete(let token): token
    }
  }
}

@Suite("Several processes over one database")
struct TwoProcessesTests {
  private static let ahead = StoreError.resyncRequired(
    reason: "the token is newer than the store's data")
  private static let unknown = StoreError.resyncRequired(
    reason: "the store's data was rolled back")
  private static let otherEpoch = StoreError.resyncRequired(
    reason: "the store has been restored from a backup since")

  @Test("processes share a start, and each follows the tokens of the others")
  func shared() async throws {
    let both = try await TwoProcesses()
    var tokens: [DeltaToken] = []
    for round in 0..<6 {
      for service in both.services {
        try await both.publish("\(round)", by: service)
        tokens.append(try await both.token(from: service))
      }
    }
    for service in both.services {
      for (place, token) in tokens.enumerated() {
        #expect(try await both.changes(since: token, by: service) == 11 - place)
      }
    }
    #expect(both.a.start == both.b.start && both.a.epoch == both.b.epoch)
    #expect(try both.starts() == 1)
    let sequences = try await both.a.list(rows: 100, for: both.user).items.map(\.state.sequence)
    #expect(Set(sequences) == Set((1...12).map { SequenceNumber(Int64($0)) }))
    for service in both.services { #expect(service.figures.lifeChanges == 0) }
  }

  @Test("a process that starts later joins the start, and keeps the tokens")
  func restarted() async throws {
    let both = try await TwoProcesses()
    try await both.publish("a", by: both.a)
    let token = try await both.token(from: both.a)
    for mode in [StoreLogic.StartMode.starting, .joining] {
      let third = try await StoreService.open(
        mode, on: both.backend, environment: both.a.environment)
      #expect(third.start == both.a.start)
      let page = try await third.delta(from: .since(token), rows: 10, for: both.user)
      #expect(page.changes.isEmpty && page.validThrough == nil)
    }
    #expect(try both.starts() == 1)
  }

  @Test("a failover without a loss begins one life for all, and keeps the tokens")
  func failover() async throws {
    let both = try await TwoProcesses()
    try await both.publish("a", by: both.a)
    let before = try await both.token(from: both.b)
    let start = both.a.start
    both.backend.restore(both.backend.snapshot(), lifeKey: LifeKey("2"))
    // Reads record nothing.
    for service in both.services {
      #expect(try await both.changes(since: before, by: service) == 0)
      #expect(service.start == start)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try await both.publish("\(number)", by: both.services[number % 2]) }
      }
      try await group.waitForAll()
    }
    #expect(try both.starts() == 2)
    for service in both.services {
      #expect(try await both.changes(since: before, by: service) == 20)
      #expect(service.start != start && service.start == both.a.start)
      #expect(service.figures.lifeChanges == 1 && service.figures.rollbacks == 0)
    }
  }

  @Test("a failover that loses commits refuses their tokens in every process")
  func lossyFailover() async throws {
    let both = try await TwoProcesses()
    var issued = try await both.publishByTurns(3)
    let early = try await both.token(from: both.a)
    let past = both.backend.snapshot()
    issued += try await both.publishByTurns(3)
    let late = try await both.token(from: both.b)
    both.backend.restore(past, lifeKey: LifeKey("2"))
    for service in both.services {
      #expect(try await both.refusal(of: late, by: service) == Self.ahead)
      // A device with later rows, such as pages of a first synchronisation, learns of the loss too.
      let page = try await service.delta(from: .since(early), rows: 10, for: both.user)
      #expect(page.changes.isEmpty && page.validThrough == SequenceNumber(6))
    }
    issued += try await both.publishByTurns(5)
    for service in both.services {
      #expect(try await both.refusal(of: late, by: service) == Self.ahead)
      #expect(try await both.changes(since: early, by: service) == 10)
    }
    #expect(try both.starts() == 2)
    // No sequence is issued twice in one life.
    #expect(Set(issued).count == issued.count)
    #expect(Dictionary(grouping: issued, by: \.start).values.map(\.count).sorted() == [10, 12])
  }

  @Test("a key that returns with another history begins another life")
  func repeatedKey() async throws {
    let both = try await TwoProcesses()
    try await both.publish("kept", by: both.a)
    let past = both.backend.snapshot()
    both.backend.restore(past, lifeKey: LifeKey("2"))
    try await both.publish("lost", by: both.b)
    let lost = try await both.token(from: both.b)
    // Another standby, which did not follow the first one, is promoted.
    both.backend.restore(past, lifeKey: LifeKey("2"))
    for number in 0..<3 { try await both.publish("\(number)", by: both.a) }
    for service in both.services {
      #expect(try await both.refusal(of: lost, by: service) == Self.unknown)
    }
    #expect(both.a.start == both.b.start)
    #expect(try both.starts() == 2)
  }

  @Test("a new epoch that one process begins is noticed by the others in their next read")
  func newEpoch() async throws {
    let both = try await TwoProcesses()
    try await both.publish("a", by: both.a)
    let token = try await both.token(from: both.a)
    let epoch = both.a.epoch
    let stream = try await both.a.signals(for: both.user)
    try await both.b.beginEpoch()
    for service in both.services {
      #expect(try await both.refusal(of: token, by: service) == Self.otherEpoch)
      let page = try await service.delta(from: .beginning, rows: 10, for: both.user)
      #expect(page.epoch == service.epoch && page.epoch != epoch)
    }
    #expect(both.a.epoch == both.b.epoch && both.a.start == both.b.start)
    // Clients open their streams again.
    #expect(both.a.subscriberCount == 0)
    withExtendedLifetime(stream) {}
    #expect(try await both.changes(since: both.token(from: both.a), by: both.b) == 0)
  }

  @Test("a write uses the epoch that another process has begun")
  func writeInNewEpoch() async throws {
    let both = try await TwoProcesses()
    let minted = try await both.a.mintToken(named: "laptop", scope: .device(nil), for: both.user)
    let device = DeviceID("laptop")
    _ = try await both.a.register(
      DeviceRegistration(id: device, name: "Laptop", platform: "linux", channel: .signal),
      with: minted.token.id, for: both.user)
    let item = try await both.publish("a", by: both.a)
    func send(to service: StoreService) async throws -> BatchAnswer {
      let operation = Operation(
        id: UniqueID(high: 1, low: service.environment.random()), target: .item(item.id),
        mutation: ItemCommand.read.mutation)
      return try await service.apply(
        OperationBatch(
          device: device, lineage: Lineage("l"),
          operations: [NumberedOperation(number: 1, operation: operation)]), for: both.user)
    }
    let first = try await send(to: both.a)
    try await both.b.beginEpoch()
    // Numbers begin again with an epoch.
    let second = try await send(to: both.a)
    #expect(second.epoch == both.a.epoch && second.epoch != first.epoch)
  }

  @Test("a process whose user's sequence went back begins another life, though the key stayed")
  func sameKey() async throws {
    let both = try await TwoProcesses()
    try await both.publish("kept", by: both.a)
    let early = try await both.token(from: both.a)
    let past = both.backend.snapshot()
    for number in 0..<3 { try await both.publish("lost \(number)", by: both.a) }
    let late = try await both.token(from: both.b)
    let start = both.a.start
    both.backend.restore(past)
    #expect(try await both.changes(since: early, by: both.b) == 0)
    for service in both.services { #expect(service.start == start) }
    for number in 0..<5 { try await both.publish("\(number)", by: both.a) }
    for service in both.services {
      #expect(try await both.refusal(of: late, by: service) == Self.ahead)
      #expect(try await both.changes(since: early, by: service) == 5)
      #expect(service.start != start && service.start == both.a.start)
    }
    #expect(try both.starts() == 2)
    // From there on everything is as before.
    for number in 0..<2 { try await both.publish("\(number)", by: both.services[number]) }
    #expect(try both.starts() == 2)
  }

  @Test("a token of lost data that a process reads begins another life, though the key stayed")
  func laterToken() async throws {
    let both = try await TwoProcesses()
    try await both.publish("kept", by: both.a)
    let past = both.backend.snapshot()
    for number in 0..<3 { try await both.publish("lost \(number)", by: both.a) }
    let late = try await both.token(from: both.a)
    both.backend.restore(past)
    // This process has written nothing.
    #expect(try await both.refusal(of: late, by: both.b) == Self.ahead)
    for number in 0..<5 { try await both.publish("\(number)", by: both.b) }
    for service in both.services {
      #expect(try await both.refusal(of: late, by: service) == Self.ahead)
    }
    #expect(try both.starts() == 2)
  }

  @Test("data that lacks a known start begins another life, though the key stayed")
  func missingStart() async throws {
    let both = try await TwoProcesses()
    let other = try await both.a.addUser(named: "grace").id
    try await both.publish("kept", by: both.b)
    let past = both.backend.snapshot()
    try await both.a.beginEpoch()
    let lost = try await both.token(from: both.a)
    let start = both.a.start
    both.backend.restore(past)
    #expect(try await both.refusal(of: lost, by: both.a) == Self.otherEpoch)
    #expect(both.a.start == start)
    try await both.publish("a", by: both.a, for: other)
    #expect(both.a.start != start)
    #expect(try both.starts() == 2)
    _ = try await both.token(from: both.b)
    #expect(both.b.start == both.a.start && both.b.epoch == both.a.epoch)
  }

  @Test("a refused write begins no life, and the next one does")
  func refusedWrite() async throws {
    let both = try await TwoProcesses()
    let start = both.a.start
    both.backend.restore(both.backend.snapshot(), lifeKey: LifeKey("2"))
    #expect(
      try await storeError {
        _ = try await both.a.publish(PublishRequest(Content(app: "not a name")), for: both.user)
      } != nil)
    #expect(both.a.start == start)
    #expect(try both.starts() == 1)
    try await both.publish("a", by: both.a)
    #expect(both.a.start != start)
    #expect(try both.starts() == 2)
  }

  @Test("removing a user in one process is not a loss in another")
  func removedUser() async throws {
    let both = try await TwoProcesses()
    let other = try await both.a.addUser(named: "grace").id
    try await both.publish("a", by: both.a, for: other)
    try await both.b.removeUser(named: "grace")
    try await both.publish("b", by: both.a)
    #expect(
      try await storeError { try await both.publish("c", by: both.a, for: other) }
        == .notFound(what: "user"))
    #expect(try both.starts() == 1)
    #expect(both.a.figures.lifeChanges == 0)
  }

  @Test(
    "a user's time does not go back between processes, unless a clock was set back",
    arguments: [(3, true), (10, true), (11, false)])
  func time(secondsBehind: Int, isHidden: Bool) async throws {
    let both = try await TwoProcesses()
    both.clocks[1].advance(by: .seconds(-secondsBehind))
    let first = try await both.publish("a", by: both.a)
    // The clocks have advanced by a millisecond.
    let second = try await both.publish("b", by: both.b)
    let own = both.clocks[1].now
    #expect(second.arrival == (isHidden ? first.arrival : own))
    #expect(second.state.changed == second.arrival)
    // Another user has another time.
    let other = try await both.a.addUser(named: "grace").id
    let third = try await both.publish("c", by: both.b, for: other)
    #expect(third.arrival == both.clocks[1].now)
  }

  // MARK: - The clock by which items expire

  private func record(_ both: TwoProcesses) throws -> ClockRecord? {
    try both.backend.read { try StoreLogic.clockRecord(in: $0) }
  }

  @Test("the clock's shared record never goes back")
  func clockRecord() async throws {
    let both = try await TwoProcesses()
    try await both.a.sweep()
    let first = try #require(try record(both))
    for clock in both.clocks { clock.advance(by: .seconds(7200)) }
    both.uptime.advance(by: .seconds(7200))
    // It is behind, which it accepts for itself.
    both.clocks[1].advance(by: .seconds(-86_400))
    try await both.b.sweep()
    #expect(try record(both) == first)
    try await both.a.sweep()
    let second = try #require(try record(both))
    #expect(second.trusted == both.clocks[0].now)
    both.clocks[1].advance(by: .seconds(86_000))
    try await both.b.sweep()
    #expect(try record(both) == second)
  }

  @Test("a time that one process accepts on confirmation is accepted by the others")
  func confirmedClock() async throws {
    let both = try await TwoProcesses()
    for service in both.services { try await service.sweep() }
    for clock in both.clocks { clock.advance(by: .seconds(400 * 86_400)) }
    for service in both.services { #expect(try await service.sweep().clockDoubt != nil) }
    try await both.b.confirmClock()
    #expect(try await both.a.sweep().clockDoubt == nil)
    #expect(try record(both) == ClockRecord(trusted: both.clocks[1].now))
  }
}
