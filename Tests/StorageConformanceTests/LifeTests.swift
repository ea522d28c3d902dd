import BellhopModel
import Testing

@testable import BellhopStore

@Suite("Starts, and rows that two transactions write at once")
struct LifeTests {
  @Test(
    "a start that another transaction recorded first is returned, and none is added",
    arguments: BackendKind.allCases)
  func startRecordedOnce(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (backend, now) = (store.backend, store.clock.now)
    let known = try #require(try await backend.read { try $0.latestStart() })
    let key = LifeKey("another")
    let ids: [UniqueID<StoreStart>] = [store.newID(), store.newID()]
    var starts: [StoreStart] = []
    for id in ids {
      starts.append(
        try await backend.write(
          in: .user(store.user),
          { try $0.insertStart(id, at: now, lifeKey: key, after: known) }, committed: { _ in }))
    }
    let first = StoreStart(ordinal: known.ordinal + 1, id: ids[0], at: now, lifeKey: key)
    #expect(starts == [first, first])
    #expect(try await backend.read { try $0.latestStart() } == first)
    #expect(try await backend.read { try $0.start(ids[0]) } == first)
    #expect(try await backend.read { try $0.start(ids[1]) } == nil)
  }

  @Test(
    "the time of a user's last sequence is stored with it", arguments: BackendKind.allCases)
  func timeOfSequence(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let user = store.user
    #expect(try await store.backend.read { try $0.counters(of: user)?.changed } == nil)
    let item = try await store.publish("a").item
    store.clock.advance(by: .seconds(60))
    #expect(
      try await store.backend.read { try $0.counters(of: user)?.changed } == item.state.changed)
    _ = try await store.change(item, StateChange(readState: .read))
    #expect(
      try await store.backend.read { try $0.counters(of: user)?.changed } == store.clock.now)
  }

  @Test("a user's name that is taken is refused", arguments: BackendKind.allCases)
  func takenName(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let now = store.clock.now
    let error = try await storeError {
      try await store.backend.write(
        in: .store,
        { transaction in
          _ = try transaction.insertUser(named: "grace", created: now)
          _ = try transaction.insertUser(named: "ada", created: now)
        }, committed: { _ in })
    }
    #expect(error == .alreadyExists(what: "the user"))
    #expect(try await store.service.users().map(\.name) == ["ada"])
  }

  @Test(
    "a pass over an app's items continues as it is, not as a sweep has found it",
    arguments: BackendKind.allCases)
  func stalePass(kind: BackendKind) async throws {
    var small = StoreLimits()
    small.sweepItemsMax = 5
    let store = try await StoreUnderTest(kind, limits: small)
    var items: [UserNotification] = []
    for number in 0..<12 { items.append(try await store.publish("\(number)", app: "ci").item) }
    let (backend, environment, user) = (store.backend, store.environment, store.user)
    let limits = store.limits
    let logic = try await backend.write(
      in: .store,
      { try StoreLogic.open(.joining, environment: environment, limits: limits, in: $0) },
      committed: { _ in })
    func pass() async throws -> RetentionPass? {
      try await backend.read { try $0.retentionPass(ofApp: "ci", of: user) }
    }
    func step(_ pass: RetentionPass) async throws {
      try await backend.write(
        in: .user(user), { try logic.retain(pass, in: $0) }, committed: { _ in })
    }
    try await retain(days: 30, in: store)
    let found = try #require(try await pass())
    #expect(found.above == nil)
    // Two processes have found the same pass.
    for _ in 0..<2 { try await step(found) }
    let second = try #require(try await pass())
    #expect(second.above == ArrivalKey(items[9]))
    // The retention changes before the next step, so the pass begins again.
    try await retain(days: 1, in: store)
    try await step(second)
    #expect(try await pass()?.above == ArrivalKey(items[4]))
    for _ in 0..<3 { try await step(second) }
    #expect(try await pass() == nil)
    store.clock.advance(by: .seconds(2 * 86_400))
    #expect(try await store.service.sweep().expired == 12)
  }

  private func retain(days: Int, in store: StoreUnderTest) async throws {
    var change = AppSettingsChange()
    change.retentionDays = .set(days)
    _ = try await store.service.configure("ci", change, for: store.user)
  }

  @Test("the newest sequences of users are kept for a bounded number of them")
  func newestSequences() {
    var newest = NewestSequences()
    let user = UserID(rawValue: 1)
    for sequence in [3, 5, 4] {
      newest.note(TakenSequence(user: user, sequence: SequenceNumber(Int64(sequence))))
    }
    #expect(newest[user] == SequenceNumber(5))
    newest.forget(user)
    #expect(newest[user] == nil)
    let users = (1...(NewestSequences.usersMax + 1)).map { UserID(rawValue: Int64($0)) }
    for user in users { newest.note(TakenSequence(user: user, sequence: SequenceNumber(1))) }
    #expect(users.count { newest[$0] != nil } == NewestSequences.usersMax)
    #expect(newest[users[users.count - 1]] != nil)
  }
}
