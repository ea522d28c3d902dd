import BellhopModel
import BellhopStoreSQLite
import BellhopTestSupport
import Synchronization
import Testing

@testable import BellhopStore

@Suite("Turns of slow reads", .timeLimit(.minutes(5)))
struct ReadingTurnTests {
  private static let ada = UserID(rawValue: 1)
  private static let bob = UserID(rawValue: 2)

  /// Reads that a test starts and ends one by one.
  private final class Desk: Sendable {
    let turns: ReadingScheduler
    private let state = Mutex<(begun: [String], ends: [String: AsyncStream<Void>.Continuation])>(
      ([], [:]))

    init(_ turns: ReadingScheduler) { self.turns = turns }

    var begun: [String] { state.withLock(\.begun) }

    func start(
      _ name: String, _ purpose: ReadingScheduler.Purpose = .list, for user: UserID
    ) -> Task<Void, any Error> {
      let (stream, end) = AsyncStream<Void>.makeStream()
      state.withLock { $0.ends[name] = end }
      return Task {
        try await turns.run(purpose, for: .init(user: user)) {
          state.withLock { $0.begun.append(name) }
          for await _ in stream {}
        }
      }
    }

    func end(_ name: String) { state.withLock { $0.ends[name] }?.finish() }
  }

  @Test("a user has two at once, more wait in order, and another user's start at once")
  func perUser() async throws {
    let desk = Desk(ReadingScheduler(runningMax: 3, perUserMax: 2, waitingPerUserMax: 10))
    var tasks: [Task<Void, any Error>] = []
    for name in ["a1", "a2"] {
      tasks.append(desk.start(name, for: Self.ada))
      try await eventually(name) { desk.begun.last == name }
    }
    for (place, name) in ["a3", "a4"].enumerated() {
      tasks.append(desk.start(name, for: Self.ada))
      try await eventually(name) { desk.turns.figures(of: .init(user: Self.ada)) == (2, place + 1) }
    }
    tasks.append(desk.start("b1", for: Self.bob))
    try await eventually("b1") { desk.begun.last == "b1" }
    // A step of accepted work goes before the lists that wait.
    tasks.append(desk.start("step", .step, for: Self.ada))
    try await eventually("step") { desk.turns.figures(of: .init(user: Self.ada)) == (2, 3) }
    tasks.append(desk.start("b2", for: Self.bob))
    try await eventually("b2") { desk.turns.figures(of: .init(user: Self.bob)) == (1, 1) }
    // The user with fewer running reads is next; on a tie, the one that has waited longer.
    for (end, next) in [("a1", "step"), ("a2", "a3"), ("b1", "b2"), ("step", "a4")] {
      desk.end(end)
      try await eventually(next) { desk.begun.last == next }
    }
    #expect(desk.begun == ["a1", "a2", "b1", "step", "a3", "b2", "a4"])
    for name in ["a3", "a4", "b2"] { desk.end(name) }
    for task in tasks { try await task.value }
    #expect(desk.turns.figures(of: .init(user: Self.ada)) == (0, 0))
    #expect(desk.turns.figures(of: .init(user: Self.bob)) == (0, 0))
  }

  @Test("one list too many is refused, a step never; a cancelled one frees its slot")
  func refusedAndCancelled() async throws {
    let desk = Desk(ReadingScheduler(runningMax: 1, perUserMax: 1, waitingPerUserMax: 1))
    let first = desk.start("1", for: Self.ada)
    try await eventually("1") { desk.begun == ["1"] }
    let second = desk.start("2", for: Self.ada)
    try await eventually("2") { desk.turns.figures(of: .init(user: Self.ada)).waiting == 1 }
    await #expect(throws: StoreError.tooManyLists) {
      try await desk.turns.run(.list, for: .init(user: Self.ada)) {}
    }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(desk.turns.figures(of: .init(user: Self.ada)) == (1, 0))
    let step = desk.start("step", .step, for: Self.ada)
    let third = desk.start("3", for: Self.ada)
    try await eventually("3") { desk.turns.figures(of: .init(user: Self.ada)).waiting == 2 }
    for name in ["1", "step", "3"] { desk.end(name) }
    for task in [first, step, third] { try await task.value }
    #expect(desk.begun == ["1", "step", "3"])
    // A task that was cancelled before its request gets no turn.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await desk.turns.run(.list, for: .init(user: Self.ada)) {}
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(desk.turns.figures(of: .init(user: Self.ada)) == (0, 0))
  }

  @Test("slow lists leave readers for sign-in, deltas, writes and the watchdog")
  func readersLeft() async throws {
    let clock = HeldUptime()
    let store = try await StoreUnderTest(.sqlite, workUptime: { clock.now })
    for number in 0..<5 { try await store.publish("\(number)") }
    let service = store.service
    let bob = try await service.addUser(named: "bob").id
    let secret = store.token.secret
    defer { clock.release() }
    clock.hold()
    var lists: [Task<ListPage, any Error>] = []
    for user in Array(repeating: store.user, count: 8) + Array(repeating: bob, count: 8) {
      lists.append(
        Task { try await service.list(ListRequest(rows: 10, isCounted: true), for: user) })
    }
    // The maximum number of lists is at a reader, and stays there.
    try await eventually("lists at their readers") { clock.held == store.backend.longReadsMax }
    try await eventually("lists that wait") {
      service.longReads(of: store.user).waiting + service.longReads(of: bob).waiting == 13
    }
    #expect(service.longReads(of: store.user).running <= 2)
    #expect(service.longReads(of: bob).running <= 2)
    // These calls would wait for ever if lists held all readers.
    #expect(try await service.users().count == 2)
    #expect(try await service.authenticate(secret).user.id == store.user)
    #expect(try await store.pull(from: .beginning).changes.count == 5)
    #expect(try await service.storageFigures().databaseBytes ?? 0 > 0)
    try await service.probe()
    clock.release()
    for list in lists { #expect(try await list.value.count != nil) }
  }
}
