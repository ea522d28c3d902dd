import BellhopCache
import BellhopModel
import BellhopTestSupport
import Testing

@Suite("Registers in the cache")
struct RegisterColumnTests {
  @Test(
    "each value of each register is read as it was written, also in a line of a list",
    arguments: CacheKind.allCases)
  func values(kind: CacheKind) throws {
    let states = RegisterSamples.states(SequenceNumber(1), at: CacheFixture.start)
    for state in states {
      let cache = try CacheFixture(kind)
      let item = makeItem(1) { $0.state = state }
      try cache.pull([.item(item)])
      #expect(try cache.reader.item(item.id)?.notification == item)
      #expect(try cache.reader.row(item.id)?.registers == state.registers)
    }
  }

  @Test(
    "a pending operation's effect on a register is shown beside what the store sent",
    arguments: CacheKind.allCases)
  func shown(kind: CacheKind) throws {
    for state in RegisterSamples.states(SequenceNumber(1), at: CacheFixture.start) {
      let cache = try CacheFixture(kind)
      let trigger = try Trigger(.interval(seconds: 3600), repeats: true)
      let item = makeItem(1) { $0.content.trigger = trigger }
      try cache.pull([.item(item)])
      var change = StateChange()
      for register in ItemRegister.all {
        #expect(register.want(register.value(state.registers), &change))
      }
      let operation = BellhopModel.Operation(
        id: operationID(1), target: .item(item.id), mutation: .set(change))
      _ = try cache.storage.enqueue([operation], now: CacheFixture.start, sealAfter: nil)
      let found = try #require(try cache.reader.item(item.id))
      #expect(found.notification.state.registers.haveSameValues(as: state.registers))
      #expect(try cache.reader.row(item.id)?.registers == found.notification.state.registers)
      #expect(found.base == item.state)
    }
  }
}
