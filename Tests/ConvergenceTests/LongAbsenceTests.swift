import BellhopCache
import BellhopModel
import BellhopSimulation
import BellhopStore
import BellhopSync
import BellhopTestSupport
import Testing

/// A device that was off for long: its token is too old to continue from, and its outbox is kept.
@Suite(.timeLimit(.minutes(10))) struct LongAbsenceTests {
  private let bench = SyncEngineTests()

  /// The device's next start over the cache that it left.
  private func restarted(
    _ client: SyncEngineTests.Client, in house: SyncEngineTests.House
  ) -> SyncEngineTests.Client {
    let (time, random, name) = (house.time, house.random, client.name)
    let engine = SyncEngine(
      EngineParts(
        cache: client.cache, transport: client.transport, policy: EnginePolicy(),
        clock: house.clock, localTime: { time.now }, random: { random.unit() },
        newLineage: { Lineage("\(name)-\(random.word())") }, announces: true))
    return SyncEngineTests.Client(
      name: name, cache: client.cache, transport: client.transport, engine: engine, time: time,
      clock: house.clock)
  }

  @Test("60 days offline: base is rebuilt, nothing deleted returns, and the outbox is sent")
  func sixtyDays() async throws {
    let house = try await SyncEngineTests.House()
    let (a, b) = (try await house.client("a"), try await house.client("b"))
    var items: [UserNotification] = []
    for title in ["dismissed offline", "dismissed elsewhere", "deleted elsewhere", "left alone"] {
      items.append(try await house.publish(title))
    }
    try await bench.running([a, b]) {
      try await eventually("all in both trays") {
        try a.tray().count == 4 && b.tray().count == 4
      }
    }
    // The laptop is closed after one more key, which never reaches the store.
    try await restarted(a, in: house).perform(.dismiss, on: items[0], number: 1)
    #expect(try a.cache.outboxCounts().unsent == 1)
    let known = try a.cache.syncState()

    let homeAgain = restarted(b, in: house)
    try await bench.running([homeAgain]) {
      try await homeAgain.perform(.dismiss, on: items[1], number: 2)
      try await homeAgain.perform(.delete, on: items[2], number: 3)
      try await bench.exchanges(homeAgain)
    }
    house.time.set(.seconds(60 * 86_400))
    let swept = try await house.service.sweep()
    #expect(swept.tombstonesDropped == 1, "the delete is remembered for 30 days, and no longer")
    _ = try await house.publish("new")

    let back = restarted(a, in: house)
    try await bench.running([back]) {
      try await bench.exchanges(back)
      try await eventually("what the store no longer has is swept away") {
        try a.cache.item(items[2].id) == nil
      }
      // The sent changes are in the store's lists now, and back in this cache.
      try await bench.exchanges(back)
    }
    #expect(try a.cache.syncState().generation == known.generation + 1, "base was rebuilt")
    #expect(Set(try a.tray()) == ["left alone", "new"])
    #expect(try a.cache.outboxCounts() == OutboxCounts(held: 0, waiting: 0, settling: 0))
    #expect(try a.cache.outcomes(of: nil, limit: 10).isEmpty, "nothing came to nothing")
    let register = try await house.service.item(items[0].id, of: house.user).state.userActionState
    #expect(register.value == .dismissed && register.change?.by.id == "a")
  }

  @Test("an operation on an item that is gone for good is reported, not dropped silently")
  func goneMeanwhile() async throws {
    let house = try await SyncEngineTests.House()
    let (a, b) = (try await house.client("a"), try await house.client("b"))
    let item = try await house.publish("deleted elsewhere")
    try await bench.running([a, b]) {
      try await eventually("in both trays") {
        try a.tray().count == 1 && b.tray().count == 1
      }
    }
    try await restarted(a, in: house).perform(.dismiss, on: item, number: 1)
    let homeAgain = restarted(b, in: house)
    try await bench.running([homeAgain]) {
      try await homeAgain.perform(.delete, on: item, number: 2)
      try await bench.exchanges(homeAgain)
    }
    house.time.set(.seconds(60 * 86_400))
    _ = try await house.service.sweep()
    let back = restarted(a, in: house)
    try await bench.running([back]) {
      try await eventually("the outbox is empty") {
        try a.cache.outboxCounts() == OutboxCounts(held: 0, waiting: 0, settling: 0)
      }
    }
    let outcomes = try a.cache.outcomes(of: nil, limit: 10)
    #expect(outcomes.map(\.result) == [.gone])
    #expect(outcomes.first?.operation.mutation == ItemCommand.dismiss.mutation)
  }
}
